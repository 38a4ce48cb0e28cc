"""Features of docs/features.md: dtypes, indices, writes, lists, dicts and strings of scripts: value_features_test.py TONNX SAMPLES"""

import feature
import tool

HEAD = "from typing import Dict, List, Optional, Tuple\n"


class ValueFeatures(feature.FeatureTest):
    def agrees(self, arguments, body, *flags, head=HEAD):
        """Exports the method and compares its model with LibTorch. Returns the warnings."""
        return self.call(0, arguments, body, "--verify", *flags, head=head)

    def test_F121_F123_explicit_dtypes_and_floats(self):
        self.agrees("x=float32[2,3] k=int64[2]", "return torch.full([2], 3, dtype=torch.float64), torch.zeros(2, dtype=torch.int32), "
                    "torch.tensor([1.5], dtype=torch.float16), x * 0.1, k * 0.5, torch.sum(x, dtype=torch.float64)")
        self.assertEqual(list(self.model()["dtypes"].values())[2:], ["DOUBLE", "INT32", "FLOAT16", "FLOAT", "FLOAT", "DOUBLE"])

    def test_F122_integer_division(self):
        body = ("return k // 3, k / 3, k % 3, torch.div(k, 3, rounding_mode='trunc'), torch.div(k, -3, rounding_mode='floor'), "
                "torch.fmod(k, 3), torch.remainder(k, -3), x // 0.7, x % 0.7, k * (x.size(0) // 2), k * (-x.size(1) // 2)")
        for opset in ("9", "11", "17"):
            self.agrees("k=int64[9] x=float32[5,3]", body, "--opset", opset, "--dynamic", "x:0=n,x:1=m", "--verify-sizes", "n=8,m=5")

    def test_F124_constants_below_opset_9(self):
        for opset in ("7", "8"):
            self.agrees("x=float32[2,3] k=int64[2]", "return x + 2, k + 3, x.reshape(3, 2), torch.cat([k, torch.tensor([4, 5])])", "--opset", opset)

    def test_F129_F134_negative_index_tensors(self):
        head = HEAD + "def rows():\n    return torch.tensor([-1, 0, -2])\n"
        self.agrees("x=float32[3,4,5]", "i = torch.tensor([[-1, 0], [1, -2]])\ny = x.clone()\ny[torch.tensor([-1, 0])] = 7.0\n"
                    "y[:, torch.tensor([-2])] += 1\nreturn x[torch.tensor([-1, 0, -2])], x[i], x[:, i, -1], y",
                    "--dynamic", "x:0=n", "--verify-sizes", "n=6", head=head)

    def test_F135_F136_writes_broadcast(self):
        self.agrees("x=float32[3,4,5] v=float32[5] m=float32[2,5]",
                    "a = x.clone()\na[torch.tensor([[0, 2], [1, 1]]), 1:3] = v\nb = x.clone()\nb[1] = v\nc = x.clone()\n"
                    "c[torch.tensor([0, 2]), torch.tensor([1, 3])] = m\nd = x.clone()\nd[1:, 0, ::2] = 3.0\ne = x.clone()\n"
                    "e[x > 0] = -1.0\nreturn a, b, c, d, e")

    def test_F137_F138_in_place_operators(self):
        self.agrees("x=float32[3,4]", "y = x * 2\nrow = y[1]\ny.relu_()\nrow.add_(1)\ny[:, 2:].fill_(5)\nflat = y.view(-1)\nflat[0] = 9.0\n"
                    "part = y.t()[3]\npart.zero_()\ny[2].copy_(x[0])\nreturn y, row, flat, part")
        err = self.call(0, "x=float32[2,3]", "x.mul_(2)\nreturn x + 1", "--verify", "--written-outputs")
        self.assertEqual(list(self.model()["outputs"]), ["output_0", "x_written"], err)

    def test_F139_writes_in_loops_and_branches(self):
        self.agrees("x=float32[3,4] n=3", "y = torch.zeros_like(x)\nfor i in range(n):\n    y[i % 3] += x[0] * i\n"
                    "    if bool(y.sum() > 2):\n        y.mul_(0.5)\n    else:\n        y[:, 0] = 1\nreturn y")

    def test_F145_F300_list_methods(self):
        known = ("a = [x, x + 1, x + 2]\na.append(x * 3)\na.insert(1, x * 4)\nb = a.pop(0)\ndel a[0]\na[0] = x * 5\nc = a.copy()\n"
                 "a.extend([x * 6])\na.reverse()\nlength = len(a)\nd = a[1:] + c\ne = [item * 2 for item in d]\nc.clear()\n"
                 "return b, torch.stack(a), torch.stack(d), torch.stack(e), length, len(c)")
        self.agrees("x=float32[2]", known)
        run = ("a: List[torch.Tensor] = []\nfor i in range(n):\n    a.append(x * i)\na.insert(1, x)\nb = a.pop()\na.extend([x * 7, b])\n"
               "a.reverse()\nc = a.copy()\ndel c[0]\nc[0] = x * 9\nreturn torch.stack(a), torch.stack(c[1:]), torch.stack(a + c), len(a), b")
        self.agrees("x=float32[2] n=4", run)
        self.agrees("x=float32[2] n=1", run)
        self.agrees("x=float32[2] n=3", "a = [3, n, 2]\na.sort()\nb = sorted([n, 1, 5])\nreturn x * a[1], x * b[2], max(a), sum(b), n in a")

    def test_F146_F301_lists_of_tuples(self):
        self.agrees("x=float32[2] n=3", "pairs: List[Tuple[torch.Tensor, int]] = []\nfor i in range(n):\n    pairs.append((x * i, i))\n"
                    "pairs.reverse()\ntotal = x * 0\nfor value, k in pairs:\n    total = total * 2 + value * k\nreturn total, pairs[0][0], len(pairs)")
        self.agrees("x=float32[2]", "pairs = [(x, 1)]\npairs.append((x + 1, 2))\nreturn pairs")

    def test_F147_nested_lists(self):
        self.agrees("x=float32[2]", "return [[x, x + 1], [x * 2, x * 3]], x")
        self.assertEqual(len(self.model()["outputs"]), 5)
        self.agrees("x=float32[2] n=3", "rows: List[List[torch.Tensor]] = []\nfor i in range(2):\n    rows.append([x * i, x + n])\nreturn torch.stack(rows[1])")

    def test_F148_empty_lists_keep_their_type(self):
        self.agrees("x=float32[2] n=0", "a: List[torch.Tensor] = []\nk: List[int] = []\nfor i in range(n):\n    a.append(x)\n    k.append(i)\nreturn a, len(k)")
        self.assertEqual(self.model()["dtypes"]["output_0"], "seq FLOAT")

    def test_F94_F148_lists_are_one_sequence_if_asked(self):
        for opset in ("11", "13", "17"):
            self.agrees("x=float32[2,3]", "return [x + 1, x.sum(0)]", "--sequence-outputs", "--opset", opset)
            self.assertEqual(self.model()["dtypes"], {"x": "FLOAT", "output": "seq FLOAT"})
            self.agrees("x=float32[2,3]", "a: List[torch.Tensor] = []\nreturn a, {'b': [x, x]}, x.unbind(0), [1, 2]", "--sequence-outputs", "--opset", opset)
            self.assertEqual({name: kind for name, kind in self.model()["dtypes"].items() if name != "x"},
                             {"output_0": "seq FLOAT", "b": "seq FLOAT", "output_2": "seq FLOAT", "output_3": "INT64"})
        self.agrees("x=float32[2]", "a: List[torch.Tensor] = []\nreturn a", "--sequence-outputs")
        self.agrees("x=float32[2]", "return [[x, x + 1], [x * 2]], x", "--sequence-outputs")
        self.assertEqual(len(self.model()["outputs"]), 3)
        self.agrees("x=float32[2]", "return [torch.complex(x, x), torch.complex(x, -x)]", "--sequence-outputs")
        self.assertIn("opset 11", self.call(1, "x=float32[2]", "return [x, x + 1]", "--sequence-outputs", "--opset", "10"))
        self.assertIn("dequantise them", self.call(
            1, "x=float32[2]", "q = torch.quantize_per_tensor(x, 0.1, 3, 13)\nreturn [q, q]", "--sequence-outputs"))
        self.assertIn("float32 and int64", self.call(1, "x=float32[2]", "return [x, x.long()]", "--sequence-outputs"))
        self.assertIn("empty list is left out", self.call(0, "x=float32[2]", "a: List[torch.Tensor] = []\nreturn a, x + 1"))

    def test_F89_F94_lists_that_may_be_None(self):
        head = HEAD + "def some(x, n: int, known: bool):\n    r: Optional[List[torch.Tensor]] = None\n    if bool(x.sum() > 0):\n        q = [x, x + 1]\n        for i in range(0 if known else n):\n            q.append(x + i)\n        r = q\n    return r\n"
        for value in ("torch.ones(2)", "-torch.ones(2)"):
            for body, flags in (("False", ()), ("True", ("--sequence-outputs",)), ("False", ("--sequence-outputs", "--opset", "16"))):
                self.program("from torch import Tensor\n" + head.split("\n", 1)[1] + f"\ndef function(x, n: int):\n    return x * 2, some(x, n, {body})\n", f"({value}, 3)", "--verify", *flags)
                self.assertEqual(list(self.model()["outputs"]), ["output_0", "output_1"])
        self.assertIn("opset 16", self.export(1, "--opset", "15", archive=self.folder / "net.pt", args=self.folder / "net.args")[1])

    def test_F94_only_lists_of_exported_programs_are_a_warning(self):
        for result, form, warns in (("[x, x + 1]", "pt2", True), ("(x, x + 1)", "pt2", False), ("x + 1", "trace", False), ("[x, x + 1]", "trace", False)):
            text = f"class Net(nn.Module):\n    def forward(self, x):\n        return {result}\n"
            err = self.program(text, "(torch.ones(2),)", "--sequence-outputs", form=form)
            self.assertEqual("sequence_outputs" in err, warns, (result, form, err))

    def test_F94_lists_of_branches_and_loops_are_one_sequence(self):
        for n in "0", "1", "3":
            self.agrees(f"x=float32[2] n={n}", "a = [x, x + n]\nif n > 1:\n    a = [x * 2, x]\nb = [x]\nfor i in range(n):\n    b.append(x + i)\n"
                        "c = [x]\nfor i in range(2):\n    c.append(x * i)\nreturn a, b, c, a", "--sequence-outputs")
            self.assertEqual(len(self.model()["outputs"]), 4)

    def test_F95_F299_a_returned_dict_with_keys_of_run_time(self):
        loop = "d: Dict[int, torch.Tensor] = {}\nfor i in range(k.size(0)):\n    d[int(k[i])] = x * i\n"
        for size in 1, 3:
            self.agrees(f"x=float32[2] k=int64[{size}]", loop + "return x + 1, d", "--dynamic", "k:0=n", "--verify-sizes", "n=4")
            self.assertEqual(self.model()["dtypes"], {"x": "FLOAT", "k": "INT64", "output_0": "FLOAT", "output_1": "seq FLOAT", "keys": "INT64"})
        self.agrees("x=float32[2] k=int64[3]", loop + "return ((d, x), d)", "--dynamic", "k:0=n")
        self.agrees("x=float32[2] k=int64[3]", loop + "e: Dict[float, torch.Tensor] = {0.5: x}\ne[float(k[0])] = x * 2\nreturn e, d", "--dynamic", "k:0=n")
        self.agrees("x=float32[2] k=int64[3]", loop + "if 2 in d:\n    d.pop(2)\nreturn d", "--dynamic", "k:0=n")
        for form, value in (("int", "i * 2"), ("float", "i * 0.5"), ("bool", "i > 1")):
            numbers = f"e: Dict[int, {form}] = {{7: {value.replace('i', '3')}}}\nfor i in range(k.size(0)):\n    e[int(k[i])] = {value}\n"
            self.agrees("x=float32[2] k=int64[3]", numbers + loop + "return e, x, d", "--dynamic", "k:0=n", "--verify-sizes", "n=5")
            self.assertEqual(len(self.model()["outputs"]), 5)
        self.assertIn("keys are not known", self.call(1, "x=float32[2] k=int64[3]", "d: Dict[str, torch.Tensor] = {}\nfor i in range(k.size(0)):\n"
                                                      "    d[str(int(k[i]))] = x * i\nreturn d", "--dynamic", "k:0=n", head=HEAD))

    def test_F299_keys_of_a_returned_dict_that_may_be_equal(self):
        self.assertIn("dict", self.call(1, "x=float32[2] n=3", "return {n: x, 2: x + 1}"))
        self.agrees("x=float32[2]", "return {2: x, 1: x * 2, 2: x + 1}")
        self.assertEqual(len(self.model()["outputs"]), 2)

    def test_F299_dicts(self):
        self.agrees("x=float32[2] n=3", "d = {'a': x, 'b': x + 1}\nd['c'] = x * n\ntotal = x * 0\nfor key, value in d.items():\n"
                    "    total = total * 2 + value\nif 'b' in d:\n    total = total + d.pop('b')\ne = {1: x, 3: x * 2}\ne[n] = x * 3\n"
                    "return total, d, e[n], e[1], len(d)")

    def test_F302_strings(self):
        self.agrees("x=float32[2] n=3", "mode = 'plus' + '_one'\nname = 'k{}'.format(n)\nd = {'k3': x, 'k4': x * 2}\n"
                    "y = x + 1 if mode == 'plus_one' and 'us' in mode and mode[0] == 'p' else x\nreturn y * len(mode), d[name]")

    def test_F304_questions_about_types(self):
        self.agrees("x=float32[2,3] n=3", "c = torch.tensor([1.0, 2.0]) * (1 + 2j)\ny = x * 2\n"
                    "rows: List[List[float]] = x.tolist()\nv: Optional[torch.Tensor] = x\ntotal = 0.0\nfor row in rows:\n    for item in row:\n        total += item\n"
                    "z = y if isinstance(v, torch.Tensor) and not x.is_cuda else -y\nreturn z, torch.real(c), total")
        self.program("def function(x):\n    with torch.no_grad():\n        y = x * 2\n        y[0] = 1\n    return y + x\n", "(torch.ones(2, 3),)", "--verify")


if __name__ == "__main__":
    tool.main()
