"""Random scripted programs from a seed: branches and loops around writes, views, lists, dicts and numbers.

All tensors contain small integers, so that every result is exact. There is a value of every kind at the start; a
block changes existing values or creates its own.
"""
import random

RUNS = ((3, 2), (1, 0), (5, 3), (2, 1))  # the rows of x and the value of k; the first is the example
KEPT = {"v": ["self.kb", 'self.kd["a"][-1]', "self.kt[1][0]"], "l": ["self.kl[0]", "self.kl[1]", 'self.kd["a"]']}


def kept(torch):
    """The initial attributes of a module; two lists share a tensor."""
    a, b = torch.arange(4.0), torch.ones(4)
    return {"kb": b * 2, "kl": [[a, b], [b * 3, a]], "kd": {"a": [b * 4]}, "kt": (b * 5, [b * 6])}


class Block:
    """Statements, each a line or a pair (line, Block); a line that ends in a colon has a Block."""

    def __init__(self, items=()):
        self.items = list(items)

    def lines(self, indent):
        text = []
        for item in self.items:
            line, inner = item if isinstance(item, tuple) else (item, None)
            text.append("    " * indent + line)
            if inner is not None:
                text += inner.lines(indent + 1) or ["    " * (indent + 1) + "pass"]
        return text

    def smaller(self):
        """Every block with one statement less, and those in which an inner block replaces its statement."""
        for i, item in enumerate(self.items):
            has_else = i + 1 < len(self.items) and isinstance(self.items[i + 1], tuple) and self.items[i + 1][0] == "else:"
            yield Block(self.items[:i] + self.items[i + 1 + has_else:])
            if not isinstance(item, tuple):
                continue
            line, inner = item
            yield Block(self.items[:i] + inner.items + self.items[i + 1 + has_else:])
            for less in inner.smaller():
                yield Block(self.items[:i] + [(line, less)] + self.items[i + 1:])


class Generator:
    """One program. The first letter of a name is its kind: m (rows x 4), v (4), s (a scalar), i (an int), l (a list of
    v), d (a dict of v), n (a list of l), o (an object), q (a list of o), w (a v or None), u (a list of w), f (a list of
    tensors of any rank). Every third program also chooses among existing values, aliases them, and reads content that
    it created itself. Every tenth one makes lists and dicts of what others contain, and writes to that. Further tenths
    read and write the module's attributes, create objects, use values that may be None, and use lists of tensors of
    different forms, whose form they query."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.holds = seed % 10 == 7
        self.keeps = seed % 10 == 3
        self.made_class = ["", "Fixed", "Cell"][(seed % 10 == 1) * (1 + seed // 10 % 2)]
        self.unsets = seed % 10 == 9
        self.mixes = seed % 10 == 5
        self.chooses = seed % 3 == 0 and not self.holds

    def program(self):
        start = ["m0 = x.clone()", "v0 = x[0].clone()", "s0 = x.sum()", "i0 = int(k)", "l0 = [x[0].clone(), x[-1] * 2]",
                 'd0 = {"a": x[0].clone(), "b": x.sum(0)}']
        names = {"m": ["m0", "x"], "v": ["v0"], "s": ["s0"], "i": ["i0"], "l": ["l0"], "d": ["d0"]}
        if self.holds:
            start.append("n0 = [l0, [x[0] * 3]]")
        if self.keeps:
            names["v"] += KEPT["v"] * 2
            names["l"] += KEPT["l"]
        if self.made_class:
            start += [f"o0 = {self.made_class}(x[0].clone(), i0)", f"q0 = [o0, {self.made_class}(x[-1] * 3, 1)]"]
            names["o"], names["q"] = ["o0"], ["q0"]
        if self.unsets:
            start += ["w0: Optional[Tensor] = None", "w1: Optional[Tensor] = None", "w2: Optional[Tensor] = x[0].clone()",
                      "u0: List[Optional[Tensor]] = [None, x[-1] * 2]", "u1: List[Optional[Tensor]] = [None, None, None]"]
            names["w"], names["u"] = ["w0", "w1", "w2"], ["u0", "u1"]
        if self.mixes:
            start.append("f0 = [x[0] * 2]")
            names["f"] = ["f0"]
        body = self.block(names, self.random.randint(2, 4) if self.holds else self.random.randint(4, 9), 0, False)
        results = tuple(self.random.choice(names[kind]) for kind in "mvsi")
        held = ("torch.stack(n0[0])", "torch.stack(n0[1])", *(name for name in names["v"] if name not in results))
        kept = (*KEPT["v"], *(f"torch.stack({l})" for l in KEPT["l"]), "self.kt[0]")
        objects = ("o0.v", "o0.i", "torch.stack([o.v for o in q0])", "sum([o.i for o in q0])")
        optionals = ("x[0] if w0 is None else w0 + 1", "x[0] if w1 is None else w1 + 2", "w2 is None", "shown(u0, x[0])", "shown(u1, x[-1])")
        mixed = ("f0[-1].dim() * 100 + f0[0].dim() * 10 + len(f0)", "f0[-1].numel()", "sum([e.numel() for e in f0])")
        return Block(start + body.items), (results + held * self.holds + kept * self.keeps + objects * bool(self.made_class) +
                                           optionals * self.unsets + mixed * self.mixes)

    def fresh(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def pick(self, options):
        return self.random.choice(options)

    def block(self, names, length, depth, in_loop):
        names = {kind: list(known) for kind, known in names.items()} if depth else names
        items = []
        for _ in range(length):
            made = self.statement(names, depth, in_loop)
            items += made if isinstance(made, list) else [made]
        return Block(items)

    def statement(self, names, depth, in_loop):
        makers = [self.assign] * 8 + [self.write] * 5 + [self.change_list] * (3 if depth == 0 else 1) + [self.change_dict] * 2 + [self.view]
        if self.chooses:
            makers += [self.choose] * 5 + [self.known] * 2 + [self.write_held] * 2
        if self.holds:
            makers = [self.assign, self.write] + [self.hold] * 8 + [self.write_held] * 2 + [self.loop] * (4 if depth == 0 else 0)
        if self.made_class:
            makers += [self.object_made] * 8 + [self.object_used] * 8
        if self.unsets:
            makers += [self.unset] * 10 + [self.unset_read] * 8
        if self.mixes:
            makers += [self.mix] * 10 + [self.mix_read] * 8
        if depth < (2 if self.holds else 3):
            makers += [self.branch] * 3 + [self.loop] * (0 if self.holds else 3)
        if in_loop:
            makers += [self.leave]
        return self.pick(makers)(names, depth, in_loop)

    def matrix(self, names):
        m, other, v, n = self.pick(names["m"]), self.pick(names["m"]), self.pick(names["v"]), self.random.randint(-2, 3)
        return self.pick([f"{m} + {other}", f"{m} * {n}", f"{m} - {v}", f"{m}.flip(0)", f"torch.relu({m}) + {n}",
                          f"torch.where({m} > {other}, {m}, {v})", f"torch.cat([{m}[1:], {other}[:1]])", f"{m}.clone()",
                          f"{m}[torch.arange({m}.size(0)) // 2]", f"torch.maximum({m}, {v}).t().reshape(4, -1).t()"])

    def vector(self, names):
        m, v, l, n = self.pick(names["m"]), self.pick(names["v"]), self.pick(names["l"]), self.random.randint(-2, 3)
        i = self.pick(names["i"])
        return self.pick([f"{m}[{self.pick(['0', '-1', f'{i} % {m}.size(0)'])}] * {n}", f"{m}.sum(0)", f"{v} + {n}", f"{v}.roll(1)",
                          f"torch.stack({l}).sum(0)", f"{l}[-1] + {n}", f"{l}[{i} % len({l})] * 2", f'{self.pick(names["d"])}["{self.pick("ab")}"] - {v}',
                          f"{m}.max(0)[0]"])

    def scalar(self, names):
        m, v, s = self.pick(names["m"]), self.pick(names["v"]), self.pick(names["s"])
        return self.pick([f"{m}.sum()", f"{v}.max()", f"{s} + {v}[1]", f"{m}[0, 2] - {s}", f"torch.tensor(float({self.number(names)}))"])

    def number(self, names):
        i, m, l, n = self.pick(names["i"]), self.pick(names["m"]), self.pick(names["l"]), self.random.randint(1, 4)
        return self.pick([f"{i} + {n}", f"{m}.size(0)", f"len({l})", f"{i} * 2 % 5", f"max({i}, {n}) // 2", f"int({self.pick(names['s'])} > 0)",
                          f"{i} - {m}.size(0)", f"abs({i} - {n})"])

    def assign(self, names, depth, in_loop):
        kind = self.pick("mmvvsi")
        value = {"m": self.matrix, "v": self.vector, "s": self.scalar, "i": self.number}[kind](names)
        if kind in "mvs":
            value = f"({value}).clamp(-99, 99)"
        elif kind == "i":
            value = f"({value}) % 7"
        known = [name for name in names[kind] if name != "x" and name[0] == kind]
        if self.random.random() < 0.6:
            return f"{self.pick(known)} = {value}"
        name = self.fresh(kind)
        names[kind].append(name)
        return f"{name} = {value}"

    def view(self, names, depth, in_loop):
        """A name for a part of a matrix, through which it is written later."""
        m, i = self.pick(names["m"]), self.pick(names["i"])
        name = self.fresh("v")
        names["v"].append(name)
        return f"{name} = {m}[{self.pick(['0', '-1', f'{i} % {m}.size(0)'])}]"

    def write(self, names, depth, in_loop):
        m, v, s = self.pick(names["m"]), self.pick(names["v"]), self.pick(names["s"])
        i, n = self.pick(names["i"]), self.random.randint(-2, 3)
        row = self.pick(["0", "-1", f"{i} % {m}.size(0)"])
        return self.pick([f"{m}.add_({n}).clamp_(-99, 99)", f"{m}[{row}] = {v}.clone()", f"{m}[:, {self.random.randint(0, 3)}] = {n}",
                          f"{v}.mul_({n}).clamp_(-99, 99)", f"{m}[{m} > {n}] = {n - 1}", f"{m}[{row}, 1:3] += {n}", f"{v}[{self.random.randint(0, 3)}] = {n}",
                          f"{m}[1:] -= {n}", f"{v}.copy_({self.pick(names['m'])}[0].clone())", f"{m}[{row}].fill_({n})", f"{m}[:, 1:].zero_()"])

    def change_list(self, names, depth, in_loop):
        l, i = self.pick(names["l"]), self.pick(names["i"])
        value = f"({self.vector(names)}).clamp(-99, 99)"
        return self.pick([f"{l}.append({value})", f"{l}[0] = {value}", f"{l}.insert({self.pick(['0', '1', '-1'])}, {value})", f"{l} = {l} + [{value}]",
                          f"{l} = {l}[:3]", f"{l}.reverse()", f"{l} = [e * 2 for e in {l}[-2:]]", f"{l}[{i} % len({l})] = {value}",
                          [(f"if len({l}) > 1:", Block([f"{l}.pop({self.pick(['', '0'])})"]))]])

    def change_dict(self, names, depth, in_loop):
        d, value = self.pick(names["d"]), f"({self.vector(names)}).clamp(-99, 99)"
        if self.chooses and self.random.random() < 0.3:
            return f'{d}["a" if {self.condition(names)} else "b"] = {value}'
        return f'{d}["{self.pick("ab")}"] = {value}'

    def choose(self, names, depth, in_loop):
        """A name for one of two values, or an alias of one."""
        kind = self.pick("mvvvld")
        one, other = self.pick(names[kind]), self.pick(names[kind])
        v, w = self.pick(names["v"]), self.pick(names["v"])
        if kind == "l" and self.random.random() < 0.5:
            one, other = self.pick([f"[{v}]", f"[{v}, {w}]"]), self.pick([f"[{w}, {v}]", f"[{w}.clone()]"])
        elif kind == "d" and self.random.random() < 0.5:
            one = f'{{"a": {v}, "b": {w}}}'
        elif kind == "v" and self.random.random() < 0.3:
            one = f"{self.pick(names['m'])}[0]"
        value = one if self.random.random() < 0.3 else f"{one} if {self.condition(names)} else {other}"
        known = [name for name in names[kind] if name != "x" and name[0] == kind]
        name = self.pick(known) if self.random.random() < 0.3 else self.fresh(kind)
        if name not in names[kind]:
            names[kind].append(name)
        return f"{name} = {value}"

    def known(self, names, depth, in_loop):
        """A tensor of known content."""
        kind = self.pick("vvs")
        name = self.fresh(kind)
        names[kind].append(name)
        return f"{name} = " + (self.pick(["torch.zeros(4)", "torch.ones(4)"]) if kind == "v" else f"torch.tensor({self.random.randint(-1, 2)}.0)")

    def write_held(self, names, depth, in_loop):
        """A write to an item of a list or a dict."""
        l, d, i, n = self.pick(names["l"]), self.pick(names["d"]), self.pick(names["i"]), self.random.randint(-2, 3)
        return self.pick([f"{l}[0].add_({n}).clamp_(-99, 99)", f"{l}[{i} % len({l})].mul_({n}).clamp_(-99, 99)", f"{l}[-1][1] = {n}",
                          f'{d}["{self.pick("ab")}"].add_({n}).clamp_(-99, 99)', (f"for e in {l}[:2]:", Block([f"e[0] = {n}"]))])

    def hold(self, names, depth, in_loop):
        """Lists and dicts of tensors and lists that have other names too."""
        l, other, d, at = self.pick(names["l"]), self.pick(names["l"]), self.pick(names["d"]), self.random.randint(0, 1)
        v, w = self.pick(names["v"]), self.pick(names["v"])
        return self.pick([f"{l} = [{l}[0], {v}]", f"{l} = [{v}, {l}[-1], {l}[0]]", f"{l}.append({v})", f"{l}[{at - 1}] = {v}",
                          f"{l}.extend([{v}, {w}])", f"{l} = {l}[::-1]", f"{l} = {l} + {other}[-1:]", f"{l} = [e for e in {other}[:4]]",
                          f'{d}["a"] = {v}', f'{d} = {{"a": {d}["b"], "b": {v}}}', f"{v}, {w} = {w}, {v}", f"{v} = {l}[{at - 1}]", f"{l} = {other}",
                          f"n0[{at}] = {l}", f"n0 = [n0[1], {l}]", f"{l} = n0[{at}]", f"n0[{at}][0] = {v}", f"n0 = [n0[{at}], n0[1]]"])

    def object(self, names):
        o, q, i = self.pick(names["o"]), self.pick(names["q"]), self.pick(names["i"])
        return self.pick([o, o, f"{q}[0]", f"{q}[-1]", f"{q}[{i} % len({q})]"])

    def object_made(self, names, depth, in_loop):
        """An object, new or not, under a name or in a list."""
        q, i, v = self.pick(names["q"]), self.pick(names["i"]), f"({self.vector(names)}).clamp(-99, 99)"
        value = self.pick([f"{self.made_class}({v}, {self.number(names)})", f"{self.object(names)}.turned({v})", self.object(names)])
        if self.random.random() < 0.2:
            value = f"{value} if {self.condition(names)} else {self.object(names)}"
        name = self.pick(names["o"]) if self.random.random() < 0.5 else self.fresh("o")
        made = self.pick([f"{name} = {value}", f"{name} = {value}", f"{q}.append({value})", f"{q}[{i} % len({q})] = {value}", f"{q}[0] = {value}",
                          f"{q} = [{value}, {q}[-1]]", f"{q} = {q}[-2:]", f"{q}.insert(1, {value})"])
        if made.startswith(name) and name not in names["o"]:
            names["o"].append(name)
        return made

    def object_used(self, names, depth, in_loop):
        """Reads, writes to or, if the class is mutable, sets an attribute of an object."""
        o, q, i, v, n = self.object(names), self.pick(names["q"]), self.pick(names["i"]), self.pick(names["v"]), self.random.randint(-2, 3)
        made = [f"{v} = ({v} + {o}.v).clamp(-99, 99)", f"{o}.v.add_({n}).clamp_(-99, 99)", f"{o}.v[{self.random.randint(0, 3)}] = {n}",
                (f"for e in {q}[:3]:", Block(["s0 = (s0 + e.v.sum() * e.i).clamp(-99, 99)"]))]
        if self.made_class == "Cell":
            made += [f"{o}.see({v})", f"{o}.see({v}.clone())", f"{o}.i = {self.number(names)} % 5", f"{o}.v = ({self.vector(names)}).clamp(-99, 99)",
                     (f"if {o} is {self.object(names)}:", Block([f"s0 = (s0 + {n}).clamp(-99, 99)"])), (f"for e in {q}:", Block(["e.i += 1"])),
                     (f"for e in {q}:", Block([f"e.see({v})"]))]
        return self.pick(made)

    def unset(self, names, depth, in_loop):
        """A name or an item that becomes None, or stops being None."""
        w, other, u, i, v = self.pick(names["w"]), self.pick(names["w"]), self.pick(names["u"]), self.pick(names["i"]), self.pick(names["v"])
        value = self.pick(["None", other, other, f"({self.vector(names)}).clamp(-99, 99)", f"{v}.clone()", f"{u}[-1]"])
        if self.random.random() < 0.2:
            value = f"{value} if {self.condition(names)} else {other}"
        return self.pick([f"{w} = {value}", f"{w} = {value}", f"{w}, {other} = {other}, {w}", f"{u}.append({value})", f"{u}[0] = {value}",
                          f"{u}[-1] = {value}", f"{u}[{i} % len({u})] = {value}", f"{u}.insert({self.pick(['0', '1'])}, {value})", f"{u} = {u}[-3:]",
                          f"{u}.reverse()", f"{u} = {u}[1:] + {u}[:1]", f"{u}[0] = {u}[-1]", f"{u} = {self.pick(names['u'])}[:4]",
                          [(f"if len({u}) > 1:", Block([f"{w} = {u}.pop({self.pick(['', '0'])})"]))]])

    def unset_read(self, names, depth, in_loop):
        """Reads or writes to a value if it is not None."""
        u, i, v, n = self.pick(names["u"]), self.pick(names["i"]), self.pick(names["v"]), self.random.randint(-2, 3)
        e = self.fresh("w")
        there = self.pick([f"{v} = ({v} + {e}).clamp(-99, 99)", f"s0 = (s0 + {e}.sum()).clamp(-99, 99)", f"{e}.add_({n}).clamp_(-99, 99)",
                           f"m0[0] = {e}", f"{v} = {e}"])
        look = (f"if {e} is not None:", Block([there])), ("else:", Block([f"i0 = (i0 + {self.random.randint(1, 3)}) % 7"]))
        if self.random.random() < 0.25:
            return (f"for {e} in {u}:", Block(look))
        return [f"{e} = {self.pick([self.pick(names['w']), f'{u}[0]', f'{u}[-1]', f'{u}[{i} % len({u})]'])}", *look]

    def mix(self, names, depth, in_loop):
        """Changes a list of tensors of any rank and sizes."""
        f, m, i, n = self.pick(names["f"]), self.pick(names["m"]), self.pick(names["i"]), self.random.randint(-2, 3)
        item = self.pick([f"{m} + {n}", f"{m}[:1] * {n}", f"{m}[:, :2] + {n}", f"{self.pick(names['v'])} + {n}", f"{m}.sum().clamp(-99, 99)",
                          f"{self.pick(names['v'])}[1:] * {n}", f"{f}[-1] * 1", f"torch.cat([{m}, {m}])"])
        return self.pick([f"{f}.append({item})", f"{f}.append({item})", f"{f}.insert({self.pick(['0', '1', '-1'])}, {item})", f"{f} = {f} + [{item}]",
                          f"{f} = [{item}] + {f}", f"{f} = {f}[{self.pick([':3', '-2:', '::-1', f'{i} % len({f}):'])}]", f"{f}.reverse()",
                          f"{f}[{self.pick(['0', '-1', f'{i} % len({f})'])}] = {item}", f"{f} = [e * 1 for e in {f}[:4]]", f"{f}.extend([{item}])",
                          [(f"if len({f}) > 1:", Block([f"{f}.pop({self.pick(['', '0'])})"]))]])

    def mix_read(self, names, depth, in_loop):
        """Reads the rank or the sizes of an item, or the item."""
        f, i, n = self.pick(names["f"]), self.pick(names["i"]), self.random.randint(0, 3)
        item = f"{f}[{self.pick(['0', '-1', '-1', f'{i} % len({f})'])}]"
        return self.pick([f"i0 = (i0 + {item}.dim()) % 7", f"i0 = (i0 + {item}.numel()) % 7", f"s0 = (s0 + {item}.sum()).clamp(-99, 99)",
                          f"i0 = (i0 + {item}.size(-1) if {item}.dim() > 0 else {n}) % 7", f"s0 = (s0 + {item}.reshape(-1)[-1]).clamp(-99, 99)",
                          (f"if {item}.dim() > {n}:", Block([f"i0 = (i0 + {n}) % 7"])), (f"for e in {f}:", Block(["i0 = (i0 * 2 + e.dim()) % 7"])),
                          (f"if {item}.numel() > {n + 2}:", Block([f"{f}.append({item} * 1)"])), (f"for e in {f}[:3]:", Block(["s0 = (s0 + e.sum()).clamp(-99, 99)"]))])

    def condition(self, names):
        s, i, m, n = self.pick(names["s"]), self.pick(names["i"]), self.pick(names["m"]), self.random.randint(-2, 4)
        conditions = [f"bool({s} > {n})", f"{i} > {n}", f"{m}.size(0) > {n}", f"{i} % 2 == 0", f"bool(({m} > {n}).any())"]
        if self.chooses:
            v, l, d = self.pick(names["v"]), self.pick(names["l"]), self.pick(names["d"])
            conditions += [f"bool({v}[{self.random.randint(0, 3)}] == {n})"] * 2 + [f"bool({l}[0][1] > {n})", f'bool({d}["a"][0] == {n})']
        return self.pick(conditions)

    def branch(self, names, depth, in_loop):
        items = [(f"if {self.condition(names)}:", self.block(names, self.random.randint(1, 3), depth + 1, in_loop))]
        if self.random.random() < 0.6:
            items.append(("else:", self.block(names, self.random.randint(1, 3), depth + 1, in_loop)))
        return items

    def loop(self, names, depth, in_loop):
        i, m, l = self.pick(names["i"]), self.pick(names["m"]), self.pick(names["l"])
        inner = {kind: list(known) for kind, known in names.items()}
        j = self.fresh("i")
        if self.random.random() < 0.25:
            e = self.fresh("v")
            body = self.block(inner, self.random.randint(1, 2), depth + 1, True)
            target = self.pick([name for name in names["v"]])
            return (f"for {e} in {l}[:3]:", Block([f"{target} = ({target} + {e}).clamp(-99, 99)"] + body.items))
        head = self.pick([f"for {j} in range({i} % 4):", f"for {j} in range({self.random.randint(0, 3)}):", f"for {j} in range({m}.size(0)):"])
        inner["i"].append(j)
        return (head, self.block(inner, self.random.randint(1, 3), depth + 1, True))

    def leave(self, names, depth, in_loop):
        return (f"if {self.condition(names)}:", Block([self.pick(["break", "continue"])]))


def source_of(block, results):
    """The text of the method."""
    last = f"    return {', '.join(results)}, torch.stack(l0), d0[\"a\"] + d0[\"b\"], x"
    return "\n".join(["def forward(self, x: Tensor, k: Tensor):", *block.lines(1), last]) + "\n"
