"""Features of docs/features.md: programs, example inputs and outputs: input_features_test.py TONNX SAMPLES"""

import feature
import tool

CONTROL = '''def function(x, n: int):
    for i in range(n):
        if bool(x.sum() > 10):
            x = x - i
        else:
            x = x * 2
    return x
'''


class InputFeatures(feature.FeatureTest):
    def test_F1_F3_F10_F15_F53_F118_a_script_is_not_traced(self):
        archive = self.saved(CONTROL, "(torch.ones(2, 3), 4)")
        self.assertIn("argument 'x' is missing", self.run_tonnx(2, "export", archive, "-o", self.out)[1])
        self.export(0, "--verify", "--dynamic", "x:0=n_rows", archive=archive, args=self.folder / "net.args")
        model = self.model()
        self.assertIn("Loop", model["kinds"])
        self.assertEqual(model["inputs"], {"x": ["n_rows", 3], "n": []})
        self.assertEqual(model["dtypes"]["output"], "FLOAT")
        self.compare("(ones(2, 3), 4)", "(ones(5, 3), 0)", "(-ones(1, 3), 7)", "(3 * ones(4, 3), 5)")
        self.assertIn("no errors", self.run_tonnx(0, "check", self.out)[0])

    def test_F4_programs_come_as_archive_source_text_and_exported_program(self):
        text = ("class Net(nn.Module):\n    def forward(self, x):\n        return x.relu()\n"
                "    @torch.jit.export\n    def other(self, x):\n        return x.exp()\n")
        archive = self.saved(text, "(torch.ones(2, 3),)")
        args = self.folder / "net.args"
        for more, kind in (((), "Relu"), (("--method", "other"), "Exp")):
            self.export(0, "--verify", *more, archive=archive, args=args)
            self.assertEqual(self.model()["kinds"], [kind])
        self.export(0, "--verify", archive=self.saved(text, "(torch.ones(2, 3),)", "pt2"), args=args)
        self.assertEqual(self.model()["kinds"], ["Relu"])
        self.export(0, "--verify", archive=self.saved("def function(x):\n    return x.abs()\n", "(torch.ones(2, 3),)"), args=args)
        self.assertEqual(self.model()["kinds"], ["Abs"])
        self.call(0, "x=float32[2]", "return x.neg()", "--verify")
        self.assertEqual(self.model()["kinds"], ["Neg"])

    def test_F74_F75_F76_tensors_become_inputs_in_order(self):
        text = "def function(x):\n    return x + 1\n"
        models = []
        for args in ("(torch.ones(2, 3),)", "torch.ones(2, 3)", "[torch.ones(2, 3)]"):
            self.program(text, args if args.startswith("(") else "(torch.ones(2, 3),)")
            self.python("import sys, torch\ntorch.save(eval(sys.argv[2]), sys.argv[1])\n", self.folder / "lone.args", args)
            self.export(0, archive=self.folder / "net.pt", args=self.folder / "lone.args")
            models.append(self.out.read_bytes())
        self.assertEqual(models, [models[0]] * 3)
        self.program("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                     "        self.lstm = nn.LSTM(10, 20, 4, bidirectional=True)\n"
                     "    def forward(self, input, states: Tuple[Tensor, Tensor]):\n        return self.lstm(input, states)\n",
                     "(torch.randn(5, 3, 10), (torch.randn(8, 3, 20), torch.randn(8, 3, 20)))", "--verify")
        self.assertEqual(list(self.model()["inputs"].values()), [[5, 3, 10], [8, 3, 20], [8, 3, 20]])

    def test_F78_F79_F81_F82_keywords_and_defaults(self):
        text = ("class Net(nn.Module):\n    def forward(self, x, y, n: int = 3, z: Optional[Tensor] = None):\n"
                "        return x - y * n if z is None else x - z\n")
        for args in ("(torch.ones(2), {'y': torch.ones(2)})", "({'y': torch.ones(2), 'x': torch.zeros(2)},)"):
            self.program(text, args, "--verify")
            self.assertEqual(list(self.model()["inputs"]), ["x", "y"])
        self.program(text, "(torch.ones(2), {'z': torch.ones(2), 'y': torch.ones(2)})", "--verify")
        self.assertEqual(list(self.model()["inputs"]), ["x", "y", "z"])
        err = self.program(text, "(torch.ones(2), {'y': torch.ones(2), 'bogus': torch.ones(2)})", code=2)
        self.assertIn("there is no argument 'bogus'", err)
        self.assertIn("argument 'y' is missing", self.program(text, "(torch.ones(2),)", code=2))

    def test_F80_F85_dicts_are_arguments(self):
        text = ("def function(x, d: Dict[str, Tensor]):\n    y = x\n    for key, value in d.items():\n"
                "        y = y * 2 + value if key != 'a' else y + value\n"
                "    return y + d['b'] if 'b' in d else y\n")
        for args in ("(torch.ones(2), {'a': torch.ones(2), 'b': torch.randn(2)}, {})",
                     "(torch.ones(2), {'a': torch.ones(2), 'b': torch.randn(2)})"):
            self.program(text, args, "--verify")
            self.assertEqual(list(self.model()["inputs"]), ["x", "d.a", "d.b"])
        self.compare("(ones(2), {'a': ones(2) * 3, 'b': -ones(2)})")

    def test_F87_arguments_may_be_None(self):
        text = ("def function(x, y: Optional[Tensor], n: Optional[int], s: Optional[str], l: Optional[List[int]]):\n"
                "    if y is not None:\n        x = x + y\n    if n is not None:\n        x = x * n\n"
                "    return x if s is None and l is None else -x\n")
        self.program(text, "(torch.ones(2), None, 3, None, None)", "--verify")
        self.assertEqual(list(self.model()["inputs"]), ["x", "n"])
        self.compare("(ones(2), None, 5, None, None)")
        self.program(text, "(torch.ones(2), torch.ones(2), None, None, [1])", "--verify")
        self.assertEqual(list(self.model()["inputs"])[:2], ["x", "y"])

    def test_F84_F87_strings_and_None_on_the_command_line(self):
        net = self.folder / "net.py"
        net.write_text("import torch\nfrom typing import Optional\n\ndef forward(self, x, mode: str, y: Optional[torch.Tensor]):\n"
                       "    if y is not None:\n        x = x + y\n    return x * 2 if mode == 'it\\'s' else x - 1\n")
        export = ("export", net, "-o", self.out, "--input", "x=float32[3]", "--verify", "--input")
        for mode, y, inputs in (('"it\'s"', "none", ["x"]), ("'other'", "float32[3]", ["x", "y"])):
            err = self.run_tonnx(0, *export, f"mode={mode}", "--input", f"y={y}")[1]
            self.assertIn("argument 'mode' is", err)
            self.assertEqual(list(self.model()["inputs"]), inputs)
        for mode in ("other", '"', "'other\""):
            self.assertIn("a string in quotes", self.run_tonnx(2, *export, f"mode={mode}", "--input", "y=none")[1])

    def test_F88_F94_lists_are_inputs_or_one_sequence(self):
        text = "def function(items: List[Tensor]):\n    result: List[Tensor] = []\n    for item in items:\n        result.append(item * 2)\n    return result\n"
        args = "([torch.ones(2), torch.zeros(2)],)"
        self.program(text, args, "--verify")
        self.assertEqual(self.model()["inputs"], {"items.0": [2], "items.1": [2]})
        self.program(text, args, "--sequence-inputs", "--verify")
        model = self.model()
        self.assertEqual(model["dtypes"], {"items": "seq FLOAT", "output": "seq FLOAT"})
        self.assertIn("opset 11", self.program(text, args, "--sequence-inputs", "--opset", "10", code=1))

    def test_F92_quantised_tensors_per_channel_and_in_traces(self):
        text = "def function(q, x):\n    return q, torch.dequantize(q) * x, q.int_repr()\n"
        values = "torch.arange(6.0).reshape(2, 3) - 3"
        one = f"torch.quantize_per_tensor({values}, 0.5, 3, torch.qint8)"
        for example, sizes in ((one, []), (f"torch.quantize_per_channel({values}, tensor([0.1, 0.5]), tensor([10, 0]), 0, quint8)", [2]),
                               (f"torch.quantize_per_channel({values}, tensor([0.1, 0.5, 2]), tensor([0, -4, 1]), 1, qint8)", [3])):
            for form, mode in (("script", "script"), ("script", "trace"), ("trace", "script"), ("trace", "trace")):
                with self.subTest(example=example, form=form, mode=mode):
                    self.program(text, f"({example}, torch.ones(2, 3))", "--verify", "--mode", mode, form=form)
                    model = self.model()
                    names = list(model["inputs"]), list(model["outputs"])
                    self.assertEqual(model["inputs"], {names[0][0]: [2, 3], names[0][0] + "_scale": sizes,
                                                       names[0][0] + "_zero_point": sizes, names[0][3]: [2, 3]})
                    self.assertEqual(names[1][1:3], [names[1][0] + "_scale", names[1][0] + "_zero_point"])
                    self.assertEqual(len(names[1]), 5)
        self.program(text, f"({one}, torch.ones(2, 3))", "--verify", "--mode", "trace", "--input-names", "a,b", "--output-names", "r,,t")
        self.assertEqual(list(self.model()["inputs"]), ["a", "a_scale", "a_zero_point", "b"])
        self.assertEqual(list(self.model()["outputs"]), ["r", "r_scale", "r_zero_point", "output_1", "t"])

    def test_F92_a_scale_that_the_host_reads_is_no_constant(self):
        text = "def function(q):\n    return torch.dequantize(q) * q.q_scale()\n"
        args = "(torch.quantize_per_tensor(torch.ones(2), 0.5, 3, quint8),)"
        self.program(text, args, "--verify")
        self.assertIn("aten::mul", self.program(text, args, "--mode", "trace", code=1))

    def test_F92_the_channel_axis_of_a_quantised_input_is_fixed(self):
        text = "def function(q):\n    return torch.dequantize(q) * 2\n"
        args = "(torch.quantize_per_channel(torch.ones(2, 3), tensor([0.1, 0.5, 2]), tensor([0, -4, 1]), 1, qint8),)"
        self.program(text, args, "--verify", "--dynamic", "q:0=n")
        self.assertEqual(self.model()["inputs"]["q"], ["n", 3])
        self.assertIn("channel axis", self.program(text, args, "--dynamic", "q:1=n", code=1))
        self.assertIn("dynamic axis q_axis_1 (axis 1 of 'q') keeps the example's size 3", self.program(text, args, "--dynamic", "all", "--verify"))
        self.assertEqual(self.model()["inputs"]["q"], ["q_axis_0", 3])

    def test_F89_other_types_are_flattened_or_refused_by_name(self):
        text = ("class Pair(NamedTuple):\n    a: Tensor\n    b: Tensor\n\n"
                "def function(d: Dict[str, Dict[str, Tensor]], p: Pair, device: torch.device):\n"
                "    return d['x']['y'].to(device) + p.a * p.b\n")
        self.assertIn("argument 'device' is", self.program(
            text, "({'x': {'y': torch.ones(2)}}, (torch.ones(2), torch.ones(2)), 'cpu')", "--verify"))
        self.assertEqual(list(self.model()["inputs"].values()), [[2], [2], [2]])
        self.assertIn("Pair", self.program(text, "({'x': {'y': torch.ones(2)}}, Pair(torch.ones(2), torch.ones(2)), 'cpu')", code=4))


if __name__ == "__main__":
    tool.main()
