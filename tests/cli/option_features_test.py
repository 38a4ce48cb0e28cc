"""Features of docs/features.md: the options of an export: option_features_test.py TONNX SAMPLES"""

import feature
import tool

PLAIN = '''class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        return self.b(self.drop(self.norm(self.a(x))))
'''
BLOCKS = '''class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
    def forward(self, x):
        return torch.relu(self.linear(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()
    def forward(self, x):
        return self.second(self.first(x)) + 1
'''
INPUT = "(torch.randn(2, 3),)"


class OptionFeatures(feature.FeatureTest):
    def exported(self, archive, *more, code=0):
        return self.export(code, *more, archive=archive, args=self.folder / "net.args")[1]

    def test_F21_F22_F23_external_data(self):
        archive = self.saved(PLAIN.replace("Linear(3, 4)", "Linear(3, 400)").replace("(4", "(400"), INPUT)
        for more in ((), ("--operators", "fallthrough"), ("--operators", "aten_fallback")):
            self.exported(archive, "--external-data", "yes", *more)
            self.assertTrue((self.folder / "model.onnx.data").is_file())
            self.model()
            (self.folder / "model.onnx.data").unlink()
        self.exported(archive, "--external-data", "each")
        files = sorted(path.name for path in (self.folder / "model_initializers").iterdir())
        self.assertIn("b.weight", files)

    def test_F9_weights_are_stored_bit_for_bit(self):
        """Every bit pattern counts, NaN payloads among them, whatever the strides."""
        dtypes = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8")
        others = {"truth": "torch.arange(6) % 2 == 0", "turned": "torch.randn(5, 3).t()", "wide": "torch.randn(1, 3).expand(4, 3)",
                  "part": "torch.randn(8, 3)[1::2]", "none": "torch.zeros(0, 3)", "single": "torch.tensor(1.5)"}
        lines = ["class Net(nn.Module):", "    def __init__(self):", "        super().__init__()"]
        lines += [f"        self.register_buffer('b_{name}', torch.randint(0, 256, (4, 48), dtype=torch.uint8).view(torch.{name}))" for name in dtypes]
        lines += [f"        self.register_buffer('b_{name}', {value})" for name, value in others.items()]
        lines += ["    def forward(self, x):", "        return x + 1, " + ", ".join(f"self.b_{name}" for name in (*dtypes, *others))]
        self.exported(self.saved("\n".join(lines) + "\n", INPUT), "--no-constant-folding")
        self.python("""
import onnx, sys, torch
stored = {tensor.name: tensor for tensor in onnx.load(sys.argv[2]).graph.initializer}
state = torch.jit.load(sys.argv[1]).state_dict()
assert stored.keys() == state.keys(), (stored.keys(), state.keys())
for name, value in state.items():
    assert list(stored[name].dims) == list(value.shape), name
    assert stored[name].raw_data == value.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes(), name
""", self.folder / "net.pt", self.out)

    def test_F26_weights_may_be_inputs(self):
        for form in ("script", "trace", "pt2"):
            archive = self.saved(BLOCKS, INPUT, form)
            self.exported(archive, "--no-export-params")
            model = self.model()
            self.assertEqual(list(model["inputs"]), ["x"] + [f"{part}.linear.{name}" for part in ("first", "second") for name in ("weight", "bias")])
            self.assertEqual(model["weights"], [])

    def test_F27_F28_verbose_prints_the_graph(self):
        archive = self.saved(PLAIN, INPUT)
        out, err = self.export(0, "-v", "--doc-strings", "--input-names", "given", "--output-names", "made", archive=archive, args=self.folder / "net.args")
        self.assertIn("graph(%given", out)
        self.assertIn("return (%made)", out)
        self.assertEqual(err, "")
        self.assertTrue(all("net.py" in doc for doc in self.model()["docs"]))

    def test_F31_the_training_mode_is_one_of_three(self):
        archive = self.saved(PLAIN, INPUT)
        training = self.folder / "training.pt"
        self.python("import sys, torch\nnet = torch.jit.load(sys.argv[1])\nnet.train()\nnet.save(sys.argv[2])\n", archive, training)
        for path, mode, dropout in ((archive, "eval", False), (archive, "preserve", False), (archive, "train", True),
                                    (training, "eval", False), (training, "preserve", True), (training, "train", True)):
            before = path.read_bytes()
            self.exported(path, "--training", mode)
            self.assertEqual("Dropout" in self.model()["kinds"], dropout, (path, mode))
            self.assertEqual(path.read_bytes(), before)
        self.assertIn("one of eval", self.exported(archive, "--training", "both", code=2))

    def test_F50_F52_folding_from_opset_9_on(self):
        archive = self.saved("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = nn.Parameter(torch.ones(4, 3))\n"
                             "    def forward(self, x):\n        return x.matmul(self.w.t().sqrt()[:, 1:])\n", INPUT)
        for opset, more, folded in (("9", (), True), ("17", (), True), ("8", (), False), ("17", ("--no-constant-folding",), False)):
            self.exported(archive, "--opset", opset, "--verify", *more)
            self.assertEqual("Sqrt" not in self.model()["kinds"], folded, (opset, more))

    def test_F54_F56_initializers_may_be_inputs(self):
        archive = self.saved(BLOCKS, INPUT)
        for opset, listed, count in (("17", "always", 5), ("17", "never", 1), ("17", "auto", 1), ("8", "auto", 5)):
            self.exported(archive, "--opset", opset, "--initializers-as-inputs", listed)
            self.assertEqual(len(self.model()["inputs"]), count, (opset, listed))
        self.assertIn("opset 8", self.exported(archive, "--opset", "8", "--initializers-as-inputs", "never"))
        self.assertEqual(len(self.model()["inputs"]), 5)

    def test_F60_the_checker_can_be_switched_off(self):
        schema = ("--schema", "Mine::foo(Tensor x) -> Tensor", "--operators", "fallthrough")
        self.call(0, "x=float32[2]", "return torch.ops.Mine.foo(x)", "--no-check", *schema)
        self.assertIn("Mine::foo", self.run_tonnx(0, "print", self.out)[0])

    def test_F64_F227_F232_modules_are_functions(self):
        for form in ("script", "trace", "pt2"):
            archive = self.saved(BLOCKS, INPUT, form)
            self.exported(archive, "--module-functions", "Block", "--verify")
            model = self.model()
            self.assertEqual(len(model["functions"]), 1, model["functions"])
            self.assertEqual(model["kinds"].count("Block"), 2)
            self.exported(archive, "--module-functions", "*", "--verify")
            self.assertEqual(len(self.model()["functions"]), 2)
            self.assertIn("Unknown", self.exported(archive, "--module-functions", "Unknown"))

    def test_F227_classes_of_one_name_are_told_apart_by_their_python_module(self):
        for name, operator in (("first_part", "relu"), ("second_part", "sigmoid")):
            (self.folder / f"{name}.py").write_text("import torch\n" + "from torch import nn\n\n" + BLOCKS.split("\n\n")[0].replace("relu", operator))
        text = ("import first_part, second_part\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                "        self.a, self.b, self.c = first_part.Block(), second_part.Block(), first_part.Block()\n"
                "    def forward(self, x):\n        return self.c(self.b(self.a(x)))\n")
        for form in ("script", "trace", "pt2"):
            archive = self.saved(text, INPUT, form)
            self.exported(archive, "--module-functions", "*", "--verify")
            model = self.model()
            calls = [(node["domain"], node["kind"]) for node in model["nodes"]]
            self.assertEqual(calls, [("first_part", "Block"), ("second_part", "Block"), ("first_part", "Block")])
            self.assertEqual(sorted(model["functions"]), ["Block", "Block", "Linear"])
            self.assertEqual(sorted(model["opset"]), ["", "first_part", "second_part", "torch.nn.modules.linear"])
            self.exported(archive, "--module-functions", "second_part.Block", "--verify")
            model = self.model()
            self.assertEqual((model["functions"], model["kinds"].count("Block"), model["kinds"].count("Relu")), (["Block"], 1, 2))
            self.assertIn("third_part.Block", self.exported(archive, "--module-functions", "third_part.Block"))

    def test_F231_constants_that_differ_are_attributes(self):
        text = (BLOCKS.replace("__init__(self):\n        super().__init__()\n        self.linear", "__init__(self, slope=0.1, times=2):\n        super().__init__()\n        self.slope, self.times = slope, times\n        self.linear")
                .replace("torch.relu(self.linear(x))", "nn.functional.leaky_relu(self.linear(x), self.slope) * self.slope * self.times")
                .replace("Block(), Block()", "Block(0.1), Block(0.2)"))
        for form in ("script", "trace", "pt2"):
            archive = self.saved(text, INPUT, form)
            for opset in ("15", "17", "21"):
                self.exported(archive, "--module-functions", "Block", "--verify", "--opset", opset)
            model = self.model()
            self.assertEqual(model["functions"], ["Block"])
            first, second = [node for node in model["nodes"] if node["kind"] == "Block"]
            annotated = {"slope", "times"} if form == "script" else set()
            self.assertEqual(set(first["attributes"]) - annotated, {"inferred::alpha", "inferred::value"})
            self.assertNotEqual(first["attributes"], second["attributes"])
            self.exported(archive, "--module-functions", "*", "--verify", *(() if form == "pt2" else ("--dynamic", "x:0")))
        # Values in branches and loops, of equal and of other types.
        body = ("        y = self.linear(x)\n        if bool(y.sum() > 0):\n            y = nn.functional.leaky_relu(y, self.slope) + self.times\n"
                "        for i in range(int(x.size(0))):\n            y = y * self.slope\n        return y.reshape(-1, 3 * self.times).reshape(-1, 3)\n")
        text = text[:text.index("        return nn.functional")] + body + text[text.index("\nclass Net"):]
        for second in ("0.2, 1", "0.2, 2", "0.1, 2"):
            archive = self.saved(text.replace("Block(0.2)", f"Block({second})"), INPUT)
            self.exported(archive, "--module-functions", "*", "--verify")
            self.assertEqual(self.model()["functions"].count("Block"), 1)
            self.compare("(randn(2, 3),)", "(-ones(2, 3),)")

    def test_F230_attributes_of_classes_are_attributes_of_calls(self):
        text = (BLOCKS.replace("class Block(nn.Module):\n", "class Block(nn.Module):\n    slope: float\n    sizes: List[int]\n    kind: Final[str] = 'plain'\n    times: Final[int]\n")
                .replace("        self.linear", "        self.slope, self.sizes, self.times, self.both, self._hidden, self.none = 0.5, [1, 2], 3, (True, 2), 4, torch.jit.Attribute(None, Optional[int])\n        self.linear")
                .replace("torch.relu(self.linear(x))", "torch.relu(self.linear(x)) * self.slope"))
        archive = self.saved(text, INPUT)
        self.exported(archive, "--module-functions", "*", "--verify")
        model = self.model()
        self.assertEqual(model["functions"], ["Linear", "Block"])
        for call in model["nodes"][:2]:
            self.assertEqual(call["attributes"], {"slope": "0.5", "sizes": ["1", "2"], "kind": "plain", "times": "3", "both": ["1", "2"]})
        shown = self.python("import sys, onnx\nfor f in onnx.load(sys.argv[1]).functions: print(sorted(f.attribute), [(a.name, a.i) for n in f.node for a in n.attribute if n.op_type == 'Linear'])", self.out)
        self.assertIn("['in_features', 'out_features'] []", shown)
        self.assertIn("['both', 'kind', 'sizes', 'slope', 'times'] [('in_features', 3), ('out_features', 3)]", shown)
        # A traced archive has no attributes of classes.
        self.exported(self.saved(text, INPUT, "trace"), "--module-functions", "*", "--verify")
        self.assertEqual(self.model()["nodes"][0]["attributes"], {})

    def test_F39_F67_F68_operators_without_a_conversion_are_named(self):
        err = self.call(1, "x=float32[3,3]", "return torch.linalg.ldl_factor(x)[0]", "--log", "debug")
        self.assertIn("exporting the operator 'aten::linalg_ldl_factor' to ONNX opset version 17 is not supported", err)
        err = self.call(1, "x=float32[3]", "return torch.ops.elsewhere.foo(x)", "--schema", "elsewhere::foo(Tensor x) -> Tensor")
        self.assertIn("elsewhere::foo", err)
        self.assertIn("register a symbolic", err)

    def test_F173_F174_log_messages(self):
        for level, printed in (("debug", True), ("warning", False)):
            err = self.call(0, "x=float32[3]", "return torch.relu(x)", "--log", level)
            self.assertEqual("debug: aten::relu is converted by the lowering aten::relu" in err, printed)
        self.assertEqual(self.call(0, "x=float32[3]", "return torch.relu(x)"), "")

    def test_F154_documented_axes(self):
        text = ("def function(input_1, input_2):\n    y = input_1.flatten(2).sum(2)\n    return y.unsqueeze(2).expand(-1, -1, 5) + input_2[:, :3].unsqueeze(2)\n")
        archive = self.saved(text, "(torch.ones(2, 3, 4, 5), torch.ones(2, 4))")
        forms = (("input_1:0,input_1:2,input_1:3,input_2:0", ["input_1_dynamic_axes_1", 3, "input_1_dynamic_axes_2", "input_1_dynamic_axes_3"]),
                 ("input_1:0=batch,input_1:2=width,input_1:3=height,input_2:0=batch", ["batch", 3, "width", "height"]),
                 ("input_1:0=batch,input_1:2=width,input_1:3=height,input_2:0", ["batch", 3, "width", "height"]))
        for axes, dims in forms:
            self.exported(archive, "--dynamic-axes", axes, "--verify")
            self.assertEqual(self.model()["inputs"]["input_1"], dims)
        self.compare("(ones(5, 3, 2, 7), ones(5, 4))")

    def test_F156_a_lstm_with_a_dynamic_axis(self):
        for cell, states in (("LSTM", "(torch.randn(8, 3, 20), torch.randn(8, 3, 20))"), ("GRU", "torch.randn(8, 3, 20)"), ("RNN", "torch.randn(8, 3, 20)")):
            text = (f"class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.net = nn.{cell}(10, 20, 4, bidirectional=True)\n"
                    "    def forward(self, input, states):\n        return self.net(input, states)\n")
            names = ("--input-names", "input,h0,c0" if cell == "LSTM" else "input,h0", "--output-names", "output,hn,cn" if cell == "LSTM" else "output,hn")
            archive = self.saved(text, f"(torch.randn(5, 3, 10), {states})", "trace")
            self.exported(archive, *names)
            self.assertEqual(self.model()["inputs"]["input"], [5, 3, 10])
            self.exported(archive, *names, "--dynamic", "input:0=sequence,output:0=sequence", "--verify", "--verify-sizes", "sequence=9")
            model = self.model()
            self.assertEqual((model["inputs"]["input"], model["outputs"]["output"]), (["sequence", 3, 10], ["sequence", 3, 40]))
            self.assertEqual(model["kinds"].count(cell), 4)


if __name__ == "__main__":
    tool.main()
