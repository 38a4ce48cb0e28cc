"""Features of docs/features.md: archives of torch.jit.trace, and how a trace and a script differ: trace_features_test.py TONNX SAMPLES"""

import feature
import tool


class TraceFeatures(feature.FeatureTest):
    def test_F99_sizes_in_arithmetic_stay_dynamic(self):
        text = "def function(x):\n    n = x.size(0)\n    return torch.zeros(2 * n, 3) + n, x[:n // 2] / n, x.sum(0) * (1.0 / n)\n"
        self.program(text, "(torch.ones(4, 3),)", "--dynamic", "x:0=n", "--verify", "--verify-sizes", "n=7", form="trace")
        self.compare("(ones(4, 3),)", "(ones(7, 3),)", "(ones(1, 3),)")

    def test_F102_traces_call_scripts_and_scripts_call_traces(self):
        text = ("@torch.jit.script\ndef looped(x):\n    for i in range(x.size(0)):\n        x = x * 2 + i\n    return x\n\n"
                "class Net(nn.Module):\n    def forward(self, x):\n        return looped(x) + 1\n")
        self.program(text, "(torch.ones(2, 3),)", "--dynamic", "x:0=n", "--verify", form="trace")
        self.assertIn("Loop", self.model()["kinds"])
        self.compare("(ones(5, 3),)", "(ones(1, 3),)")
        text = ("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                "        self.part = torch.jit.trace(nn.Linear(3, 3), torch.ones(2, 3))\n"
                "    def forward(self, x):\n        for i in range(x.size(0)):\n            x = self.part(x)\n        return x\n")
        self.program(text, "(torch.ones(2, 3),)", "--dynamic", "x:0=n", "--verify")
        self.compare("(ones(5, 3),)", "(ones(1, 3),)")

    def test_F103_documented_trace_of_a_loop(self):
        text = "class Net(nn.Module):\n    def forward(self, x, y):\n        for i in range(int(y)):\n            x = x + i\n        return x\n"
        self.program(text, "(torch.ones(2, 3, dtype=torch.long), torch.tensor(5))", "--verify", form="trace")
        model = self.model()
        self.assertEqual(list(model["inputs"]), ["x", "y"])
        self.assertEqual({kind for kind in model["kinds"] if kind != "Constant"}, {"Add"})
        self.assertFalse(any("y" in node["inputs"] for node in model["nodes"]))
        self.compare("(ones(2, 3, dtype=long), tensor(5))")

    def test_F110_paths_that_are_not_taken_may_raise(self):
        text = ("def function(x, n: int):\n    if n > 100:\n        raise ValueError('too many')\n    assert x.dim() == 2, 'rank'\n"
                "    if x.dim() != 2:\n        raise RuntimeError('rank')\n    return x * n\n")
        self.program(text, "(torch.ones(2, 3), 4)", "--verify")
        self.assertEqual(self.model()["kinds"][-1], "Mul")
        self.compare("(ones(2, 3), 9)")

    def test_F111_functions_are_inlined_and_prints_dropped(self):
        text = ("def helper(x):\n    return x * 2\n\ndef function(x):\n    future = torch.jit.fork(helper, x)\n"
                "    print('running', x)\n    warnings.warn('old')\n    return helper(x) + torch.jit.wait(future)\n")
        self.program("import warnings\n" + text, "(torch.ones(2, 3),)", "--verify")
        model = self.model()
        self.assertEqual(model["functions"], [])
        self.assertTrue(set(model["kinds"]) <= {"Mul", "Add", "Constant"}, model["kinds"])
        self.compare("(randn(2, 3),)")

    def test_F112_F113_numbers_that_a_trace_reads_are_constants(self):
        text = "def function(x, n):\n    return x * n.item() + float(n.numpy())\n"
        self.program(text, "(torch.ones(2, 3), torch.tensor(3.0))", form="trace")
        self.assertNotIn("n", [name for node in self.model()["nodes"] for name in node["inputs"]])
        # The tensor itself keeps the flow of data.
        self.program("def function(x, n):\n    return x * n\n", "(torch.ones(2, 3), torch.tensor(3.0))", "--verify", form="trace")
        self.compare("(ones(2, 3), tensor(5.0))")
        # A script reads its value at run time.
        self.program("def function(x, n):\n    return x * float(n.item())\n", "(torch.ones(2, 3), torch.tensor(3.0))", "--verify")
        self.compare("(ones(2, 3), tensor(5.0))")

    def test_F115_data_and_detach_keep_the_flow(self):
        for form in ("trace", "script"):
            self.program("def function(x):\n    return x.detach() * 2 + x.data\n", "(torch.ones(2, 3),)", "--verify", form=form)
            self.compare("(randn(2, 3),)")

    def test_F165_F166_names_and_modules_of_nodes(self):
        text = ("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                "        self.features = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())\n"
                "    def forward(self, image):\n        return self.features(image)\n")
        for form in ("trace", "script", "pt2"):
            archive = self.saved(text, "(torch.ones(1, 3, 8, 8),)", form)
            out = self.export(0, "-v", archive=archive, args=self.folder / "net.args")[0]
            self.assertIn("scope: Net/Sequential[features]/Conv2d[0]", out.replace("net.Net", "Net"))
            first = self.out.read_bytes()
            model = self.model()
            self.assertEqual(list(model["inputs"]), ["image"])
            self.assertEqual(model["nodes"][0]["name"], "/features/0/Conv")
            self.assertEqual(model["nodes"][0]["outputs"], ["/features/0/Conv_output_0"])
            self.assertEqual(model["weights"], ["features.0.weight", "features.0.bias"])
            self.export(0, archive=archive, args=self.folder / "net.args")
            self.assertEqual(self.out.read_bytes(), first)

    def test_F161_names_of_weights_follow_those_of_inputs(self):
        text = ("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)\n"
                "    def forward(self, x):\n        return self.a(self.b(x))\n")
        names = ",".join(["first"] + [f"learned_{i}" for i in range(4)])
        archive = self.saved(text, "(torch.ones(1, 3),)", "trace")
        for listed, count in (("always", 5), ("never", 1)):
            self.export(0, "--input-names", names, "--initializers-as-inputs", listed, archive=archive, args=self.folder / "net.args")
            model = self.model()
            self.assertEqual(list(model["inputs"]), names.split(",")[:count])
            self.assertEqual(sorted(model["weights"]), names.split(",")[1:])
        self.python("import sys, onnx, torch\nstate = list(torch.jit.load(sys.argv[1]).state_dict().values())\n"
                    "weights = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(sys.argv[2]).graph.initializer}\n"
                    "assert all((weights[f'learned_{i}'] == t.numpy()).all() for i, t in enumerate(state))\n", archive, self.out)

    def test_F167_text_of_a_graph(self):
        text = "def function(x, n: int):\n    for i in range(n):\n        x = torch.relu(x) + i if bool(x.sum() > 0) else x - 1\n    return x.reshape([6])\n"
        self.program(text, "(torch.ones(2, 3), 3)")
        printed = self.run_tonnx(0, "print", self.out)[0]
        self.assertRegex(printed, r"graph\(%x : Float\(2, 3\)")
        self.assertRegex(printed, r"= onnx::Loop\(")
        self.assertRegex(printed, r"block0\(.*\)")
        self.assertIn("-> (", printed)
        self.assertIn("onnx::Relu(", printed)
        self.assertRegex(printed, r"return \(%\w+\)")
        self.assertRegex(printed, r"value=\{[-0-9]+\}")


if __name__ == "__main__":
    tool.main()
