"""Features of docs/features.md: ONNX functions of the user: function_features_test.py TONNX SAMPLES"""

import feature
import tool

SELU = '''<domain: "onnx-script", opset_import: ["" : %d]>
Selu (X) => (Y) {
  alpha = Constant <value_float = 1.67326319217681884765625> ()
  gamma = Constant <value_float = 1.05070102214813232421875> ()
  zero = Constant <value_float = 0.0> ()
  alphaX = CastLike (alpha, X)
  gammaX = CastLike (gamma, X)
  zeroX = CastLike (zero, X)
  exp = Exp (X)
  scaled = Mul (alphaX, exp)
  shifted = Sub (scaled, alphaX)
  neg = Mul (gammaX, shifted)
  pos = Mul (gammaX, X)
  below = LessOrEqual (X, zeroX)
  Y = Where (below, neg, pos)
}
'''
CHAIN = '''<domain: "my", opset_import: ["" : 17, "my" : 1, "other" : 1]>
Outer (X) => (Y) { a = other.Middle (X) b = my.Inner (a) Y = Add (a, b) }
<domain: "other", opset_import: ["" : 17, "my" : 1]>
Middle (X) => (Y) { Y = my.Inner (X) }
<domain: "my", opset_import: ["" : 17]>
Unused (X) => (Y) { Y = Neg (X) }
<domain: "my", opset_import: ["" : 17]>
Inner (X) => (Y) {
  n = Size (X) three = Constant <value_int = 3> () many = Greater (n, three)
  Y = If (many) <then_branch = yes () => (float[] y) { y = Abs (X) }, else_branch = no () => (float[] z) { z = Neg (X) }>
}
<domain: "my", opset_import: ["" : 17, "my" : 1, "other" : 1]>
Last (X) => (Y) { Y = my.Outer (X) }
'''
ELU = '''<domain: "my", opset_import: ["" : 17]>
Scaled <alpha, scale: float = 2.0> (X) => (Y) {
  e = Elu <alpha: float = @alpha> (X)
  s = Constant <value_float: float = @scale> ()
  sX = CastLike (s, e)
  Y = Mul (e, sX)
}
'''
ADDED = '''<domain: "my", opset_import: ["" : 17]>
Plus (X, other, alpha) => (Y) { scaled = Mul (other, alpha) Y = Add (X, scaled) }
'''
DRAWN = '''<domain: "my", opset_import: ["" : 17]>
Noise (X) => (Y) { r = RandomNormalLike <seed = 1.0> (X) z = Sub (r, r) Y = Add (X, r) }
'''
SAVE_FUNCTION = '''
import sys, onnx
open(sys.argv[2], "wb").write(onnx.parser.parse_function(open(sys.argv[1]).read()).SerializeToString())
'''


class FunctionFeatures(feature.FeatureTest):
    def written(self, text, name="function.txt"):
        (self.folder / name).write_text(text)
        return self.folder / name

    def exported(self, text, op, arguments, body, *more, code=0, head=""):
        """Exports a method whose operator is a call of the text's last function."""
        return self.call(code, arguments, body, "--function", f"{self.written(text)}:{op}", *more, head=head)

    def test_F222_F225_the_documented_selu(self):
        self.exported(SELU % 15, "aten::selu", "x=float32[1,2,3,4]", "return torch.selu(x)", "--opset", "15", "--verify")
        model = self.model()
        self.assertEqual((model["kinds"], model["nodes"][0]["domain"], model["functions"]), (["Selu"], "onnx-script", ["Selu"]))
        self.assertEqual((model["opset"], model["ir"]), ({"": 15, "onnx-script": 1}, 8))
        self.assertEqual(model["outputs"], {"output": [1, 2, 3, 4]})
        for dtype, size in (("float64", "2,3"), ("float16", "0,3"), ("float32", "")):
            for more in ((), ("--verify-every-operator",)):
                self.exported(SELU % 17, "aten::selu", f"x={dtype}[{size}]", "return torch.selu(x) + torch.selu(x * 2)", "--verify", *more)
        self.exported(SELU % 17, "aten::selu", "x=float32[2,3]", "return torch.selu_(x * 3)", "--dynamic", "x:0", "--verify", "--verify-sizes", "x_dynamic_axes_1=5")

    def test_F222_a_function_from_its_bytes(self):
        self.python(SAVE_FUNCTION, self.written(SELU % 17), self.folder / "selu.bin")
        self.call(0, "x=float32[2,3]", "return torch.selu(x)", "--function", f"{self.folder / 'selu.bin'}:aten::selu", "--verify")
        self.assertEqual(self.model()["functions"], ["Selu"])
        # Without an operator, only other functions can call the function; no one does here.
        self.call(0, "x=float32[2,3]", "return torch.selu(x)", "--function", self.folder / "selu.bin", "--verify")
        self.assertEqual(self.model()["functions"], [])
        for content, reason in ((b"\x0a\x03abc\x01", "neither a FunctionProto"), (b"", "empty"), (b"<domain: 3>", "ONNX text format"),
                                (b'<domain: "m", opset_import: ["" : 17]> F (x) => (y) { y = Nothing (x) }', "Nothing"),
                                (b'<domain: "m", opset_import: ["" : 17]> F (x) => (y) { y = Relu (z) }', "'z'"),
                                (b'<domain: "m", opset_import: ["" : 17]> F (x) => (y) { z = Relu (x) }', "'y'"),
                                (b'<domain: "m"> F (x) => (y) { y = Relu (x) }', "import"),
                                (b'<domain: "m", opset_import: ["" : 99]> F (x) => (y) { y = Relu (x) }', "99"),
                                (b'<domain: "m", opset_import: ["" : 17]> F (x) => (y) { y = Elu <alpha: float = @a> (x) }', "'a'"),
                                (b'<domain: "", opset_import: ["" : 17]> F (x) => (y) { y = Relu (x) }', "domain")):
            (self.folder / "bad").write_bytes(content)
            err = self.call(2, "x=float32[2,3]", "return torch.selu(x)", "--function", f"{self.folder / 'bad'}:aten::selu")
            self.assertIn(reason, err)
            self.assertIn("--function", err)
        self.assertIn("cannot be read", self.call(4, "x=float32[2,3]", "return torch.selu(x)", "--function", "missing.txt"))

    def test_F223_calls_in_branches(self):
        body = "y = torch.selu(x)\nif bool(x.sum() > 0):\n    y = torch.selu(y)\nelse:\n    for i in range(3):\n        y = torch.selu(y) + i\nreturn y"
        for given in ("float32[2,3]", "float32[1,0]"):
            self.exported(SELU % 17, "aten::selu", f"x={given}", body, "--mode", "script", "--verify")
        model = self.model()
        self.assertEqual(model["functions"], ["Selu"])
        branch = next(node for node in model["nodes"] if node["kind"] == "If")
        self.assertIn("Selu", [node["kind"] for block in branch["blocks"] for node in block])

    def test_F224_versions(self):
        def err(code, *more, text=SELU % 15, op="aten::selu"):
            return self.exported(text, op, "x=float32[2,3]", "return torch.selu(x)", *more, code=code)
        self.assertIn("needs opset 15", err(1, "--opset", "14"))
        text = err(1, "--opset", "17")
        self.assertIn("written for opset 15", text)
        self.assertIn("export for opset 15, or write the function for opset 17", text)
        # Operators that are the same at both opsets.
        relu = '<domain: "my", opset_import: ["" : 14]> F (x) => (y) { y = Relu (x) }'
        for opset in (15, 21):
            err(3, "--opset", str(opset), "--verify", text=relu)
        err(0, "--opset", "15", "--custom-opset", "onnx-script=2", "--verify")
        self.assertEqual(self.model()["opset"], {"": 15, "onnx-script": 2})
        two = ('<domain: "my", opset_import: ["" : 17, "other" : 1]> A (x) => (y) { y = other.C (x) }\n'
               '<domain: "my", opset_import: ["" : 17, "other" : 2, "my" : 1]> B (x) => (y) { z = other.D (x) y = my.A (z) }\n')
        self.assertIn("other=2", err(2, text=two))
        err(0, "--custom-opset", "other=3", text=two)
        self.assertEqual(self.model()["opset"], {"": 17, "my": 1, "other": 3})

    def test_F226_functions_that_call_functions(self):
        for dims in ("2,3", "1"):
            self.exported(CHAIN, "my_ops::last", f"x=float32[{dims}]", "return torch.ops.my_ops.last(x) * 2",
                          "--schema", "my_ops::last(Tensor x) -> Tensor")
        model = self.model()
        self.assertEqual(sorted(model["functions"]), ["Inner", "Last", "Middle", "Outer"])
        self.assertEqual(model["opset"], {"": 17, "my": 1, "other": 1})
        self.python("""
import sys, numpy, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
got = session.run(None, {"x": numpy.array([-2], numpy.float32)})[0]
assert got.tolist() == [0.0], got
""", self.out)
        loop = ('<domain: "my", opset_import: ["" : 17, "my" : 1]> A (x) => (y) { y = my.B (x) }\n'
                '<domain: "my", opset_import: ["" : 17, "my" : 1]> B (x) => (y) { y = my.A (x) }\n')
        self.assertIn("my::A calls itself", self.exported(loop, "aten::selu", "x=float32[2]", "return torch.selu(x)", code=2))
        missing = '<domain: "my", opset_import: ["" : 17, "my" : 1]> A (x) => (y) { y = my.B (x) }'
        self.assertIn("my::A calls my::B", self.exported(missing, "aten::selu", "x=float32[2]", "return torch.selu(x)"))
        other = [flag for i in range(2) for flag in ("--function", self.written(f'<domain: "my", opset_import: ["" : 17]> A (x) => (y) {{ y = {"Abs Neg".split()[i]} (x) }}', f"{i}.txt"))]
        self.assertIn("another function my::A", self.call(2, "x=float32[2]", "return torch.selu(x)", *other))

    def test_arguments_become_inputs_and_attributes(self):
        text = ELU.replace("2.0", "1.0")
        self.exported(text, "aten::elu", "x=float32[2,3]", "return torch.ops.aten.elu(x, 0.5)", "--verify")
        self.assertEqual(self.model()["nodes"][0]["attributes"], {"alpha": "0.5", "scale": "1.0"})
        self.exported(text, "aten::elu", "x=float32[2,3]", "return torch.ops.aten.elu(x, 2)", "--verify")
        err = self.exported(text, "aten::elu", "x=float32[2,3]", "return torch.ops.aten.elu(x, 1.0, 1.0, 3.0)", code=1)
        self.assertIn("'input_scale'", err)
        err = self.exported(text, "aten::elu", "x=float32[2,3] a=2", "return torch.ops.aten.elu(x, float(a))", code=1)
        self.assertIn("at run time", err)
        for dtype in ("float32", "float64", "int64"):
            self.exported(ADDED, "aten::add.Tensor", f"x={dtype}[2,3] y={dtype}[3]", "return torch.add(x, y, alpha=2)",
                          "--verify", code=0 if dtype == "int64" else 1)
        self.exported(ADDED, "aten::add.Tensor", "x=float32[2,3] y=float32[3]", "return torch.add(x, y, alpha=2.5)", "--verify")
        err = self.exported(SELU % 17, "aten::sub.Tensor", "x=float32[2] y=float32[2]", "return x - y", code=1)
        self.assertIn("'other'", err)
        err = self.exported(SELU % 17, "aten::max.dim", "x=float32[2]", "return x.max(0)[0]", code=1)
        self.assertIn("returns 1 outputs, the operator 2", err)
        err = self.exported(SELU % 17, "aten::exp", "x=float32[2]", "return torch.real(torch.exp(torch.complex(x, x)))", code=1)
        self.assertIn("complex", err)
        dtype = '<domain: "my", opset_import: ["" : 17]> S <dim, dtype> (X) => (Y) { Y = Softmax <axis: int = @dim> (X) }'
        err = self.exported(dtype, "aten::softmax.int", "x=float32[2]", "return torch.softmax(x, 0, torch.float64)", code=1)
        self.assertIn("'dtype'", err)

    def test_F264_an_overload_is_asked_by_the_name_in_the_archive(self):
        """torch.export calls aten.mul.Tensor with a number, which is read as aten::mul.Scalar."""
        function = '<domain: "my", opset_import: ["" : 17]>\n%s (X, other) => (Y) { Y = Mul (X, other) }\n'
        own, read = (self.written(function % name, name + ".txt") for name in ("Own", "Read"))

        def kinds(archive, *functions):
            flags = [flag for given in functions for flag in ("--function", given)]
            self.export(0, "--verify", *flags, archive=archive, args=self.folder / "net.args")
            return {"Own", "Read"} & set(self.model()["kinds"])

        net = "class Net(nn.Module):\n    def forward(self, x):\n        y = x * 2.5\n        z = y + 0\n        z[0].mul_(0.5)\n        return y, z\n"
        archive = self.saved(net, "(ones(2, 3),)", "pt2")
        for name in ("aten::mul.Tensor", "aten::mul"):
            self.assertEqual(kinds(archive, f"{own}:{name}"), {"Own"}, name)
            self.assertEqual(self.model()["kinds"].count("Own"), 2, name)
        self.assertEqual(kinds(archive, f"{read}:aten::mul.Scalar"), {"Read"})
        self.assertEqual(kinds(archive, f"{read}:aten::mul.Scalar", f"{own}:aten::mul.Tensor"), {"Own"})
        self.assertEqual(kinds(archive, f"{read}:aten::mul", f"{own}:aten::mul.Tensor"), {"Own"})
        # A function gets the number in the dtype that it has beside the tensor.
        numbers = "class Net(nn.Module):\n    def forward(self, x, n):\n        return x * 2, n * 3, x * x.size(0)\n"
        self.assertEqual(kinds(self.saved(numbers, "(randn(2, 3), ones(2, dtype=torch.int32))", "pt2"), f"{own}:aten::mul.Tensor"), {"Own"})
        script = self.saved(net, "(ones(2, 3),)")
        self.assertEqual(kinds(script, f"{own}:aten::mul.Tensor"), set())  # a script calls aten::mul.Scalar
        tensors = self.saved("class Net(nn.Module):\n    def forward(self, x, y):\n        return x * y, torch.ops.prims.mul(x, x)\n",
                             "(ones(2, 3), ones(3))", "pt2")
        self.assertEqual(kinds(tensors, f"{read}:aten::mul.Scalar"), set())
        self.assertEqual(kinds(tensors, f"{read}:aten::mul", f"{own}:prims::mul"), {"Own", "Read"})

    def test_F241_an_operator_has_its_own_tolerances(self):
        negated = '<domain: "my", opset_import: ["" : 17]>\nNegated (X) => (Y) { Y = Neg (X) }\n'
        call = lambda body, *flags, code=0: self.exported(negated, "aten::selu", "x=float32[2,3]", body, "--verify", *flags, code=code)
        for body in ("return torch.selu(x)", "return torch.selu(x).view(-1)"):
            call(body, code=3)
            call(body, "--operator-tolerance", "aten::selu=0:100,aten::other.out=1:1")
            self.assertIn("by kind: aten::selu 1", call(body, "--operator-tolerance", "aten::relu=0:100", code=3))
        err = call("return torch.selu(x) + 1", "--operator-tolerance", "aten::selu=0:100", code=3)
        self.assertNotIn("by kind: aten::selu", err)  # alone it is within its tolerances
        call("return torch.selu(x) + 1", "--operator-tolerance", "aten::add.Scalar=0:100")
        call("return torch.selu(x) + 1", "--operator-tolerance", "aten::add=0:100,aten::add.Scalar=0:0", code=3)
        call("return torch.selu_(x + 0)", "--operator-tolerance", "aten::selu_=0:100")
        for wrong in ("aten::selu=1", "aten::selu=a:b", "=1:1", "selu=1:1", "aten::selu=nan:1", "aten::=1:1", "::=1:1", "aten::re lu=1:1"):
            call("return torch.selu(x)", "--operator-tolerance", wrong, code=2)

    def test_calls_are_neither_merged_nor_folded(self):
        self.exported(DRAWN, "my_ops::noise", "x=float32[2]", "c = torch.ones(3)\nreturn torch.ops.my_ops.noise(x) - torch.ops.my_ops.noise(x), torch.ops.my_ops.noise(c) * 2",
                      "--schema", "my_ops::noise(Tensor x) -> Tensor")
        self.assertEqual(self.model()["kinds"].count("Noise"), 3)
        # A wrong result is found, and the operator is named.
        err = self.exported(SELU.replace("1.67", "1.5") % 17, "aten::selu", "x=float32[2,3]", "return torch.selu(torch.relu(x) - 1)", "--verify", code=3)
        self.assertIn("aten::selu", err)
        # Modules as functions contain calls of functions.
        archive = self.saved("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.act = nn.SELU()\n    def forward(self, x):\n        return self.act(x) + 1\n", "(torch.randn(2, 3),)")
        self.export(0, "--function", f"{self.written(SELU % 17)}:aten::selu", "--module-functions", "*", "--verify", archive=archive, args=self.folder / "net.args")
        self.assertEqual(sorted(self.model()["functions"]), ["SELU", "Selu"])


if __name__ == "__main__":
    tool.main()
