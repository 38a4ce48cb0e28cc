"""Features of docs/features.md: operators that the documentation limits or lists: operator_features_test.py TONNX SAMPLES"""

import pathlib

import feature
import tool

# The operators of aten that the documentation of PyTorch 1.1, 1.4 and 1.5 lists.
LISTED = """
__and__ __interpolate __lshift__ __or__ __rshift__ _convolution _convolution_mode _dim_arange _shape_as_tensor _unique
_unique2 _weight_norm abs acos adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
adaptive_max_pool2d adaptive_max_pool3d add addmm arange argmax argmin asin atan avg_pool1d avg_pool2d avg_pool3d baddbmm
batch_norm bitwise_left_shift bitwise_right_shift cat ceil clamp clamp_max clamp_min concat constant_pad_nd conv1d conv2d
conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution copy cos cumsum det detach div dropout elu embedding
empty empty_like eq erf exp expand expand_as feature_dropout flatten floor floor_divide frobenius_norm full full_like gather
ge gelu glu group_norm gru gt hardtanh im2col index index_copy index_fill index_put index_select instance_norm isnan item
layer_norm le leaky_relu linalg_det log log1p log2 log_sigmoid log_softmax logdet logsumexp lstm lt masked_fill max
max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices mean min mm mul
multinomial narrow ne neg nonzero norm ones ones_like pad permute pixel_shuffle pow prelu prod rand randn randn_like
reciprocal reflection_pad1d reflection_pad2d reflection_pad3d relu repeat replication_pad1d replication_pad2d
replication_pad3d reshape reshape_as rnn_relu rnn_tanh round rrelu rsqrt rsub scalar_tensor scatter scatter_add select selu
sigmoid sign sin size slice softmax softplus sort split split_with_sizes sqrt squeeze stack std sub sum t tan tanh threshold
to topk transpose triu true_divide type_as unbind unfold unique_dim unsqueeze upsample_bicubic2d upsample_bilinear2d
upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_trilinear3d view where zeros zeros_like
"""


# Operators without a conversion: several results, options, lists, dtypes that ONNX's own operators lack.
UNCONVERTED = """matrix = torch.relu(x) + x.t()
ld, pivots, info = torch.linalg_ldl_factor_ex(matrix + matrix.t())
solved = torch.linalg_ldl_solve(ld, pivots, y)
tangent = torch.glu_jvp(x[:, :2], x, y, 1)
norms = torch.norm_except_dim(solved * 0.1, 2, 0)
image = torch.cat([x, y]).reshape(1, 2, 4, 4)
convolved = torch.slow_conv_dilated2d(image, image[:, :, :2, :2], [2, 2], None, [1, 1], [1, 1], [2, 1])
return ld, pivots, info, solved, tangent, norms, convolved, torch.hash_tensor(x, [1], keepdim=True)"""

# Others, to be run by LibTorch as well.
CONVERTED = """largest, places = torch.topk(x, 2, 1)
rows = torch.cat([x, y, torch.zeros([0, 4])], 0)
parts = torch.clamp(rows, None, 0.5)
whole = torch.div(n, 2, rounding_mode="floor")
return (largest, places, parts, torch.sum(parts, [1], True), whole, n > 2, torch.softmax(x.double(), 1),
        x.to(torch.float16) + 1, x.to(torch.bfloat16) * y.to(torch.bfloat16), torch.where(n > 1, n, 7), x[:0].abs(), n.to(torch.int8) + n.to(torch.uint8))"""

# A process with a LibTorch of its own.
WITH_LIBRARY = """
import sys, numpy, torch, onnxruntime
options = onnxruntime.SessionOptions()
options.register_custom_ops_library(sys.argv[1])
session = onnxruntime.InferenceSession(sys.argv[2], options, providers=["CPUExecutionProvider"])
x = torch.arange(6.).reshape(2, 3)
y, = session.run(None, {"x": x.numpy()})
assert numpy.array_equal(y, torch.norm_except_dim(x, 2, 0).numpy()), y

from onnx import TensorProto, helper
def run(inputs, **attributes):
    node = helper.make_node("clamp", inputs, ["y"], domain="aten", **attributes)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", [2, 3]), ("n", []))]
    graph = helper.make_graph([node], "g", values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("aten", 1)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x.numpy(), "n": numpy.array(2, "float32")})[0]
assert numpy.array_equal(run(["x", "n"], overload_name="Tensor"), x.clamp(min=2).numpy())
assert numpy.array_equal(run(["x", "", "n"], overload_name="Tensor"), x.clamp(max=2).numpy())
assert numpy.array_equal(run(["x"], max=2.0), x.clamp(max=2).numpy())
try:
    run(["x", "n"])  # the least or the largest value
except Exception as error:
    assert "fit them in several ways" in str(error), error
else:
    raise AssertionError("an ambiguous node runs")
"""


class OperatorFeatures(feature.FeatureTest):
    def agrees(self, arguments, body, *flags):
        self.call(0, arguments, body, "--verify", *flags)

    def test_F288_add_and_sub_with_alpha(self):
        self.agrees("x=float32[2,3] y=float32[2,3]", "return torch.add(x, y, alpha=2), torch.sub(x, y, alpha=0.5), torch.rsub(x, y, alpha=3), x.add(1, alpha=2)",
                    "--dynamic", "x:0=n,y:0=n")

    def test_F289_prelu_with_one_weight(self):
        self.agrees("x=float32[2,3,4] w=float32[1] v=float32[3]", "return torch.prelu(x, w), torch.prelu(x, v)", "--dynamic", "x:0=n,x:2=m")

    def test_F290_threshold_with_any_values(self):
        self.agrees("x=float32[2,3]", "return torch.threshold(x, 0.3, -2.0), torch.threshold(x, -0.1, 0.0), torch.threshold(x, 1, 7)", "--dynamic", "x:0=n")

    def test_F291_embedding_with_options(self):
        text = ("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                "        self.padded = nn.Embedding(5, 4, padding_idx=1, scale_grad_by_freq=True)\n"
                "        self.sparse = nn.Embedding(5, 4, sparse=True)\n        self.short = nn.Embedding(5, 4, max_norm=0.5)\n"
                "    def forward(self, k):\n        return self.padded(k), self.sparse(k), self.short(k)\n")
        for form in ("script", "trace"):
            self.program(text, "(torch.tensor([[0, 1, 4], [2, 3, 1]]),)", "--dynamic", "k:0=n", "--verify", form=form)

    def test_F292_feature_dropout_in_training(self):
        text = "class Net(nn.Module):\n    def forward(self, x):\n        return nn.functional.dropout2d(x, 0.5, True)\n"
        self.program(text, "(torch.ones(4, 50, 3, 3),)", "--training", "train")
        self.python("import sys, onnxruntime, numpy\nsession = onnxruntime.InferenceSession(sys.argv[1])\n"
                    "y, = session.run(None, {'x': numpy.ones((4, 50, 3, 3), 'float32')})\n"
                    "planes = y.reshape(200, 9)\nassert (planes == planes[:, :1]).all() and set(numpy.unique(y)) == {0.0, 2.0}\n"
                    "assert 0.3 < (planes[:, 0] > 0).mean() < 0.7\n", self.out)
        self.program(text.replace("0.5, True", "0.5, self.training"), "(torch.ones(4, 50, 3, 3),)", "--verify")
        self.assertEqual(self.model()["kinds"], ["Identity"])

    def test_F45_F251_libtorch_runs_its_operators_in_onnxruntime(self):
        inputs = "x=float32[4,4] y=float32[4,4]"
        self.assertIn("not supported", self.call(1, inputs, UNCONVERTED))
        for operators in ("aten-fallback", "fallthrough", "aten"):
            self.agrees(inputs, UNCONVERTED, "--operators", operators)
            self.agrees(inputs + " n=int64[4]", CONVERTED, "--operators", operators)
        self.run_tonnx(0, "run", self.out, "--input", "x=float32[4,4]", "--input", "y=float32[4,4]", "--input", "n=int64[4]")
        self.agrees("x=float32[4,4]", "return torch.norm_except_dim(x, 2, 0), torch.hash_tensor(x[:, :1])", "--dynamic",
                    "x:0=n", "--operators", "aten-fallback")
        self.call(0, "x=float32[2,3]", "return torch.norm_except_dim(x, 2, 0)", "--operators", "aten-fallback")
        library = pathlib.Path(self.tonnx).parent / "libtonnx_ort_aten.so"
        self.python(WITH_LIBRARY, library, self.out)
        model = self.out.read_bytes()
        self.out.write_bytes(model.replace(b"norm_except_dim", b"norm_except_dam"))
        self.assertIn("LibTorch has no operator aten::norm_except_dam",
                      self.run_tonnx(3, "run", self.out, "--input", "x=float32[2,3]")[1])
        self.call(0, "x=float32[3]", "return torch.rand(3) + x, torch.rand(3) + x", "--operators", "aten")
        self.run_tonnx(0, "run", self.out, "--input", "x=float32[3]", "-o", self.folder / "drawn.npz")
        self.python("import sys, numpy\nfirst, second = numpy.load(sys.argv[1]).values()\nassert (first != second).any()",
                    self.folder / "drawn.npz")

    def test_F293_unfold(self):
        self.agrees("x=float32[2,9,5]", "return x.unfold(1, 3, 2), x.unfold(-1, 2, 1).sum(-1)", "--dynamic", "x:0=n")

    def test_F294_expand_anywhere(self):
        self.agrees("x=float32[3,1]", "return x.expand(-1, 4), x.expand(2, -1, 5).relu(), x.expand_as(torch.zeros(2, x.size(0), 2)), x.expand(x.size(0), 7) * 2", "--dynamic", "x:0=n")

    def test_F295_softmax_over_any_axis(self):
        self.agrees("x=float32[2,3,4]", "return x.softmax(0), x.softmax(1), x.softmax(-1), x.log_softmax(-2), torch.softmax(x, 1, torch.float64)",
                    "--dynamic", "x:0=n,x:1=m")

    def test_F296_pooling_with_ceil_mode(self):
        text = ("import torch.nn.functional as F\n\ndef function(x):\n    y = x[:, :, 0]\n    z = y[:, :, 0]\n"
                "    return (F.max_pool1d(z, 2, 2, ceil_mode=True), F.max_pool2d(y, 3, 2, ceil_mode=True), F.max_pool3d(x, 2, 2, ceil_mode=True),\n"
                "            F.avg_pool2d(y, 3, 2, 1, ceil_mode=True), F.avg_pool2d(y, 2, 2, ceil_mode=True, count_include_pad=False))\n")
        archive = self.saved(text, "(torch.randn(1, 2, 8, 8, 8),)")
        for opset in ("9", "10", "17"):
            self.export(0, "--verify", "--opset", opset, archive=archive, args=self.folder / "net.args")

    def test_F297_index_with_tensors(self):
        self.agrees("x=float32[4,3,5]", "i = torch.tensor([0, 2])\nreturn x[1], x[i], x[:, i], x[i, :, torch.tensor([1, 4])], x[1, i], x[..., 0], x[x > 0], x[:, None, 1:]",
                    "--dynamic", "x:0=n", "--verify-sizes", "n=6")

    def test_F283_listed_operators(self):
        supported = {line.split()[0].split(".")[0] for line in self.run_tonnx(0, "registry")[0].splitlines()}
        missing = [name for name in LISTED.split() if "aten::" + name not in supported]
        self.assertEqual(missing, [])
        # Writes become functional before operators are converted.
        self.assertIn("copy_", {name.removeprefix("aten::") for name in supported})
        self.agrees("x=float32[2,3] y=float32[3]", "z = x + 1\nz.copy_(y)\nz[0].copy_(x[1])\nreturn z")


if __name__ == "__main__":
    tool.main()
