"""Interpolation and sampling."""
import torch
from torch import nn
from torch.nn import functional as F

from case import FLOAT, FLOATS, Dim, Family, tensor

family = Family("resize", opset=7)
B = Dim("batch", 2, 3)
H, W = Dim("height", 5, 8), Dim("width", 6, 4)
line, image, volume = tensor(B, 2, 6), tensor(B, 3, 5, 6), tensor(B, 2, 4, 5, 3)
scope = {"F": F, "torch": torch}


def resize(name, options, x, **settings):
    family.case(f"{name}", eval(f"lambda x: F.interpolate(x, {options})", scope), x, **settings)


for mode, x in [("nearest", line), ("nearest", image), ("nearest", volume), ("nearest-exact", line), ("nearest-exact", image),
                ("nearest-exact", volume), ("linear", line), ("bilinear", image), ("trilinear", volume), ("bicubic", image)]:
    rank = len(x.dims) - 2
    name = f"{mode}{rank}d"
    corners = [""] if mode.startswith("nearest") else ["", ", align_corners=True"]
    for align in corners:
        suffix = ".corners" if align else ""
        resize(f"{name}.scale{suffix}", f"scale_factor=2, mode='{mode}'{align}", x, dtypes=FLOATS if rank == 2 else FLOAT)
        resize(f"{name}.scale_uneven{suffix}", f"scale_factor={(1.5, 0.6, 2.3)[-rank:]}, mode='{mode}'{align}", x)
        resize(f"{name}.size{suffix}", f"size={(7, 3, 8)[-rank:]}, mode='{mode}'{align}", x)
        resize(f"{name}.size_one{suffix}", f"size=1, mode='{mode}'{align}", x)
        resize(f"{name}.same{suffix}", f"size={x.dims[2:]}, mode='{mode}'{align}", x)
        resize(f"{name}.recompute{suffix}", f"scale_factor=1.7, mode='{mode}'{align}, recompute_scale_factor=True", x)
moving = tensor(B, 3, H, W)


class BetweenTransposes(nn.Module):
    """Channels-last features, except during the resize: ONNX Runtime moves the transposes through Resize."""

    def __init__(self, size, options):
        super().__init__()
        self.conv, self.norm, self.size, self.options = nn.Conv2d(3, 4, 1), nn.LayerNorm(4), size, options

    def forward(self, x):
        y = self.norm(self.conv(x).permute(0, 2, 3, 1))
        z = F.interpolate(y.permute(0, 3, 1, 2), self.size, **self.options)
        return z.permute(0, 2, 3, 1).flatten(1, 2), y.flatten(1, 2)


for name, size, options in [("shrunk", (3, 4), {"mode": "bilinear"}), ("grown", (7, 11), {"mode": "nearest"}),
                            ("corners", (7, 3), {"mode": "bilinear", "align_corners": True})]:
    family.case(f"between_transposes.{name}", BetweenTransposes(size, options), image, opset=18)
    family.case(f"between_transposes.{name}_moving", BetweenTransposes(size, options), moving, opset=18)


def by_mode(x):
    ops = torch.ops.aten
    return (ops.__interpolate(x, None, 1.7, "nearest", None, None, False), ops.__interpolate(x, None, [1.7, 0.6], "bilinear", False, False, False),
            ops.__interpolate(x, None, [1.7, 0.6], "bicubic", False, None, False), ops.__interpolate(x, [7, 9], None, "bilinear", True, None, False),
            ops.__upsample(x, 6, None, "bilinear", False))


def by_older_names(x):
    ops = torch.ops.aten
    return (ops.__upsample(x, None, 2, "nearest", None), ops.__upsample_nearest(x, [7, 8], None), ops.__upsample_nearest(x, None, 3),
            ops.__upsample_bilinear(x, None, [2, 3]), ops.__upsample_bilinear(x, [x.size(2) * 2, x.size(3) + 1], None))


for function in (by_mode, by_older_names):
    family.case(f"builtin.{function.__name__}", function, moving, script=True, opset=9)
    family.case(f"builtin.{function.__name__}_fixed", function, image, script=True)
for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
    resize(f"{mode}.moving_scale", f"scale_factor=2, mode='{mode}'", moving, opset=9)
    resize(f"{mode}.moving_size", f"size=(7, 9), mode='{mode}'", moving, opset=9)
    family.case(f"{mode}.size_of_other", eval(f"lambda x, y: F.interpolate(x, size=y.shape[2:], mode='{mode}')", scope), image,
                tensor(1, 1, H, W), opset=9)
for mode in ("nearest", "nearest-exact"):
    family.case(f"{mode}.down_to_other", eval(f"lambda x, y: F.interpolate(x, size=y.shape[2:], mode='{mode}')", scope),
                tensor(1, 1, Dim("rows", 49, 98), 100), tensor(1, 1, Dim("height", 7, 14), Dim("width", 30, 7)), opset=9)
    resize(f"{mode}.scale_below", f"scale_factor=0.29, mode='{mode}'", tensor(B, 2, 100))
    resize(f"{mode}.scale_that_meets_elements", f"scale_factor=0.9, mode='{mode}'", tensor(B, 2, Dim("steps", 100, 57)), opset=9)
    resize(f"{mode}.scale_below_moving", f"scale_factor=0.29, mode='{mode}'", tensor(B, 2, Dim("steps", 100, 200)), opset=9)
resize("linear.scale_that_meets_elements", "scale_factor=0.9, mode='linear'", tensor(B, 2, 100))
resize("linear.scale_below", "scale_factor=0.29, mode='linear'", tensor(B, 2, 100))
for align in ("", ", align_corners=True"):
    resize("bilinear.scale_below_moving" + (".corners" if align else ""), f"scale_factor=0.29, mode='bilinear'{align}",
           tensor(B, 2, Dim("rows", 100, 60), Dim("columns", 60, 100)), opset=9, atol=1e-4)
# Scales that keep or double a size: here LibTorch's kernels and ONNX Runtime behave differently.
for mode, dims in [("nearest", (3,)), ("nearest", (3, 5)), ("nearest", (3, 5, 2)), ("nearest-exact", (3,)), ("nearest-exact", (3, 2)), ("linear", (3,)),
                   ("bilinear", (3, 5)), ("bilinear", (3, 2)), ("trilinear", (3, 5, 2)), ("bicubic", (3, 5)), ("bicubic", (3, 2))]:
    name, rank = f"{mode}{len(dims)}d.{dims[-1]}", len(dims)
    resize(f"{name}.scale_that_keeps", f"scale_factor=1.3, mode='{mode}'", tensor(B, 2, *dims))
    resize(f"{name}.scale_that_doubles", f"scale_factor=2.1, mode='{mode}'", tensor(B, 2, *dims))
    far = tuple(Dim(n, big, small) for n, big, small in (("depth", 6, 4), ("height", 12, 3), ("width", 14, 4)))[-rank:]
    resize(f"{name}.scale_that_may_keep", f"scale_factor=1.1, mode='{mode}'", tensor(B, 2, *far), opset=9)
    resize(f"{name}.scale_that_may_double", f"scale_factor=2.1, mode='{mode}'", tensor(B, 2, *far), opset=9)
for mode in ("bilinear", "bicubic"):
    resize(f"{mode}.antialias_scale_that_keeps", f"scale_factor=1.3, mode='{mode}', antialias=True", tensor(B, 2, 3, 5))
for mode in ("bilinear", "bicubic"):
    for align in (False, True):
        suffix = ".corners" if align else ""
        resize(f"{mode}.antialias_down{suffix}", f"size=(3, 2), mode='{mode}', antialias=True, align_corners={align}", tensor(B, 3, 11, 9))
        resize(f"{mode}.antialias_up{suffix}", f"size=(13, 12), mode='{mode}', antialias=True, align_corners={align}", image)
for mode in ("bilinear", "bicubic"):
    for align in (False, True):
        suffix = "_aligned" if align else ""
        resize(f"{mode}.antialias_moving{suffix}", f"size=(3, 2), mode='{mode}', antialias=True, align_corners={align}", moving, opset=9)
    resize(f"{mode}.antialias_moving_up", f"size=(13, 3), mode='{mode}', antialias=True", moving, opset=9)
    resize(f"{mode}.antialias_moving_by_scales", f"scale_factor=(0.5, 1.5), mode='{mode}', antialias=True", moving, opset=9)
resize("nearest.double", "size=(7, 8)", image, dtypes=(torch.float64,))
resize("nearest.double_scale", "scale_factor=2.0", image, dtypes=(torch.float64,))
moving = tensor(B, 3, Dim("height", 4, 6), Dim("width", 5, 4))
for name, text in (("size", "size=(7, 8)"), ("scale", "scale_factor=2.0"), ("broken_scale", "scale_factor=1.7"), ("exact", "size=9, mode='nearest-exact'")):
    resize(f"nearest.open_double_{name}", text, moving, dtypes=(torch.float64,), opset=9)
for mode, dims in (("linear", 1), ("bilinear", 2), ("bicubic", 2), ("trilinear", 3)):
    x = tensor(B, 2, *(Dim("depth", 5, 3), Dim("height", 4, 6), Dim("width", 5, 4))[-dims:])
    for name, text in (("size", f"size={(3, 7, 8)[-dims:]}"), ("scale_that_keeps", "scale_factor=1.1")):
        for align in ("", ", align_corners=True"):
            resize(f"{mode}.open_double_{name}" + (".corners" if align else ""), f"{text}, mode='{mode}'{align}", x, dtypes=(torch.float64,), opset=9,
                   rtol=1e-9, atol=1e-9)
    resize(f"{mode}.open_double_one", f"size=1, mode='{mode}', align_corners=True", x, dtypes=(torch.float64,), opset=9, rtol=1e-9, atol=1e-9)
for mode in ("bilinear", "bicubic"):
    resize(f"{mode}.open_double_antialias", f"size=(7, 3), mode='{mode}', antialias=True", moving, dtypes=(torch.float64,), opset=9, rtol=1e-9)


def by_sizes_and_scales(x):
    ops = torch.ops.aten
    return (ops.upsample_bilinear2d(x, [7, 9], False, 1.5, 1.7), ops.upsample_bicubic2d(x, [x.size(2) * 2, 6], False, None, 0.9),
            ops.upsample_nearest2d(x, [7, 9], 1.5, 1.7), ops.upsample_bilinear2d(x, [x.size(2) * 2, x.size(3)], False, 1.5, 1.5),
            ops.upsample_nearest2d(x, [x.size(2) * 2, x.size(3) * 2], 1.5, 2.0), ops._upsample_bicubic2d_aa(x, [x.size(2), 2], False, 0.5, 0.5))


def by_untold_sizes_and_scales(x):
    ops = torch.ops.aten
    sizes = [x.size(2) // 2 + 3, x.size(3) // 3 + 1]
    return (ops.upsample_bilinear2d(x, sizes, False, 0.5, 0.5), ops.upsample_bicubic2d(x, sizes, False, 2.0, 0.5),
            ops._upsample_nearest_exact2d(x, sizes, 0.5, 2.0),
            ops._upsample_bilinear2d_aa(x, sizes, False, 1.5, 1.5))  # outside its input LibTorch returns uninitialised memory


family.case("by_sizes_and_scales", by_sizes_and_scales, moving, script=True, opset=9)
family.case("by_untold_sizes_and_scales", by_untold_sizes_and_scales, moving, script=True, opset=9)
resize("bilinear.double", "size=(7, 8), mode='bilinear'", image, dtypes=(torch.float64,))
for options in ("'bilinear', size=(9, 4)", "'bicubic', size=(12, 11), align_corners=True", "'bilinear', antialias=True, size=(2, 9)",
                "'bicubic', antialias=True, scale_factor=(0.7, 1.3)", "'bicubic', scale_factor=(1.05, 1.7)"):
    resize("bytes." + options, "mode=" + options, tensor(B, 3, H, W, low=0, high=255), dtypes=(torch.uint8,), opset=9)
resize("nearest.bytes", "size=(7, 8)", tensor(B, 3, 5, 6, low=0, high=200), dtypes=(torch.uint8,))

family.case("channel_shuffle.plain", lambda x: F.channel_shuffle(x, 3), tensor(B, 6, H, W))
family.case("channel_shuffle.module", nn.ChannelShuffle(2), tensor(B, 6, 4, W))
family.case("pixel_unshuffle.three", lambda x: F.pixel_unshuffle(x, 3), tensor(B, 2, 6, Dim("w", 3, 9)))
family.case("pixel_unshuffle.rank3", lambda x: F.pixel_unshuffle(x, 2), tensor(2, 6, 4))
family.case("pixel_shuffle.rank3", lambda x: F.pixel_shuffle(x, 2), tensor(8, H, W))
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for align in (False, True):
            family.case(f"grid_sample.{mode}_{padding}" + ("_corners" if align else ""),
                        eval(f"lambda x, g: F.grid_sample(x, g, '{mode}', '{padding}', {align})", scope),
                        tensor(B, 3, 5, 6), tensor(B, H, W, 2, low=-1.3, high=1.3), opset=11)
            family.case(f"grid_sample.{mode}_{padding}_far" + ("_corners" if align else ""),
                        eval(f"lambda x, g: F.grid_sample(x, g, '{mode}', '{padding}', {align})", scope),
                        tensor(B, 2, H, 1), tensor(B, 3, W, 2, low=-5, high=5), opset=11)
            if mode != "bicubic":
                family.case(f"grid_sample.volume_{mode}_{padding}" + ("_corners" if align else ""),
                            eval(f"lambda x, g: F.grid_sample(x, g, '{mode}', '{padding}', {align})", scope),
                            tensor(B, 2, 4, H, 3), tensor(B, 3, W, 5, 3, low=-2.3, high=2.3), opset=11)
family.case("grid_sample.volume", lambda x, g: F.grid_sample(x, g, align_corners=False), tensor(B, 2, 4, 5, 3),
            tensor(B, 3, 4, 5, 3, low=-1.3, high=1.3), dtypes=(torch.float32, torch.float64), opset=11)
family.case("grid_sample.of_doubles", lambda x, g: F.grid_sample(x, g, align_corners=True), tensor(B, 2, 4, 5, dtype=torch.float64),
            tensor(B, 3, W, 2, low=-1.3, high=1.3, dtype=torch.float64), opset=11)
family.case("grid_sample.corners_and_middles", lambda x, g: torch.cat([F.grid_sample(x, g, m, p, a) for m in ("bilinear", "nearest")
            for p in ("zeros", "border", "reflection") for a in (False, True)]), tensor(1, 1, 4, 4),
            tensor(values=[[[[-1.0, 1], [0, 0], [1, -1], [0.25, -0.25], [-0.5, 0.75], [3, -3], [-1.3, 1.9]]]]), opset=11)
for name, (batch, channels) in {"no_batch": (0, 3), "no_channels": (2, 0), "batch_to_empty": (Dim("batch", 2, 0), 3)}.items():
    for mode in ("bilinear", "nearest", "bicubic"):
        family.case(f"grid_sample.{name}_{mode}", eval(f"lambda x, g: F.grid_sample(x, g, '{mode}', 'border', False)", scope),
                    tensor(batch, channels, H, W), tensor(batch, H, 3, 2), opset=11)
    family.case(f"grid_sample.{name}_volume", lambda x, g: F.grid_sample(x, g, align_corners=True), tensor(batch, channels, 4, H, 3),
                tensor(batch, 3, W, 5, 3), opset=11)
for align in (False, True):
    name = "_corners" if align else ""
    family.case("affine_grid.plane" + name, eval(f"lambda t: F.affine_grid(t, (2, 3, 4, 5), align_corners={align})", scope), tensor(2, 2, 3))
    family.case("affine_grid.volume" + name, eval(f"lambda t: F.affine_grid(t, (2, 3, 4, 5, 3), align_corners={align})", scope),
                tensor(2, 3, 4))
    family.case("affine_grid.size_of_input" + name, eval(f"lambda t, x: F.affine_grid(t, x.size(), align_corners={align})", scope),
                tensor(B, 2, 3), tensor(B, 3, H, W), opset=9)
    family.case("affine_grid.one" + name, eval(f"lambda t: F.affine_grid(t, (2, 3, 1, 4), align_corners={align})", scope), tensor(2, 2, 3))
