"""Models for ONNX Runtime and for plain ONNX (--target): target_test.py TONNX SAMPLES"""

import json

import tool

# A case, the opset, an operator of plain ONNX, one of the workaround; whether ONNX's reference evaluator runs the model.
CASES = [
    ("convolution.double.conv2d", 17, "Conv", "MatMul", True),
    ("convolution.double.conv_transpose2d", 17, "ConvTranspose", "MatMul", False),
    ("recurrent.lstm.double_bare", 17, "LSTM", "Scan", True),
    ("digits.asin.near_zero.double", 17, "Asin", "Sqrt", True),
    ("digits.atanh.near_zero.double", 17, "Atanh", "Log", True),
    ("digits.sigmoid.far.double", 17, "Sigmoid", "Exp", True),
    ("digits.softplus.far.double", 17, "Softplus", "Log", True),
    ("pooling.avg_pool2d.sums_plain.float64", 17, "AveragePool", "Slice", True),
    ("reduction.sum.whole.int64", 17, "ReduceSum", "Div", True),
    ("reduction.prod.whole.int64", 17, "ReduceProd", "Slice", True),
    ("elementwise.fmod.tensor.int64", 17, "Mod", "Div", True),
    ("random.rand.range", 22, "RandomUniform", "Dropout", False),
]

# The operators of a model that onnx's checker accepts and, if there are arguments, whose results ONNX's reference evaluator
# confirms; a result of LibTorch comes from the archive.
CHECK = '''
import json, onnx, sys
model = onnx.load(sys.argv[1])
onnx.checker.check_model(sys.argv[1], full_check=True)
def kinds(graph):
    for node in graph.node:
        yield node.op_type
        for a in node.attribute:
            if a.HasField("g"):
                yield from kinds(a.g)
if len(sys.argv) > 2:
    import onnx.reference, torch
    def tensors(value):
        return [value] if isinstance(value, torch.Tensor) else [t for item in value for t in tensors(item)] if isinstance(value, (tuple, list)) else []
    given = torch.load(sys.argv[3])
    inputs = {i.name: t.numpy() for i, t in zip(model.graph.input, tensors(given), strict=True)}
    results = onnx.reference.ReferenceEvaluator(model).run(None, inputs)
    with torch.no_grad():
        expected = tensors(torch.jit.load(sys.argv[2])(*given))
    for mine, theirs in zip(results, expected, strict=True):
        torch.testing.assert_close(torch.from_numpy(mine.copy()).reshape(mine.shape), theirs, rtol=1e-6, atol=1e-9, equal_nan=True)
print(json.dumps([model.producer_name, *kinds(model.graph)]))
'''


class Target(tool.ToolTest):
    def operators(self, case, target, opset, *evaluated):
        archive, args = self.sample(case)
        self.export(0, "--target", target, "--opset", opset, archive=archive, args=args)
        return json.loads(self.python(CHECK, self.out, *evaluated))

    def test_onnx_has_the_plain_operator_and_onnxruntime_the_workaround(self):
        for case, opset, plain, workaround, is_evaluated in CASES:
            with self.subTest(case):
                own = self.operators(case, "onnx", opset, *self.sample(case) if is_evaluated else ())
                others = self.operators(case, "onnxruntime", opset)
                self.assertIn(plain, own)
                self.assertNotIn(workaround, own)
                self.assertIn(workaround, others)
                self.assertLess(len(own), len(others))

    def test_onnxruntime_is_the_default(self):
        archive, args = self.sample("convolution.double.conv2d")
        self.export(0, archive=archive, args=args)
        first = self.out.read_bytes()
        self.export(0, "--target", "onnxruntime", archive=archive, args=args)
        self.assertEqual(self.out.read_bytes(), first)

    def test_narrow_dtypes_are_kept(self):
        source = self.folder / "net.py"
        source.write_text("import torch\n\ndef forward(self, x):\n    return torch.tanh(x * x)\n")
        kinds = {}
        for target in ("onnx", "onnxruntime"):
            self.run_tonnx(0, "export", source, "-o", self.out, "--input", "x=bfloat16[2,3]", "--target", target)
            kinds[target] = json.loads(self.python(CHECK, self.out))[1:]
        self.assertEqual(kinds["onnx"], ["Mul", "Tanh"])
        self.assertIn("Cast", kinds["onnxruntime"])

    def test_verification_names_the_target_if_onnx_runtime_has_no_kernel(self):
        archive, args = self.sample("convolution.double.conv2d")
        self.assertEqual(self.export(0, "--target", "onnx", archive=archive, args=args)[1], "")  # no warning
        err = self.export(4, "--target", "onnx", "--verify", archive=archive, args=args)[1]
        self.assertIn("it has no kernel for this operator and dtype", err)
        self.assertIn("the model was exported for target onnx", err)
        self.assertIn("--target onnxruntime", err)
        self.export(0, "--target", "onnxruntime", "--verify", archive=archive, args=args)

    def test_verification_names_the_target_if_onnx_runtime_differs(self):
        archive, args = self.sample("elementwise.sign.of_long_sums")
        self.assertIn("the model was exported for target onnx", self.export(3, "--target", "onnx", "--verify", archive=archive, args=args)[1])


if __name__ == "__main__":
    tool.main()
