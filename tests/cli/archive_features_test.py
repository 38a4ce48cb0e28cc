"""Features of docs/features.md: reports, verification, custom operators and exported programs: archive_features_test.py TONNX SAMPLES"""

import json
import pathlib
import re
import signal
import subprocess
import time

import feature
import tool

INPUT = "(torch.randn(2, 3),)"
MIXED = '''class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dropout(0.5), nn.Dropout(0.5)
    def forward(self, x):
        return self.a(x) + self.b(x * 2)
'''
# Writes a model with external data in one part: PART FILE.
WITH_EXTERNAL_DATA = '''
import sys
from onnx import TensorProto, helper
part, path = sys.argv[1:]
def external(name, dtype=TensorProto.FLOAT, dims=(2,)):
    tensor = TensorProto(name=name, data_type=dtype, dims=dims, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="weights.bin")
    return tensor
def typed(name, dims, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, dims)
nodes, more, functions, opsets = [helper.make_node("Add", ["x", "w"], ["y"])], {}, [], [helper.make_opsetid("", 18)]
constant = helper.make_node("Constant", [], ["w"], value=external("w"))
if part == "initializer":
    more["initializer"] = [external("w")]
elif part == "sparse":
    indices = helper.make_tensor("i", TensorProto.INT64, [2], [0, 1])
    more["sparse_initializer"] = [helper.make_sparse_tensor(external("w"), indices, [2])]
elif part == "constant":
    nodes.insert(0, constant)
elif part == "branch":
    branch = helper.make_graph([helper.make_node("Identity", ["v"], ["r"])], "branch", [], [typed("r", [2])], [external("v")])
    nodes.insert(0, helper.make_node("If", ["c"], ["w"], then_branch=branch, else_branch=branch))
else:
    nodes.insert(0, helper.make_node("make", [], ["w"], domain="own"))
    opsets.append(helper.make_opsetid("own", 1))
    functions.append(helper.make_function("own", "make", [], ["w"], [constant], opsets[:1]))
inputs = [typed("x", [2]), typed("c", [], TensorProto.BOOL)]
graph = helper.make_graph(nodes, "g", inputs, [typed("y", [2])], **more)
with open(path, "wb") as file:
    file.write(helper.make_model(graph, functions=functions, opset_imports=opsets).SerializeToString())
'''


class ArchiveFeatures(feature.FeatureTest):
    def test_autocast_of_the_cpu_is_refused_in_scripts(self):
        """Scripts contain no casts: LibTorch inserts them when it runs them."""
        text = "def function(x, w):\n    with torch.%s:\n        y = torch.mm(x, w)\n    return y\n"
        args = "(torch.randn(2, 3), torch.randn(3, 4))"
        for autocast in ("autocast('cpu', torch.bfloat16)", "autocast('cpu')", "cpu.amp.autocast()"):
            err = self.program(text % autocast, args, "--mode", "script", code=1)
            self.assertIn("torch.autocast for the CPU is not supported in a script", err)
        for autocast in ("autocast('cpu', enabled=False)", "autocast('cuda')", "cuda.amp.autocast(enabled=False)", "no_grad()"):
            self.program(text % autocast, args, "--mode", "script", "--verify")

    def test_F14_each_documented_argument_is_a_flag(self):
        out = self.run_tonnx(0, "export", "--help")[0]
        flags = {"export_params": "--export-params", "verbose": "--verbose", "training": "--training", "input_names": "--input-names",
                 "output_names": "--output-names", "operator_export_type": "--operator-export-type",
                 "opset_version": "--opset", "_retain_param_name": "--weight-names", "do_constant_folding": "--constant-folding",
                 "strip_doc_string": "--doc-strings", "dynamic_axes": "--dynamic-axes",
                 "keep_initializers_as_inputs": "--keep-initializers-as-inputs", "custom_opsets": "--custom-opsets",
                 "enable_onnx_checker": "--check", "use_external_data_format": "--external-data",
                 "export_modules_as_functions": "--module-functions"}
        for argument, flag in flags.items():
            self.assertRegex(out, rf"{flag}(?![\w-])", argument)
        self.call(0, "x=float32[2]", "return x + 1")
        self.call(2, "x=float32[2]", "return x + 1", "--no-such-option")

    def test_F8_code_that_names_an_accelerator(self):
        self.call(0, "x=float32[2,3]", "y = x.to('cuda') + torch.ones([3], device='cuda:0')\nreturn y.cuda() * 2", "--verify")
        self.assertNotIn("cuda", self.run_tonnx(0, "print", self.out, "--format", "full")[0].replace(str(self.folder), ""))

    def test_F218_F220_schemas_and_versions_of_custom_domains(self):
        schema = ("--schema", "custom_ops::foo_forward(Tensor a, Tensor b, float attr1, int attr2) -> Tensor", "--operators", "fallthrough", "--no-check")
        body = "return torch.ops.custom_ops.foo_forward(a, b, 1.5, 3)"
        for more, version in (((), 1), (("--custom-opset", "custom_ops=2"), 2)):
            self.call(0, "a=float32[2] b=float32[2]", body, *schema, *more)
            text = self.run_tonnx(0, "print", self.out, "--format", "full")[0]
            self.assertRegex(text, r'domain: "custom_ops"\s+version: %d' % version)
        self.assertIn("custom_ops::foo_forward[attr1=1.5, attr2=3]", self.run_tonnx(0, "print", self.out)[0])

    def test_F233_F234_F235_operators_without_a_conversion(self):
        report = self.folder / "report.json"
        text = ("class Net(nn.Module):\n    def forward(self, x):\n        for i in range(x.size(0)):\n            x = torch.linalg.ldl_factor(x)[0]\n"
                "        if self.training:\n            x = torch.linalg.eig(x)[1].real\n        return torch.poisson(x) + torch.linalg.ldl_factor(x)[0]\n")
        archive = self.saved(text, "(torch.eye(3),)")
        for training, found in (("eval", False), ("train", True)):
            err = self.export(1, "--report", report, "--training", training, "--mode", "script", archive=archive, args=self.folder / "net.args")[1]
            reasons = {reason["operator"].split(".")[0]: reason for reason in json.loads(report.read_text())["reasons"]}
            self.assertGreaterEqual(reasons["aten::linalg_ldl_factor"]["count"], 2, err)
            self.assertIn("net.py:", reasons["aten::linalg_ldl_factor"]["source"])
            self.assertEqual("aten::linalg_eig" in reasons, found, reasons)
        self.assertIn("aten::linalg_ldl_factor", self.run_tonnx(0, "print", archive, "--args", self.folder / "net.args")[0])

    def test_F238_submodules_keep_their_training_flags(self):
        archive, mixed = self.saved(MIXED, INPUT), self.folder / "mixed.pt"
        self.python("import sys, torch\nnet = torch.jit.load(sys.argv[1])\nnet.a.train()\nnet.save(sys.argv[2])\n", archive, mixed)
        for mode, count in (("eval", 0), ("preserve", 1), ("train", 2)):
            self.export(0, "--training", mode, archive=mixed, args=self.folder / "net.args")
            self.assertEqual(self.model()["kinds"].count("Dropout"), count, mode)

    def test_F240_F250_verification_compares_with_tolerances(self):
        archive = self.saved("def function(x):\n    return torch.lgamma(x + 3), x.half() * 0.1\n", INPUT)
        args = self.folder / "net.args"
        self.assertIn("verified", self.export(0, "--verify", archive=archive, args=args)[1])
        self.assertIn("disagrees", self.export(3, "--verify", "--rtol", "0", "--atol", "0", archive=archive, args=args, longest=40)[1])
        self.export(0, "--verify", "--rtol", "1e-2", "--atol", "1e-2", archive=archive, args=args)

    def test_F253_F256_F273_exported_programs(self):
        text = ("class Net(nn.Module):\n    def forward(self, x):\n        y = torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, (x,))\n"
                "        return y * x.size(0), torch.arange(x.size(0) * 2)\n")
        archive = self.saved(text, INPUT, "pt2")
        self.run_tonnx(0, "export", archive, "-o", self.out, "--verify")
        self.assertIn("If", self.model()["kinds"])
        self.assertIn("do not fit", self.run_tonnx(2, "export", archive, "-o", self.out, "--input", "x=float32[2,4]")[1])
        self.python("import sys, torch\nfrom torch._subclasses.fake_tensor import FakeTensorMode\ntorch.manual_seed(0)\n"
                    "net = torch.nn.Linear(3, 4)\ntorch.save(net.state_dict(), sys.argv[2])\n"
                    "with FakeTensorMode():\n    empty, x = torch.nn.Linear(3, 4), torch.randn(2, 3)\n"
                    "shapes = ({0: torch.export.Dim('rows', max=64)},)\n"
                    "torch.export.save(torch.export.export(empty, (x,), dynamic_shapes=shapes), sys.argv[1])\n"
                    "torch.jit.trace(net, torch.randn(2, 3)).save(sys.argv[3])\n",
                    self.folder / "fake.pt2", self.folder / "weights.pt", self.folder / "net.pt")
        self.assertIn("without its weights", self.run_tonnx(1, "export", self.folder / "fake.pt2", "-o", self.out)[1])
        self.run_tonnx(0, "export", self.folder / "fake.pt2", "-o", self.out, "--weights", self.folder / "weights.pt")
        self.assertEqual(self.model()["inputs"]["input"][1], 3)
        self.compare("(ones(2, 3),)", "(ones(7, 3),)")

    def test_F263_F268_F269_reports(self):
        for name, part in (("report.json", '"reasons"'), ("report.sarif", '"2.1.0"')):
            self.call(1, "x=float32[3,3]", "return torch.linalg.ldl_factor(x)[0]", "--report", self.folder / name)
            self.assertIn(part, (self.folder / name).read_text())
        log = json.loads((self.folder / "report.sarif").read_text())
        self.assertEqual([result["ruleId"] for result in log["runs"][0]["results"]], ["POE0003"])

    def test_F239_models_are_run_and_completed(self):
        self.call(0, "x=float32[2,3] n=3", "y = torch.relu(x) * n\nreturn y, y.sum(0) > 1, [x, x + 1]", "--no-value-info")
        outs, x = self.folder / "outs.npz", self.folder / "x.npy"
        self.python("import sys, numpy, torch\nnumpy.save(sys.argv[1], numpy.arange(6, dtype='float32').reshape(2, 3))\n"
                    "torch.save((torch.arange(6.0).reshape(2, 3), 4), sys.argv[2])\n", x, self.folder / "run.args")
        out = self.run_tonnx(0, "run", self.out, "--input", f"x={x}", "--input", "n=4", "-o", outs)[0]
        self.assertEqual(out.splitlines()[:2], ["output_0 float32[2,3]", "output_1 bool[3]"])
        check = ("import sys, numpy\nouts = numpy.load(sys.argv[1])\nx = numpy.arange(6, dtype='float32').reshape(2, 3)\n"
                 "assert (outs['output_0'] == x * 4).all() and outs['output_1'].tolist() == [True, True, True], dict(outs)\n"
                 "assert (outs['output_3'] == x + 1).all() and len(outs.files) == 4\n")
        self.python(check, outs)
        self.run_tonnx(0, "run", self.out, "--args", self.folder / "run.args", "-o", outs)
        self.python(check, outs)
        self.assertIn("input 'n' is missing", self.run_tonnx(2, "run", self.out, "--input", "x=float32[2,3]")[1])
        self.assertIn("NAME.npz", self.run_tonnx(2, "run", self.out, "--input", "x=float32[2,3]", "--input", "n=4", "-o", x)[1])
        self.run_tonnx(3, "run", self.out, "--input", "x=float64[2,3]", "--input", "n=4")
        self.assertIn("index: 1 Got: 4 Expected: 3", self.run_tonnx(3, "run", self.out, "--input", "x=float32[2,4]", "--input", "n=4")[1])
        self.run_tonnx(4, "run", self.folder / "missing.onnx")
        inferred = self.folder / "inferred.onnx"
        self.run_tonnx(0, "infer", self.out, "-o", inferred)
        self.assertIn("value_info", self.run_tonnx(0, "print", inferred, "--format", "full")[0])
        self.run_tonnx(4, "infer", self.folder / "run.args", "-o", inferred)
        self.python("import sys, onnx\nfrom onnx import TensorProto, helper\n"
                    "x = helper.make_tensor_value_info('x', TensorProto.FLOAT, [2])\n"
                    "y = helper.make_tensor_value_info('y', TensorProto.INT64, [2])\n"
                    "graph = helper.make_graph([helper.make_node('Relu', ['x'], ['y'])], 'g', [x], [y])\n"
                    "onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)]), sys.argv[1])\n", self.out)
        self.assertIn("elem", self.run_tonnx(1, "infer", self.out, "-o", inferred)[1])

    def test_a_refused_output_leaves_the_file_unchanged(self):
        self.call(0, "x=float32[2,3]", "return torch.relu(x), x.to(torch.bfloat16)")
        outs = self.folder / "outs.npz"
        outs.write_bytes(b"before")
        self.assertIn("bfloat16", self.run_tonnx(1, "run", self.out, "--input", "x=float32[2,3]", "-o", outs)[1])
        self.assertEqual(outs.read_bytes(), b"before")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith(".tonnx")], [])

    def test_an_interrupt_cancels_a_run(self):
        self.call(0, "x=float32[64,64] n=3", "for i in range(n):\n    x = torch.relu(x @ x)\nreturn x")
        command = [self.tonnx, "run", self.out, "--input", "x=float32[64,64]", "--input", f"n={10 ** 12}", "-o", self.folder / "outs.npz"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        caught = pathlib.Path(f"/proc/{process.pid}/status")
        while not int(re.search(r"SigCgt:\s*(\w+)", caught.read_text())[1], 16) >> (signal.SIGINT - 1) & 1:
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertIn("tonnx: interrupted", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertFalse((self.folder / "outs.npz").exists())

    def test_external_data_are_found_in_every_part_of_a_model(self):
        (self.folder / "other").mkdir()
        for part in ("initializer", "sparse", "constant", "branch", "function"):
            self.python(WITH_EXTERNAL_DATA, part, self.out)
            self.assertIn("external data", self.run_tonnx(2, "infer", self.out, "-o", self.folder / "other" / "inferred.onnx")[1], part)

    def test_F239_external_data_stay_in_their_folder(self):
        archive = self.saved("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(300, 300)\n"
                             "    def forward(self, x):\n        return self.a(x).relu()\n", "(torch.randn(2, 300),)")
        self.export(0, "--external-data", "yes", archive=archive, args=self.folder / "net.args")
        self.run_tonnx(0, "infer", self.out, "-o", self.folder / "inferred.onnx")
        self.assertEqual(self.run_tonnx(0, "run", self.folder / "inferred.onnx", "--input", "x=float32[2,300]")[0], "output float32[2,300]\n")
        (self.folder / "other").mkdir()
        self.assertIn("external data", self.run_tonnx(2, "infer", self.out, "-o", self.folder / "other" / "inferred.onnx")[1])


if __name__ == "__main__":
    tool.main()
