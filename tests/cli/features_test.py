"""The features of docs/features.md that a command line shows: features_test.py TONNX SAMPLES

The name of a test begins with the numbers of its features."""

import json
import pathlib
import subprocess
import tempfile

import tool

NETWORKS = '''
import sys, torch
from typing import Dict, List

class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.norm = torch.nn.Linear(30, 30), torch.nn.Linear(30, 30), torch.nn.BatchNorm1d(30)
        self.drop = torch.nn.Dropout(0.5)
        with torch.no_grad():
            self.b.weight.copy_(self.a.weight)
    def forward(self, x):
        return self.drop(self.norm(self.b(self.a(x)))), (x > 0).nonzero().float().relu()

class Image(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
    def forward(self, x):
        return self.conv(x).flatten(1).softmax(1)

class Mode(torch.nn.Module):
    def forward(self, x, mode: str, names: Dict[str, str]):
        return x + 1 if mode == "plus" and names["a"] == "b" else x * 2

class Factors(torch.nn.Module):
    def forward(self, x, n: int):
        factors, pivots = torch.linalg.ldl_factor(x)
        for i in range(n):
            x = torch.linalg.ldl_solve(factors, pivots, x.triu())
        return x

class Rows(torch.nn.Module):
    def forward(self, x):
        return torch.cat([x[:1], x[1:] * 2]), x[:1].relu() + 1

def save(name, module, *args):
    torch.jit.script(module.eval()).save(f"{sys.argv[1]}/{name}.pt")
    torch.save(args, f"{sys.argv[1]}/{name}.args")

torch.manual_seed(0)
save("plain", Plain(), torch.randn(4, 30))
save("image", Image(), torch.randn(1, 3, 8, 8))
save("mode", Mode(), torch.randn(2), "plus", {"a": "b"})
save("rows", Rows(), torch.randn(3, 4))
save("factors", Factors(), torch.randn(3, 3), 2)
'''

SHOW = '''
import json, onnx, sys
model = onnx.load(sys.argv[1])
onnx.checker.check_model(sys.argv[1], full_check=True)
def kept(block):
    for n in block.node:
        for a in n.attribute:
            if a.HasField("g"):
                yield from kept(a.g)
        if n.domain:
            yield [n.domain, n.op_type, len(n.input), {a.name: str(onnx.helper.get_attribute_value(a)) for a in n.attribute}]
def dims(value):
    return [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
graph = model.graph
print(json.dumps({"inputs": {v.name: dims(v) for v in graph.input}, "outputs": {v.name: dims(v) for v in graph.output},
                  "values": {v.name: dims(v) for v in graph.value_info}, "weights": [t.name for t in graph.initializer],
                  "kept": list(kept(graph)), "domains": {i.domain: i.version for i in model.opset_import},
                  "nodes": [[n.op_type, n.name, n.domain, list(n.input), {a.name: str(onnx.helper.get_attribute_value(a)) for a in n.attribute}]
                            for n in graph.node]}))
'''


class Features(tool.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.networks = pathlib.Path(cls.shared.name)
        (cls.networks / "networks.py").write_text(NETWORKS)  # TorchScript reads the source of a module
        cls().python("import sys\nsys.path.insert(0, sys.argv[1])\nimport networks\n", cls.networks)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "model.onnx"

    def exported(self, name, *more, code=0):
        """The errors of an export, and its model."""
        self.out.unlink(missing_ok=True)
        err = self.export(code, *more, archive=self.networks / f"{name}.pt", args=self.networks / f"{name}.args")[1]
        return err, json.loads(self.python(SHOW, self.out)) if code == 0 else None

    def source(self, text):
        path = self.folder / "net.py"
        path.write_text("import torch\n\n" + text)
        return path

    def test_F30_training_takes_booleans(self):
        kinds = {mode: [node[0] for node in self.exported("plain", "--training", mode)[1]["nodes"]]
                 for mode in ("eval", "false", "train", "true")}
        self.assertEqual(kinds["false"], kinds["eval"])
        self.assertEqual(kinds["true"], kinds["train"])
        self.assertIn("Dropout", kinds["true"])
        self.assertNotIn("Dropout", kinds["false"])
        self.assertIn("one of eval, preserve, train, true, false", self.exported("plain", "--training", "True", code=2)[0])

    def test_F34_folding_in_training_mode_is_a_warning(self):
        source = ("def forward(self, x):\n    return x + torch.sqrt(self.scale)\n")
        weights = self.folder / "weights.pt"
        self.python("import sys, torch\ntorch.save({'scale': torch.tensor([4.0, 9.0])}, sys.argv[1])\n", weights)
        command = ["export", self.source(source), "-o", self.out, "--weights", weights, "--input", "x=float32[2]"]
        for flags, folded in (((), True), (("--training", "train"), False), (("--training", "train", "--constant-folding"), True),
                              (("--no-constant-folding",), False)):
            err = self.run_tonnx(0, *command, *flags)[1]
            self.assertEqual("constant folding in training mode" in err, len(flags) == 3)
            kinds = [node[0] for node in json.loads(self.python(SHOW, self.out))["nodes"]]
            self.assertEqual("Sqrt" not in kinds, folded, flags)

    def test_F38_F40_F66_operators_without_a_conversion_may_stay(self):
        self.assertIn("aten::linalg_ldl_factor", self.exported("factors", code=1)[0])
        for name in ("fallthrough", "ONNX_FALLTHROUGH"):
            err, model = self.exported("factors", "--operators", name)
            self.assertEqual(model["kept"], [["aten", "linalg_ldl_factor", 1, {"hermitian": "0"}],
                                             ["aten", "linalg_ldl_solve", 3, {"hermitian": "0"}]])
            self.assertEqual(model["domains"]["aten"], 1)
            self.assertIn("aten::linalg_ldl_factor (networks.py", err)
            self.assertEqual(err.count("stays an operator of LibTorch"), 2)
        self.assertEqual(self.exported("image", "--operators", "fallthrough")[1]["kept"], [])

    def test_F42_F43_F286_operators_of_aten_without_a_conversion_become_ATen(self):
        for name in ("aten_fallback", "aten-fallback", "ONNX_ATEN_FALLBACK"):
            kept = self.exported("factors", "--operator-export-type", name)[1]["kept"]
            self.assertEqual([node[:3] for node in kept], [["org.pytorch.aten", "ATen", 2], ["org.pytorch.aten", "ATen", 4]])
            self.assertEqual(kept[0][3], {"operator": "b'linalg_ldl_factor'", "overload_name": "b''"})

    def test_F41_every_operator_of_aten_may_be_an_ATen_node(self):
        kept = self.exported("image", "--operators", "aten")[1]["kept"]
        self.assertEqual([node[3]["operator"] for node in kept], ["b'conv2d'", "b'flatten'", "b'softmax'"])
        self.assertIn("b'triu'", [node[3]["operator"] for node in self.exported("factors", "--operators", "aten")[1]["kept"]])

    def test_F55_other_export_types_list_initializers_as_inputs(self):
        for flags, expected in (((), 1), (("--operators", "fallthrough"), 3), (("--operators", "aten"), 3),
                                (("--operators", "aten", "--initializers-as-inputs", "never"), 1)):
            self.assertEqual(len(self.exported("image", *flags)[1]["inputs"]), expected, flags)

    def test_F40_custom_operators_may_stay(self):
        net = self.source("def forward(self, x):\n    return torch.ops.features.foo(x, 3, [1, 2], 'text', None)\n")
        schema = "features::foo(Tensor x, int n, int[] sizes, str mode, Tensor? bias, float scale=0.5) -> Tensor"
        command = ["export", net, "-o", self.out, "--input", "x=float32[2]", "--schema", schema]
        self.assertIn("features::foo", self.run_tonnx(1, *command)[1])
        self.assertIn("features::foo", self.run_tonnx(1, *command, "--operators", "aten_fallback")[1])
        err = self.run_tonnx(1, *command, "--operators", "fallthrough")[1]
        self.assertIn("the type of the results of features::foo (net.py:4), which stays in the model, is unknown; load the library", err)
        self.run_tonnx(0, *command, "--operators", "fallthrough", "--no-check")
        nodes = self.run_tonnx(0, "print", self.out)[0]
        for part in ("features::foo", 'mode="text"', "n=3", "scale=0.5", "sizes=[1, 2]"):
            self.assertIn(part, nodes)

    def test_F241_F249_verification_has_switches(self):
        for flags in (("--verify-accepted-share", "0.5"), ("--no-verify-check-dtype",), ("--no-verify-check-shape",),
                      ("--verify-provider", "cpu")):
            self.exported("image", "--verify", *flags)
        self.assertIn("accepted_share must be at most 1", self.exported("image", "--verify", "--verify-accepted-share", "2", code=2)[0])
        self.assertIn("provider 'tpu' is unknown", self.exported("image", "--verify", "--verify-provider", "tpu", code=2)[0])

    def test_F221_a_missing_library_of_the_runtime_is_4(self):
        missing = self.folder / "missing.so"
        self.assertIn("missing.so", self.exported("image", "--verify", "--ort-library", missing, code=4)[0])

    def test_F49_weights_may_have_positional_names(self):
        self.assertIn("a.weight", self.exported("plain")[1]["weights"])
        names = self.exported("plain", "--no-weight-names", "--verify")[1]["weights"]
        self.assertEqual(sorted(names), [f"weight_{i}" for i in range(len(names))])

    def test_F57_equal_weights_are_merged_if_asked(self):
        self.assertTrue({"a.weight", "b.weight"} <= set(self.exported("image")[1]["weights"] + self.exported(
            "plain", "--no-constant-folding")[1]["weights"]))
        merged = self.exported("plain", "--no-constant-folding", "--merge-equal-weights", "--verify")[1]["weights"]
        self.assertIn("a.weight", merged)
        self.assertNotIn("b.weight", merged)
        always = self.exported("plain", "--merge-equal-weights", "--initializers-as-inputs", "always")[1]["weights"]
        self.assertIn("b.weight", always)

    def test_F63_F171_node_names_can_be_left_out(self):
        with_names, without = (self.exported("plain", *flags)[1] for flags in ((), ("--no-node-names",)))
        self.assertTrue(all(node[1] for node in with_names["nodes"]))
        self.assertFalse(any(node[1] for node in without["nodes"]))
        self.assertEqual([node[3] for node in with_names["nodes"]], [node[3] for node in without["nodes"]])

    def test_F84_strings_that_are_constants_are_a_warning(self):
        err = self.exported("mode", "--verify")[0]
        self.assertIn("argument 'mode' is plus in the model, not an input", err.replace("'plus'", "plus").replace('"plus"', "plus"))
        self.assertIn("argument 'names' is", err)

    def test_F125_F126_dtypes_have_the_names_of_torch_and_onnx(self):
        net = self.source("def forward(self, x):\n    return x + x\n")
        for name in ("float32", "Float", "torch.float32", "FLOAT", "float", "TensorProto.FLOAT"):
            self.run_tonnx(0, "export", net, "-o", self.out, "--input", f"x={name}[2]")
        self.assertIn("dtype", self.run_tonnx(2, "export", net, "-o", self.out, "--input", "x=float33[2]")[1])

    def test_F127_F159_inner_values_have_types_and_every_dynamic_dim_a_name(self):
        model = self.exported("plain", "--dynamic", "x:0=rows")[1]
        self.assertEqual(model["values"]["/a/Gemm_output_0"], ["rows", 30])
        unnamed = [name for part in ("inputs", "outputs", "values") for name, dims in model[part].items() if 0 in dims]
        self.assertEqual(unnamed, [])
        self.assertEqual(model["outputs"]["output_1"], ["output_1_dim_0", 2])
        self.assertEqual(self.exported("plain", "--no-value-info")[1]["values"], {})

    # ONNX Runtime relies on declared sizes: a row that may be missing has no declared size of 1.
    def test_F127_sizes_of_one_that_may_be_zero_are_not_declared(self):
        model = self.exported("rows", "--dynamic", "x:0=n", "--verify", "--verify-sizes", "n=0")[1]
        self.assertNotIn(1, [dims[0] for dims in model["values"].values() if len(dims) == 2])

    def test_F164_an_empty_item_keeps_its_place(self):
        net = self.source("def forward(self, a, b, c):\n    return a + b * c\n")
        given = [flag for name in "abc" for flag in ("--input", f"{name}=float32[2]")]
        for names, expected in ((",second", ["a", "second", "c"]), ("r,,", ["r", "b", "c"]), (",", ["a", "b", "c"])):
            self.run_tonnx(0, "export", net, "-o", self.out, *given, "--input-names", names)
            self.assertEqual(list(json.loads(self.python(SHOW, self.out))["inputs"]), expected)

    def test_F255_all_axes_can_be_dynamic(self):
        err, model = self.exported("image", "--dynamic", "all", "--verify")
        self.assertEqual(model["inputs"]["x"], ["x_axis_0", 3, "x_axis_2", "x_axis_3"])
        self.assertIn("dynamic axis x_axis_1 (axis 1 of 'x') keeps the example's size 3", err)
        model = self.exported("image", "--all-axes-dynamic", "--dynamic", "x:-1=width")[1]
        self.assertEqual(model["inputs"]["x"], ["x_axis_0", 3, "x_axis_2", "width"])
        self.assertIn("or all", self.exported("image", "--dynamic", "every", code=2)[0])

    def test_F255_a_loop_may_be_recorded_with_all_axes_dynamic(self):
        net = self.source("def forward(self, x):\n    for i in range(3):\n        x = torch.relu(x) + i\n    return x\n")
        for flags in ((), ("--mode", "trace")):
            self.run_tonnx(0, "export", net, "-o", self.out, "--input", "x=float32[2,3]", "--dynamic", "all", "--verify", *flags)
            self.assertEqual(json.loads(self.python(SHOW, self.out))["inputs"]["x"], ["x_axis_0", "x_axis_1"])


if __name__ == "__main__":
    tool.main()
