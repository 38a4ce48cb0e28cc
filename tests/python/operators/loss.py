"""Losses, with every reduction, weights, classes to ignore, and each form of the target."""
import torch
import torch.nn.functional as F

from case import FLOAT, FLOATS, Dim, Family, index, tensor

family = Family("loss", opset=7)
B = Dim("batch", 3, 5)
T = Dim("time", 4, 6)
REDUCTIONS = ("none", "mean", "sum")
x = tensor(B, 4)
unit = tensor(B, 4, low=0.05, high=0.95)
signs = tensor(B, 4, values=None, low=0, high=1, whole=True)


def add(name, text, *inputs, reductions=REDUCTIONS, half=True, **more):
    names = "xyzw"[:len(inputs)]
    for reduction in reductions:
        call = eval(f"lambda {', '.join(names)}: {text}".replace("RED", repr(reduction)), {"F": F, "torch": torch})
        family.case(f"{name}.{reduction}", call, *inputs, dtypes=FLOATS if half and reduction == "mean" else FLOAT, **more)


for function in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"):
    add(function, f"F.{function}(x, y, reduction=RED)", x, x)
add("smooth_l1_loss_beta", "F.smooth_l1_loss(x, y, reduction=RED, beta=0.3)", x, x)
add("smooth_l1_loss_zero", "F.smooth_l1_loss(x, y, reduction=RED, beta=0.0)", x, x, reductions=["mean"])
add("huber_loss_delta", "F.huber_loss(x, y, reduction=RED, delta=0.7)", x, x)
add("binary_cross_entropy", "F.binary_cross_entropy(x, y, reduction=RED)", unit, unit)
add("binary_cross_entropy_ends", "F.binary_cross_entropy(x, y, reduction=RED)", tensor(B, 4, low=0, high=1, whole=True), unit)
family.case("binary_cross_entropy.weight", lambda x, y, w: torch.ops.aten.binary_cross_entropy(x, y, w, 1), unit, unit,
            tensor(4, low=0.5, high=3))


def weighted(x, y, w):
    return F.binary_cross_entropy(x, y, w)


family.case("binary_cross_entropy.scripted_weight", weighted, unit, unit, tensor(4, low=0), script=True)
add("binary_cross_entropy_with_logits", "F.binary_cross_entropy_with_logits(x, y, reduction=RED)", tensor(B, 4, low=-50, high=50), unit)
add("binary_cross_entropy_with_logits_weights", "F.binary_cross_entropy_with_logits(x, y, weight=z, pos_weight=w, reduction=RED)",
    x, unit, unit, tensor(4, low=0.5, high=3))
for name, x_dtype, y_dtype in (("half_target", "float", "half"), ("double_logits", "double", "float"), ("half", "half", "half")):
    for function in ("huber_loss", "soft_margin_loss", "smooth_l1_loss", "mse_loss"):
        add(f"{function}_{name}", f"F.{function}(x.{x_dtype}(), y.{y_dtype}(), reduction=RED)", x, x, rtol=5e-3, atol=5e-3)
    add(f"binary_cross_entropy_with_logits_{name}",
        f"F.binary_cross_entropy_with_logits(x.{x_dtype}(), y.{y_dtype}(), weight=z, pos_weight=w, reduction=RED)",
        x, unit, unit, tensor(4, low=0.5, high=3), rtol=5e-3, atol=5e-3)
add("kl_div", "F.kl_div(x, y, reduction=RED)", x, tensor(B, 4, low=0, high=1), reductions=(*REDUCTIONS, "batchmean"))
add("kl_div_zeros", "F.kl_div(x, y, reduction=RED)", x, signs)
add("kl_div_log", "F.kl_div(x, y, reduction=RED, log_target=True)", x, x)
add("hinge_embedding_loss", "F.hinge_embedding_loss(x, y * 2 - 1, margin=0.5, reduction=RED)", x, signs)
add("poisson_nll_loss", "F.poisson_nll_loss(x, y, reduction=RED)", x, tensor(B, 4, low=0, high=5))
add("poisson_nll_loss_full", "F.poisson_nll_loss(x, y, log_input=False, full=True, reduction=RED)",
    tensor(B, 4, low=0.1, high=3), tensor(B, 4, low=0, high=5))
add("gaussian_nll_loss", "F.gaussian_nll_loss(x, y, z, full=True, reduction=RED)", x, x, tensor(B, 4, low=0.1, high=2))
add("margin_ranking_loss", "F.margin_ranking_loss(x, y, z * 2 - 1, margin=0.3, reduction=RED)", x, x, signs)
add("cosine_embedding_loss", "F.cosine_embedding_loss(x, y, z * 2 - 1, margin=0.2, reduction=RED)", x, x,
    tensor(B, low=0, high=1, whole=True))
bytes = tensor(B, 4, low=0, high=200)
for name, text in [("margin_ranking", "F.margin_ranking_loss(x, y, z, margin=0.5, reduction='none')"),
                   ("triplet_margin", "F.triplet_margin_loss(x, y, z, swap=True, reduction='none')")]:
    family.case(f"{name}.wrapping", eval("lambda x, y, z: " + text, {"F": F}), bytes, bytes, bytes, dtypes=(torch.uint8, torch.int16))
family.case("l1_loss.wrapping", lambda x, y: (F.l1_loss(x, y, reduction="none"), F.l1_loss(x, y, reduction="sum")), bytes, bytes,
            dtypes=(torch.uint8, torch.int16))
add("triplet_margin_loss", "F.triplet_margin_loss(x, y, z, reduction=RED)", x, x, x)
add("triplet_margin_loss_swap", "F.triplet_margin_loss(x, y, z, p=1.0, swap=True, margin=0.5, reduction=RED)", x, x, x)
add("multilabel_soft_margin_loss", "F.multilabel_soft_margin_loss(x, y, reduction=RED)", x, signs)
family.case("mse_loss.broadcast", lambda x, y: F.mse_loss(x, y), x, tensor(1, 4))
family.case("mse_loss.rank0", lambda x, y: F.mse_loss(x, y), tensor(), tensor())
family.case("mse_loss.empty", lambda x, y: (F.mse_loss(x, y), F.mse_loss(x, y, reduction="sum")), tensor(0, 3), tensor(0, 3))

OPSET = {"opset": 9}
classes = tensor(B, 5)
weights = tensor(5, low=0.2, high=2)
labels = index(B, below=5)
add("cross_entropy", "F.cross_entropy(x, y, reduction=RED)", classes, labels, **OPSET)
add("cross_entropy_weight", "F.cross_entropy(x, y, weight=z, reduction=RED, ignore_index=2)", classes, labels, weights, **OPSET)
add("cross_entropy_smooth", "F.cross_entropy(x, y, reduction=RED, label_smoothing=0.1)", classes, labels, **OPSET)
add("cross_entropy_all", "F.cross_entropy(x, y, weight=z, reduction=RED, ignore_index=1, label_smoothing=0.3)", classes, labels,
    weights, **OPSET)
add("cross_entropy_ignored", "F.cross_entropy(x, torch.where(y == 0, -100, y), reduction=RED)", classes, labels, **OPSET)
add("cross_entropy_image", "F.cross_entropy(x, y, weight=z, reduction=RED, label_smoothing=0.2)", tensor(B, 5, T, 2),
    index(B, T, 2, below=5), weights, **OPSET)
add("cross_entropy_shares", "F.cross_entropy(x, y.softmax(1), weight=z, reduction=RED, label_smoothing=0.2)", tensor(B, 5, T),
    tensor(B, 5, T), weights, **OPSET)
add("cross_entropy_vector", "F.cross_entropy(x, y, weight=z, reduction=RED)", tensor(5), index(below=5), weights, **OPSET)
family.case("cross_entropy.all_ignored", lambda x, y: F.cross_entropy(x, y * 0 - 100), classes, labels, **OPSET)
family.case("cross_entropy.out_of_memory_of_softmax", lambda x, y: F.cross_entropy(x * 1000, y), classes, labels, **OPSET)
family.case("cross_entropy.nan", lambda x, y: F.cross_entropy(torch.where(x > 2, torch.log(-x), x), y, reduction="none"), classes, labels,
            dtypes=(torch.float64, torch.float32), **OPSET)
add("nll_loss", "F.nll_loss(x.log_softmax(1), y, reduction=RED)", classes, labels, **OPSET)
add("nll_loss_weight", "F.nll_loss(x.log_softmax(1), y, weight=z, ignore_index=3, reduction=RED)", classes, labels, weights, **OPSET)
add("nll_loss_image", "F.nll_loss(x.log_softmax(1), y, weight=z, reduction=RED)", tensor(B, 5, T, 2), index(B, T, 2, below=5),
    weights, **OPSET)
add("nll_loss_infinite", "F.nll_loss(torch.where(x > 0, x, float('-inf')), y, reduction=RED)", classes, labels,
    reductions=["none"], **OPSET)
family.case("nll_loss.forward", lambda x, y, w: torch.ops.aten.nll_loss_forward(x, y, w, 1, 2), classes, labels, weights, **OPSET)
family.case("nll_loss.plain", lambda x, y, w: torch.ops.aten.nll_loss(x, y, w, 2, -100), classes, labels, weights, **OPSET)
family.case("nll_loss2d.forward", lambda x, y, w: torch.ops.aten.nll_loss2d_forward(x, y, w, 1, 2), tensor(B, 5, 3, 2),
            index(B, 3, 2, below=5), weights, **OPSET)
family.case("nll_loss2d.plain", lambda x, y: torch.ops.aten.nll_loss2d(x, y, None, 0, 2), tensor(B, 5, 3, 2),
            index(B, 3, 2, below=5), **OPSET)
add("multi_margin_loss", "F.multi_margin_loss(x, y, weight=z, reduction=RED)", classes, labels, weights, **OPSET, half=False)
add("multi_margin_loss_square", "F.multi_margin_loss(x, y, p=2, margin=0.5, reduction=RED)", classes, labels, **OPSET, half=False)
add("multi_margin_loss_vector", "F.multi_margin_loss(x, y, reduction=RED)", tensor(5), index(below=5), **OPSET, half=False)
add("multilabel_margin_loss", "F.multilabel_margin_loss(x, y - 1, reduction=RED)", classes, index(B, 5, below=6), opset=11, half=False)
add("multilabel_margin_loss_vector", "F.multilabel_margin_loss(x, y - 1, reduction=RED)", tensor(5), index(5, below=6), opset=11, half=False)
family.case("multilabel_margin_loss.forward_vector", lambda x, y: torch.ops.aten.multilabel_margin_loss_forward(x, y - 1, 0), tensor(5),
            index(5, below=6), opset=11)
family.case("multilabel_margin_loss.forward", lambda x, y: torch.ops.aten.multilabel_margin_loss_forward(x, y - 1, 0), classes,
            index(B, 5, below=6), opset=11)

frames, classes = Dim("frames", 6, 8), 5
for reduction in ("none", "mean", "sum"):
    call = eval(f"lambda x, y: F.ctc_loss(x.log_softmax(2), y, (6, 5), (2, 3), reduction={reduction!r})", {"F": F})
    family.case(f"ctc_loss.{reduction}", call, tensor(frames, 2, classes), index(2, 3, above=1, below=classes), opset=11)
family.case("ctc_loss.tensors", lambda x, y, n, m: F.ctc_loss(x.log_softmax(2), y, n, m, blank=2), tensor(frames, 2, classes), tensor(values=[[1, 1, 3], [0, 4, 4]], dtype=torch.int64),
            tensor(values=[6, 5], dtype=torch.int64), tensor(values=[3, 2], dtype=torch.int64), opset=11)
family.case("ctc_loss.joined", lambda x, y: F.ctc_loss(x.log_softmax(2), y, (6, 4), (3, 2), reduction="none"), tensor(frames, 2, classes), tensor(values=[1, 1, 3, 2, 4], dtype=torch.int64), opset=11)
family.case("ctc_loss.joined_tensors", lambda x, y, n, m: (F.ctc_loss(x.log_softmax(2), y, n, m), F.ctc_loss(x.log_softmax(2), y, n, m, reduction="none")), tensor(frames, 2, classes),
            tensor(values=[1, 1, 3, 2, 4], dtype=torch.int64), tensor(values=[6, 4], dtype=torch.int64), tensor(values=[3, 2], dtype=torch.int64), opset=11)
family.case("ctc_loss.impossible", lambda x, y: (F.ctc_loss(x.log_softmax(2), y, (2, 0), (3, 0), reduction="none"), F.ctc_loss(x.log_softmax(2), y, (2, 0), (3, 1), zero_infinity=True)),
            tensor(4, 2, classes), index(2, 3, above=1, below=classes), opset=11)
family.case("ctc_loss.plain", lambda x, y: torch._ctc_loss(x.log_softmax(2), y, (6, 5), (2, 3))[0], tensor(frames, 2, classes), index(2, 3, above=1, below=classes), opset=11)
family.case("ctc_loss.one", lambda x, y: F.ctc_loss(x.log_softmax(1), y, (5,), (3,)), tensor(frames, classes), index(3, above=1, below=classes), opset=11)
