"""TorchVision's operators: non-maximum suppression, region pooling, deformable convolution."""
import torch
from torchvision import ops

from case import Dim, Family, tensor

family = Family("vision", opset=10)
N, K = Dim("boxes", 40, 27), Dim("regions", 6, 3)
HEIGHT, WIDTH = Dim("height", 13, 17), Dim("width", 16, 11)
DOUBLE = (torch.float64,)
BOTH = (torch.float32, torch.float64)


def as_boxes(corner, size):
    return torch.cat([corner, corner + size], dim=1)


def suppress(threshold):
    return lambda corner, size, scores: ops.nms(as_boxes(corner, size), scores, threshold)


boxes = [tensor(N, 2, low=0, high=60), tensor(N, 2, low=5, high=40), tensor(N)]
for name, threshold in {"some": 0.3, "few": 0.7, "any_overlap": 0.0, "none": 1.0, "rounded_threshold": 0.1}.items():
    family.case(f"nms.{name}", suppress(threshold), *boxes, dtypes=BOTH if name == "some" else BOTH[:1])
family.case("nms.above_one", suppress(1.5), *boxes)
family.case("nms.below_zero", suppress(-0.5), *boxes)
family.case("nms.ties", suppress(0.4), tensor(N, 2, low=0, high=20, whole=True), tensor(N, 2, low=5, high=9, whole=True),
            tensor(N, low=0, high=3, whole=True), dtypes=BOTH)
family.case("nms.quotients", suppress(1 / 3), tensor(N, 2, low=0, high=4, whole=True), tensor(N, 2, low=0, high=4, whole=True),
            tensor(N, low=0, high=3, whole=True), dtypes=BOTH)
family.case("nms.swapped_sides", suppress(0.2), tensor(N, 2, low=0, high=20), tensor(N, 2, low=-20, high=20), tensor(N))
family.case("nms.one", suppress(0.5), tensor(1, 2), tensor(1, 2, low=1), tensor(1))
family.case("nms.empty", suppress(0.5), tensor(0, 2), tensor(0, 2), tensor(0), dtypes=BOTH)
family.case("nms.becomes_empty", suppress(0.5), *[tensor(Dim("boxes", 5, 0), *rest) for rest in ((2,), (2,), ())], dtypes=BOTH)
family.case("nms.read_by_its_result", lambda corner, size, scores: scores[ops.nms(as_boxes(corner, size), scores, 0.3)][:7], *boxes)
family.case("batched_nms", lambda corner, size, scores, kind: ops.batched_nms(as_boxes(corner, size), scores, kind, 0.3), *boxes,
            tensor(N, low=0, high=2, dtype=torch.int64), opset=11)  # without boxes it takes another branch, of another size


def regions(image, corner, size, scale=6.0):
    corner = corner * scale
    return torch.cat([image, corner, corner + size * scale], dim=1)


IMAGES = 3
POOLED = [tensor(IMAGES, 12, HEIGHT, WIDTH), tensor(K, 1, low=0, high=IMAGES - 1, whole=True), tensor(K, 2, low=-1, high=4), tensor(K, 2, low=-0.5, high=4)]


def pool(function, *arguments, results=1, **options):
    call = lambda *a: (function(*a, *arguments, **options),) if results == 1 else function(*a, *arguments, **options)[:results]
    return lambda x, image, corner, size: call(x, regions(image, corner, size))


align = torch.ops.torchvision.roi_align
for name, (scale, height, width, ratio, aligned) in {
        "fixed_ratio": (1.0, 3, 2, 2, False), "adaptive": (1.0, 2, 3, -1, False), "adaptive_zero": (1.0, 2, 3, 0, False),
        "scaled": (0.37, 4, 4, 2, False), "aligned": (1.0, 3, 2, 2, True), "aligned_adaptive": (0.5, 2, 3, 0, True),
        "one_cell": (1.0, 1, 1, 1, True)}.items():
    family.case(f"roi_align.{name}", pool(align, scale, height, width, ratio, aligned), *POOLED, opset=9,
                dtypes=BOTH if "adaptive" in name else BOTH[:1])
for name, (scale, height, width) in {"plain": (1.0, 3, 2), "scaled": (0.37, 4, 3), "one_cell": (1.0, 1, 1), "more_cells_than_elements": (0.2, 5, 6)}.items():
    family.case(f"roi_pool.{name}", pool(torch.ops.torchvision.roi_pool, scale, height, width), *POOLED, dtypes=BOTH, opset=11)
    family.case(f"roi_pool.{name}_places", pool(torch.ops.torchvision.roi_pool, scale, height, width, results=2), *POOLED, dtypes=BOTH, opset=11)
family.case("roi_pool.halves", lambda x, rois: torch.ops.torchvision.roi_pool(x, rois, 0.5, 2, 2), tensor(1, 2, 9, 9),
            tensor(values=[[0., 1, 3, 9, 11], [0, 5, -3, 7, 5], [0, -1, -5, 3, 30], [0, 8, 8, 2, 2], [0, 40, 1, 50, 3]]), dtypes=BOTH, opset=11)
family.case("roi_pool.lowest", lambda x, rois: torch.ops.torchvision.roi_pool(x - float("inf"), rois, 1.0, 2, 2), tensor(1, 2, 5, 5),
            tensor(values=[[0., 0, 0, 4, 4]]), dtypes=DOUBLE, opset=11)
for name, (scale, height, width, ratio) in {"fixed_ratio": (1.0, 3, 2, 2), "adaptive": (1.0, 2, 3, -1), "scaled": (0.37, 2, 2, 3)}.items():
    family.case(f"ps_roi_align.{name}", pool(torch.ops.torchvision.ps_roi_align, scale, height, width, ratio, results=2), *POOLED, dtypes=BOTH, opset=9)
for name, (scale, height, width) in {"plain": (1.0, 3, 2), "scaled": (0.37, 2, 3), "one_cell": (1.0, 1, 1)}.items():
    family.case(f"ps_roi_pool.{name}", pool(torch.ops.torchvision.ps_roi_pool, scale, height, width, results=2), *POOLED, dtypes=BOTH, opset=9)
for name, function in {"roi_align": lambda x, r: ops.roi_align(x, r, 2), "roi_pool": lambda x, r: ops.roi_pool(x, r, 2),
                       "ps_roi_align": lambda x, r: ops.ps_roi_align(x, r, 2), "ps_roi_pool": lambda x, r: ops.ps_roi_pool(x, r, 2)}.items():
    family.case(f"{name}.no_regions", function, tensor(1, 4, 6, 6), tensor(Dim("regions", 2, 0), 5, low=0, high=0), opset=11)


def deform(stride=1, padding=0, dilation=1):
    return lambda x, weight, offset, bias, mask: ops.deform_conv2d(x, offset, weight, bias, stride, padding, dilation, mask)


B = Dim("batch", 2, 3)
for name, options, kernel, groups, offset_groups, masked, out in [
        ("plain", {}, (3, 3), 1, 1, False, (6, 7)), ("mask", {}, (3, 3), 1, 1, True, (6, 7)),
        ("groups", {}, (2, 3), 2, 1, True, (7, 7)), ("offset_groups", {}, (2, 3), 1, 2, True, (7, 7)), ("both_groups", {}, (2, 2), 2, 4, True, (7, 8)),
        ("stride", {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)}, (3, 2), 1, 1, True, (4, 11)),
        ("one_element", {}, (1, 1), 1, 1, False, (8, 9))]:
    inputs = [tensor(B, 8, 8, 9), tensor(6, 8 // groups, *kernel, low=-1, high=1), tensor(B, 2 * offset_groups * kernel[0] * kernel[1], *out),
              tensor(6)]
    program = deform(**options)
    if masked:
        inputs.append(tensor(B, offset_groups * kernel[0] * kernel[1], *out))
    else:
        program = (lambda call: lambda x, weight, offset, bias: call(x, weight, offset, bias, None))(program)
    family.case(f"deform_conv2d.{name}", program, *inputs, dtypes=BOTH if name == "both_groups" else BOTH[:1], opset=11, atol=2e-4)

def with_fixed_weight(x, offset):
    weight = torch.arange(6 * 4 * 9, dtype=x.dtype).sin().reshape(6, 4, 3, 3)
    return ops.deform_conv2d(x, offset, weight, None, padding=1)


family.case("deform_conv2d.moving_sides", with_fixed_weight, tensor(B, 4, HEIGHT, WIDTH), tensor(B, 18, HEIGHT, WIDTH, low=-1, high=1), opset=11, atol=2e-4)
