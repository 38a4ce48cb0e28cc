"""Dynamic strings: names of states, keys of dicts, items of a list."""
import enum
from typing import Dict, List, Tuple

import torch
from torch import Tensor

from case import Family, fill, number, tensor

family = Family("texts", opset=11)
X = [(fill(4, 5), number(2)), (fill(1, 5), number(0)), (fill(9, 5), number(1))]


@family.on(*X)
def state_of_machine(x, k: int):
    state = "idle"
    y = x
    for i in range(x.size(0)):
        if state == "idle":
            if float(x[i, 0]) > 0:
                state = "run"
        elif state == "run":
            y = y + 1
            if float(x[i, 1]) < 0:
                state = "stop"
        else:
            break
    return y, state == "stop", state != "idle", len(state)


@family.on(*X)
def word_picked(x, k: int):
    words = ["relu", "tanh", "none"]
    results = {"relu": x.relu(), "tanh": x.tanh(), "none": x}
    word = words[k]
    return results[word], word in ["relu", "none"], word in results, len(word), word != "tanh"


@family.on((fill(4, 5), number(-1)), (fill(1, 5), number(-3)), (fill(9, 5), number(1)))
def word_picked_from_the_end(x, k: int):
    words = ["relu", "tanh", "none"]
    word = words[k]
    if word == "relu":
        return x.relu()
    if word == "tanh":
        return x.tanh()
    return x


@family.on(*X)
def key_from_branches(x, k: int):
    if k > 1:
        key = "twice"
    elif k == 1:
        key = "once"
    else:
        key = "minus"
    factors = {"twice": 2.0, "once": 1.0, "minus": -1.0}
    return x * factors[key], key == "once"


@family.on(*X)
def lists_by_key(x, k: int):
    lists: Dict[str, List[int]] = {"first": [1, 2], "second": [3, 4]}
    key = "first" if k > 0 else "second"
    total = 0
    for v in lists[key]:
        total += v
    return x + total


@family.on(*X)
def raised_with_a_word(x, k: int):
    word = "low"
    for i in range(x.size(0)):
        if float(x[i].sum()) > 2:
            word = "high"
    if word == "neither":
        raise RuntimeError("a sum that is " + word)
    return x * 2 if word == "high" else x * 3


@family.on(*X)
def next_word_by_dict(x, k: int):
    following = {"green": "yellow", "yellow": "red", "red": "green"}
    light = "green"
    total = torch.zeros(5)
    for i in range(x.size(0)):
        light = following[light]
        if light == "red":
            total = total + x[i]
    return total, light == "green"


@family.on(*X)
def counted_by_word(x, k: int):
    counts: Dict[str, int] = {"up": 0, "down": 0}
    for i in range(x.size(0)):
        counts["up" if float(x[i, 1]) > 0 else "down"] += 1
    return counts["up"], counts["down"]


@family.on(*X)
def summed_by_word(x, k: int):
    sums = {"first": torch.zeros(5), "second": torch.zeros(5), "third": x[0]}
    words = ["third", "first", "second"]
    for i in range(x.size(0)):
        word = words[i % 3]
        sums[word] = sums[word] + x[i]
    return sums["first"], sums["second"], sums["third"], len(sums)


@family.on(*X)
def turns_in_each_state(x, k: int):
    turns = {"idle": 0, "run": 0, "stop": 0}
    state = "idle"
    for i in range(x.size(0)):
        turns[state] = turns[state] + 1
        if state == "idle" and float(x[i, 0]) > 0:
            state = "run"
        elif state == "run" and float(x[i, 1]) < 0:
            state = "stop"
    return turns["idle"], turns["run"], turns["stop"]


@family.on(*X)
def entry_read_before_it_is_set(x, k: int):
    rows = {"first": x[0], "second": x[0] * 2}
    word = "first" if float(x[0, 0]) > 0 else "second"
    before = rows[word]
    rows[word] = x[-1]
    return before, rows["first"], rows["second"], rows[word]


class Colour(enum.Enum):
    RED = 3
    BLUE = 7


class Word(enum.Enum):
    SHORT = "aa"
    LONG = "bbbb"


ROWS = [(fill(4, 6),), (fill(9, 6, low=1),), (fill(2, 6, high=-1),)]


@family.on(*ROWS)
def member_of_the_turn(x):
    m = Colour.RED
    for i in range(x.size(0)):
        if bool(x[i, 0] > 0):
            m = Colour.BLUE
        elif m == Colour.BLUE:
            m = Colour.RED
    return x * m.value, m == Colour.RED, m != Colour.BLUE


@family.on(*ROWS)
def name_of_a_member(x):
    m = Word.SHORT
    if bool(x.sum() > 0):
        m = Word.LONG
    k = 0
    if m.name == "SHORT":
        k = 5
    if m.value == "bbbb":
        k += len(m.value)
    return x + k


@family.on(*ROWS)
def members_of_all(x):
    members = [Colour.BLUE, Colour.RED]
    m = members[x.size(0) % 2]
    total = len(members)
    for member in Colour:
        if member == m:
            total += member.value
        if m != Colour.RED:
            total *= 2
    return x + total


ROWS = [(tensor(values=v),) for v in ([[1.0, 2.0], [5.0, 6.0]], [[-1.0, 3.0], [2.0, 4.0], [3.0, 3.0]],
                                      [[9.0, 0.0], [-2.0, 1.0], [-1.0, 5.0], [2.0, 2.0]], [[1.0, 1.0]])]


@family.on(*ROWS)
def a_list_of_labels(x):
    labels: List[str] = []
    for i in range(x.size(0)):
        v = x[i, 0]
        if bool(v > 4):
            labels.append("big")
        elif bool(v > 0):
            labels.append("positive")
        else:
            labels.append("negative")
    total = 0
    for label in labels:
        total += 1 if label == "positive" else 0
        total += len(label) * 10
    return total, len(labels), "big" in labels, labels.count("positive"), "other" in labels


@family.on(*ROWS)
def a_list_of_words_is_compared_and_cut(x):
    words = ["start"]
    for i in range(x.size(0)):
        words.append("p" if bool(x[i, 0] > 0) else "n")
    words.append("end")
    inner = words[1:-1] + ["z"] + words[:1]
    return words.index("end"), words[-2] == "n", words[x.size(0)] == words[1], words == ["start", "p", "end"], inner[-1] == words[0]


@family.on(*ROWS)
def a_stack_of_words(x):
    stack: List[str] = []
    balanced = True
    for i in range(x.size(0)):
        if bool(x[i, 0] > 0):
            stack.append("(")
        elif len(stack) == 0:
            balanced = False
        else:
            stack.pop()
    while len(stack) > 0 and stack[-1] == "(":
        stack.pop()
    return balanced, len(stack)


@family.on(*ROWS)
def names_with_tensors(x):
    pairs: List[Tuple[str, Tensor]] = []
    for i in range(x.size(0)):
        pairs.append(("a" if bool(x[i, 1] > 2) else "b", x[i]))
    total = x.new_zeros(2)
    for name, row in pairs:
        total = total + row if name == "a" else total - row * 2
    return total


@family.on(*ROWS)
def lists_of_words_in_a_list(x):
    lists: List[List[str]] = []
    for i in range(x.size(0)):
        if bool(x[i, 0] > 0):
            lists.append(["a", "b"])
        else:
            lists.append(["c"])
    total = 0
    for words in lists:
        for word in words:
            total = total * 2 + (1 if word == "b" else 0)
        total += len(words)
    return total, len(lists)


@family.on(*ROWS)
def words_put_together(x):
    word = "x" if bool(x[0, 0] > 0) else "yy"
    tables = {"x_w": 1, "yy_w": 2}
    joined = ",".join([word, "b"])
    return tables[word + "_w"], len(joined), joined == "x,b", word.upper() == "YY", "-" + word in ["-x"]


@family.on(*ROWS)
def words_in_order(x):
    word = "x" if bool(x[0, 0] > 0) else "b"
    other = "k" if bool(x[0, 1] > 0) else "z"
    ordered = sorted(["m", word])
    return word < other, word > "c", word <= other, ordered[0] == "b", ordered[1] == "m"


@family.on(*ROWS)
def words_of_turns(x):
    word = "a"
    total = 0
    for i in range(x.size(0)):
        if word.startswith("a") or word[0] == "c":
            total += 1
        word = "b.d" if bool(x[i, 0] > 0) else "c.e" if i > 1 else "a"
        total = total * 2 + len(word.split("."))
    return total


NUMBERS = [(fill(2, 3), number(3)), (fill(2, 3), number(0)), (fill(2, 3), number(-12)), (fill(2, 3), number(12))]


@family.on(*NUMBERS)
def numbers_written_out(x, n: int):
    if str(n) == "3":
        x = x + 1
    if f"v{n}" in ["v0", "v-12", "v03"]:
        x = x * 2
    if "step %d of %s" % (n, "all") != "step 12 of all":
        x = x - 5
    if "%d%%" % n == "12%" or "v3" in [f"v{n}", "v4"] or "v3" in [f"w{n}", "v3"]:
        x = x * 3
    return x, int(str(n * 2)), "{}:{}".format(n, n + 1) == "0:1", str(n) == "three", str(n * n) + "!" == str(n * 3) + "!"


@family.on(*NUMBERS)
def an_entry_by_a_number_written_out(x, n: int):
    rows = {"k0": x, "k3": x + 1, "k12": x * 2, "k-12": x * 3}
    return rows["k" + str(n)], f"k{n + 1}" in rows


WRITTEN = [(fill(4, 3), number(3)), (fill(6, 3), number(12)), (fill(5, 3), number(1)), (fill(7, 3), number(2))]


@family.on(*WRITTEN, opset=13)
def entries_by_written_numbers(x, n: int):
    d: Dict[str, Tensor] = {"k0": x * 5, "other": x, "k01": x * 2}
    for i in range(n):
        d[f"k{i}"] = x + i
    for key in d:
        if key == "k1":
            x = x + 100
    return d["k0"], d["k" + str(n - 1)], d["k01"], "k11" in d, len(d), x


@family.on(*WRITTEN, opset=13)
def entries_of_several_classes(x, n: int):
    d: Dict[str, Tensor] = {}
    for i in range(n):
        d[f"w{i - 1}"] = x + i
        d["b%d" % i] = x * i
        d[f"w{i}.x"] = x * i - 3
        if i > 1:
            d.pop(f"w{i - 2}")
    total = x * 0
    for value in d.values():
        total = total * 2 + value
    return total, "w-1" in d, "w0" in d, "w0.x" in d, "b11" in d, len(d)


@family.on(*WRITTEN, opset=13)
def counts_by_written_numbers(x, n: int):
    d: Dict[str, int] = {}
    names: List[str] = []
    last = "none"
    for i in range(n):
        key = f"mod{i % 3}"
        d[key] = d.get(key, 0) + 1
        names.append("n" + str(i * i % 5))
        if i % 2 == 1:
            last = names[i]
    return d.get("mod0", -5), d.get("mod2", 100), len(d), names.count("n1"), "n4" in names, last == "n4", last == "none"


@family.on(*WRITTEN, opset=13)
def caches_of_layers(x, n: int):
    cache: Dict[str, Tensor] = {}
    for step in range(n):
        for layer in range(2):
            key = "layer" + str(layer)
            row = x[layer:layer + 1] + step
            cache[key] = torch.cat([cache[key], row]) if key in cache else row
    return cache["layer0"], cache["layer1"]


@family.on(*WRITTEN)
def parts_of_words(x, n: int):
    word = "abc"
    if n > 2:
        word = "cab"
    found = 0
    if "ca" in word:
        found += 1
    if word.find("c") == 0:
        found += 10
    if word.startswith("ab") and not word.endswith("b"):
        found += 100
    return x + found, len(word.replace("a", "xx"))
