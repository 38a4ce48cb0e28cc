"""Operators that the public ones call: they occur in traces with autograd's decompositions and in compiled programs."""
import torch

from case import FLOATS, Dim, Family, index, tensor

family = Family("kernels", opset=7)
B = Dim("batch", 2, 3)
N = Dim("n", 4, 6)
M = Dim("m", 3, 5)
H = Dim("height", 6, 7)
W = Dim("width", 8, 5)
scope = {"torch": torch, "ops": torch.ops.aten}


def call(text, names="x"):
    return eval(f"lambda {names}: ops.{text}", scope)


def compiled(text, names):
    return torch.jit.CompilationUnit(f"def call({names}):\n  return torch.ops.aten.{text}\n").call


# Activations.
x = tensor(B, 3, N)
for name in ("_softmax", "_log_softmax"):
    family.case(f"{name}.plain", call(f"{name}(x, 1, False)"), x, dtypes=FLOATS)
family.case("_safe_softmax.plain", call("_safe_softmax(x, -1)"), x, dtypes=FLOATS, opset=9)
family.case("_safe_softmax.hidden_row", call("_safe_softmax(x, 1)"), tensor(values=[[0.5, float("-inf"), 1.0], [float("-inf")] * 3]), opset=9)
family.case("_prelu_kernel.plain", call("_prelu_kernel(x, y)", "x, y"), x, tensor(1, 3, 1), dtypes=FLOATS)
family.case("log_sigmoid_forward.plain", call("log_sigmoid_forward(x)[0]"), x, dtypes=FLOATS)
family.case("native_dropout.off", call("native_dropout(x, 0.5, False)"), x, dtypes=FLOATS, opset=9)
family.case("rrelu.off", call("rrelu(x, 0.1, 0.3, False)"), x, dtypes=FLOATS)
family.case("_addmm_activation.relu", call("_addmm_activation(b, x, y)", "b, x, y"), tensor(M), tensor(N, 5), tensor(5, M))
family.case("_addmm_activation.gelu", call("_addmm_activation(b, x, y, beta=0.5, alpha=2, use_gelu=True)", "b, x, y"), tensor(M), tensor(N, 5),
            tensor(5, M), opset=9)
for name, axes in [("plain", "[1, 3], [0], [1, 2], [2, 3]"), ("backwards", "[-1, 1], [0], [-2, 1], [-1, -2]"), ("one_sum", "[1, 3], [0], [1, 2], [2]"),
                   ("no_sum", "[1, 3], [0], [1, 2], []")]:
    family.case(f"_trilinear.{name}", call(f"_trilinear(x, w, y, {axes})", "x, w, y"), tensor(B, 4), tensor(3, 4, 5), tensor(B, 5),
                dtypes=FLOATS if name == "plain" else FLOATS[:1])
family.case("_trilinear.empty", call("_trilinear(x[:0], w, y[:0], [1, 3], [0], [1, 2], [2, 3])", "x, w, y"), tensor(B, 4), tensor(3, 4, 5), tensor(B, 5))

# Normalisation.
x, weight, positive = tensor(B, 4, N), tensor(4), tensor(4, low=0.5)
names, given = "x, w, b, m, v", (x, weight, weight, weight, positive)
family.case("_batch_norm_no_update.plain", call("_batch_norm_no_update(x, w, b, m, v, 0.1, 1e-5)[0]", names), *given)
family.case("_batch_norm_with_update.plain", call("_batch_norm_with_update(x, w, b, m, v, 0.1, 1e-5)[0]", names), *given)
family.case("_batch_norm_with_update.reserve", call("_batch_norm_with_update(x, w, b, m, v, 0.1, 1e-5)", names), *given)
family.case("_native_batch_norm_legit.plain", call("_native_batch_norm_legit(x, w, b, m, v, False, 0.1, 1e-5)[0]", names), *given)
family.case("_native_batch_norm_legit.training", call("_native_batch_norm_legit(x, w, b, m, v, True, 0.1, 1e-5)[0]", names), *given)
family.case("_native_batch_norm_legit.no_stats", call("_native_batch_norm_legit(x, w, b, True, 0.1, 1e-5)", names), *given)
family.case("_native_batch_norm_legit_no_training.plain", call("_native_batch_norm_legit_no_training(x, w, b, m, v, 0.1, 1e-5)[0]", names), *given)
family.case("_batch_norm_with_update_functional.plain", call("_batch_norm_with_update_functional(x, w, b, m, v, 0.1, 1e-5)", names), *given)
family.case("_batch_norm_with_update_functional.result", call("_batch_norm_with_update_functional(x, w, b, m, v, 0.1, 1e-5)[0]", names), *given)
family.case("_native_batch_norm_legit_functional.off", call("_native_batch_norm_legit_functional(x, w, b, m, v, False, 0.1, 1e-5)[0]", names), *given)
family.case("_fused_rms_norm.plain", call("_fused_rms_norm(x, [6], w, 1e-5)[0]", "x, w"), tensor(B, N, 6), tensor(6), dtypes=FLOATS)
family.case("_weight_norm_interface.plain", call("_weight_norm_interface(x, y)", "x, y"), tensor(N, 5), tensor(N, 1))
family.case("_weight_norm_interface.last", call("_weight_norm_interface(x, y, 1)[0]", "x, y"), tensor(N, 5), tensor(1, 5))

# Convolutions.
image, kernel, bias = tensor(B, 4, H, W), tensor(6, 4, 3, 3, low=-1, high=1), tensor(6)
family.case("thnn_conv2d.plain", call("thnn_conv2d(x, w, [3, 3], b, [2, 1], [1, 0])", "x, w, b"), image, kernel, bias)
family.case("_slow_conv2d_forward.plain", call("_slow_conv2d_forward(x, w, [3, 3], b, [1, 2], [1, 1])", "x, w, b"), image, kernel, bias)
family.case("mkldnn_convolution.plain", call("mkldnn_convolution(x, w, b, [1, 0], [2, 1], [1, 1], 1)", "x, w, b"), image, kernel, bias)
family.case("mkldnn_convolution.groups", call("mkldnn_convolution(x, w, None, [1, 1], [1, 1], [2, 1], 2)", "x, w"), image,
            tensor(6, 2, 3, 3, low=-1, high=1))
family.case("slow_conv3d.plain", call("slow_conv3d(x, w, [2, 2, 2], b, [1, 1, 2], [0, 1, 0])", "x, w, b"), tensor(B, 3, 4, H, W),
            tensor(4, 3, 2, 2, 2, low=-1, high=1), tensor(4))
family.case("conv_tbc.plain", call("conv_tbc(x, w, b)", "x, w, b"), tensor(Dim("time", 5, 8), B, 3), tensor(2, 3, 4), tensor(4))
family.case("conv_tbc.padded", call("conv_tbc(x, w, b, 2)", "x, w, b"), tensor(Dim("time", 5, 8), B, 3), tensor(3, 3, 4), tensor(4))

# Pooling, padding, sampling.
family.case("_adaptive_avg_pool2d.plain", call("_adaptive_avg_pool2d(x, [2, 3])"), tensor(B, 3, 4, 9), dtypes=FLOATS)
family.case("_adaptive_avg_pool2d.one", call("_adaptive_avg_pool2d(x, [1, 1])"), image, dtypes=FLOATS)
family.case("_adaptive_avg_pool2d.uneven", call("_adaptive_avg_pool2d(x, [3, 2])"), tensor(B, 3, 5, 7))
family.case("_adaptive_avg_pool3d.plain", call("_adaptive_avg_pool3d(x, [2, 3, 1])"), tensor(B, 3, 4, 9, 5))
family.case("mkldnn_max_pool2d.plain", call("max_pool2d(x, [2, 2])"), image)
for rank in (1, 2, 3):
    sides = [5, H, W][-rank:]
    padding = [1, 2, 2, 1, 1, 0][: 2 * rank]
    for name in ("reflection", "replication"):
        family.case(f"{name}_pad{rank}d.plain", call(f"{name}_pad{rank}d(x, {padding})"), tensor(B, 3, *sides), dtypes=FLOATS,
                    opset=7)
        family.case(f"{name}_pad{rank}d.unbatched", call(f"{name}_pad{rank}d(x, {padding})"), tensor(3, *sides))
family.case("_pad_circular.plain", call("_pad_circular(x, [1, 2, 2, 1])"), image, dtypes=FLOATS)
for number, name, opset in ((0, "reflect", 7), (1, "replicate", 7), (2, "circular", 7)):
    family.case(f"_pad_enum.{name}", call(f"_pad_enum(x, [1, 2, 2, 1], {number})"), image, opset=opset)
family.case("_pad_enum.constant", call("_pad_enum(x, [1, 2, 2, 1], 3, 1.5)"), image, dtypes=FLOATS)
for name, opset, options in [("bilinear_zeros", 11, "0, 0, False"), ("nearest_border", 11, "1, 1, True"), ("bilinear_reflection", 11, "0, 2, False")]:
    grid = tensor(B, M, 4, 2, low=-1.2, high=1.2)
    family.case(f"grid_sampler_2d.{name}", call(f"grid_sampler_2d(x, g, {options})", "x, g"), image, grid, opset=opset)
    family.case(f"_grid_sampler_2d_cpu_fallback.{name}", call(f"_grid_sampler_2d_cpu_fallback(x, g, {options})", "x, g"), image, grid, opset=opset)
    family.case(f"grid_sampler_3d.{name}", call(f"grid_sampler_3d(x, g, {options})", "x, g"), tensor(B, 2, 4, H, W),
                tensor(B, M, 4, 2, 3, low=-1.2, high=1.2), opset=11)

# Cells of recurrent networks; a trace contains the operators they consist of.
rows = {"rnn_tanh_cell": 6, "rnn_relu_cell": 6, "gru_cell": 18, "lstm_cell": 24}
for name, count in rows.items():
    weights = tensor(count, 4, low=-1, high=1), tensor(count, 6, low=-1, high=1), tensor(count), tensor(count)
    state, names = ((tensor(B, 6), tensor(B, 6)), "x, h, c, wi, wh, bi, bh") if name == "lstm_cell" else ((tensor(B, 6),), "x, h, wi, wh, bi, bh")
    hidden = "[h, c]" if name == "lstm_cell" else "h"
    family.case(f"{name}.plain", compiled(f"{name}(x, {hidden}, wi, wh, bi, bh)", names), tensor(B, 4), *state, *weights, dtypes=FLOATS, script=True)
    names = names.removesuffix(", bi, bh")
    family.case(f"{name}.no_bias", compiled(f"{name}(x, {hidden}, wi, wh)", names), tensor(B, 4), *state, *weights[:2], script=True)

# Embedding bags.
table, bags = tensor(9, 4), tensor(values=[0, 2, 3], dtype=torch.int64)
for name in ("_embedding_bag", "_embedding_bag_forward_only"):
    for mode, label in enumerate(("sum", "mean", "max")):
        family.case(f"{name}.{label}", call(f"{name}(w, i, o, False, {mode})[0]", "w, i, o"), table, index(6, below=9), bags, opset=11)
    family.case(f"{name}.weighted", call(f"{name}(w, i, o, False, 0, False, p)[0]", "w, i, o, p"), table, index(6, below=9), bags, tensor(6), opset=11)

# Attention.
q, k = tensor(B, 2, N, 8), tensor(B, 2, M, 8)
for name, text, opset in [
    ("math", "_scaled_dot_product_attention_math(q, k, v)[0]", 9),
    ("math_causal", "_scaled_dot_product_attention_math(q, k, v, is_causal=True, scale=0.3)[0]", 9),
    ("flash_for_cpu", "_scaled_dot_product_flash_attention_for_cpu(q, k, v)[0]", 9),
    ("flash_for_cpu_causal", "_scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)[0]", 9),
]:
    same = "causal" in name
    family.case(f"attention.{name}", call(text, "q, k, v"), q, q if same else k, q if same else k, opset=opset)
family.case("attention.math_masked", call("_scaled_dot_product_attention_math(q, k, v, m)[0]", "q, k, v, m"), q, k, k, tensor(N, M), opset=9)
family.case("attention.flash_for_cpu_masked", call("_scaled_dot_product_flash_attention_for_cpu(q, k, v, attn_mask=m)[0]", "q, k, v, m"), q, k, k,
            tensor(N, M), opset=9)

# Linear algebra.
square = tensor(B, 4, 4)
for name, text in [("_linalg_det", "(x)[0]"), ("_linalg_slogdet", "(x)[:2]"), ("_linalg_solve_ex", "(x, x + 1)[0]"),
                   ("_linalg_eigh", "(x)[0]"), ("_linalg_svd", "(x)[1]"), ("_linalg_svd", "(x, compute_uv=False)[1]")]:
    family.case(f"{name}.{'values' if 'uv' in text else 'plain'}", call(name + text), square, opset=11, rtol=1e-3, atol=1e-3)
