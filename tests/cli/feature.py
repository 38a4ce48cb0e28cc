"""Helpers of the tests of documented features: a program from its text, its export, and the model as data."""

import json
import pathlib
import tempfile

import tool

SHOW = '''
import json, onnx, sys
model = onnx.load(sys.argv[1])
onnx.checker.check_model(sys.argv[1])
def dims(value):
    kind = value.type.sequence_type.elem_type if value.type.HasField("sequence_type") else value.type
    return [dim.dim_param or dim.dim_value for dim in kind.tensor_type.shape.dim]
def dtype(value):
    if value.type.HasField("sequence_type"):
        return "seq " + onnx.TensorProto.DataType.Name(value.type.sequence_type.elem_type.tensor_type.elem_type)
    return onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type)
def values_of(attribute):
    value = onnx.helper.get_attribute_value(attribute)
    if attribute.HasField("t"):
        return onnx.numpy_helper.to_array(value).tolist()
    return value.decode() if isinstance(value, bytes) else list(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
def nodes(block):
    return [{"kind": n.op_type, "domain": n.domain, "name": n.name, "inputs": list(n.input), "outputs": list(n.output),
             "doc": n.doc_string, "attributes": {a.name: values_of(a) for a in n.attribute if not a.HasField("g")},
             "blocks": [nodes(a.g) for a in n.attribute if a.HasField("g")]} for n in block.node]
graph = model.graph
print(json.dumps({"inputs": {v.name: dims(v) for v in graph.input}, "outputs": {v.name: dims(v) for v in graph.output},
                  "dtypes": {v.name: dtype(v) for v in [*graph.input, *graph.output]}, "nodes": nodes(graph),
                  "kinds": [n.op_type for n in graph.node], "docs": [n.doc_string for n in graph.node], "ir": model.ir_version,
                  "producer": model.producer_name, "graph": graph.name, "opset": {i.domain: i.version for i in model.opset_import},
                  "weights": [t.name for t in graph.initializer], "functions": [f.name for f in model.functions]}))
'''

SAVE = '''
import sys, torch
sys.path.insert(0, sys.argv[1])
import net as source
torch.manual_seed(0)
args = eval(sys.argv[2], {**vars(torch), **vars(source)})
net = source.Net().eval() if hasattr(source, "Net") else source.function
form = sys.argv[3]
torch.save(args, sys.argv[1] + "/net.args")
if form == "pt2":
    torch.export.save(torch.export.export(net, args), sys.argv[1] + "/net.pt2")
else:
    if form == "trace":
        net = torch.jit.trace(net, args, check_trace=False)
    else:
        net = torch.jit.script(net)
    net.save(sys.argv[1] + "/net.pt")
'''

COMPARE = '''
import sys, numpy, torch, onnxruntime
def flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flat(part)]
    return [] if value is None else [torch.as_tensor(value)]
session = onnxruntime.InferenceSession(sys.argv[2], providers=["CPUExecutionProvider"])
names = [value.name for value in session.get_inputs()]
torch.set_grad_enabled(False)
for args in eval(sys.argv[3], vars(torch)):
    torch.manual_seed(0)
    feeds = {name: value.clone().numpy() for name, value in zip(names, flat(args))}
    expected = torch.jit.load(sys.argv[1])(*args)
    got = session.run(None, feeds)
    got = [item for value in got for item in (value if isinstance(value, list) else [value])]
    expected = flat(expected)
    assert len(got) == len(expected), (args, got, expected)
    for mine, theirs in zip(got, expected):
        assert mine.dtype == theirs.numpy().dtype and mine.shape == theirs.shape, (args, mine, theirs)
        assert numpy.allclose(mine, theirs.numpy(), 1e-4, 1e-5, equal_nan=True), (args, mine, theirs)
'''


class FeatureTest(tool.ToolTest):
    quick_parts = 2

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "model.onnx"

    def call(self, code, arguments, body, *flags, head=""):
        """Exports a method. `arguments`: 'x=float32[2,3] n=3'. Returns the errors."""
        names = ", ".join(name + (": int" if "[" not in spec else "") for name, spec in
                          (argument.split("=") for argument in arguments.split()))
        net = self.folder / "net.py"
        net.write_text(f"import torch\n{head}\ndef forward(self, {names}):\n    " + body.replace("\n", "\n    ") + "\n")
        given = [flag for argument in arguments.split() for flag in ("--input", argument)]
        return self.run_tonnx(code, "export", net, "-o", self.out, *given, *flags)[1]

    def saved(self, text, args, form="script"):
        """Writes `function` or `Net` of the text as net.pt or net.pt2, and net.args. Returns the program's path."""
        (self.folder / "net.py").write_text("import torch\nfrom typing import *\nfrom torch import nn, Tensor\n\n" + text)
        self.python(SAVE, self.folder, args, form)
        return self.folder / ("net.pt2" if form == "pt2" else "net.pt")

    def program(self, text, args, *flags, form="script", code=0):
        """Saves and exports such a program. Returns the errors."""
        return self.export(code, *flags, archive=self.saved(text, args, form), args=self.folder / "net.args")[1]

    def compare(self, *cases):
        """The model equals net.pt on these arguments, each the text of a tuple."""
        self.python(COMPARE, self.folder / "net.pt", self.out, "[" + ", ".join(cases) + "]")

    def model(self):
        return json.loads(self.python(SHOW, self.out))
