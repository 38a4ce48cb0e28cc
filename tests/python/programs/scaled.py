"""Interpolation by dynamic scales, dynamic windows, and norms of dynamic order."""
import torch
import torch.nn.functional as F

from case import Family, fill

family = Family("scaled", opset=11)
IMAGES = [(fill(2, 3, 6, 8),), (fill(1, 3, 5, 4),), (fill(3, 3, 12, 12),), (fill(1, 3, 9, 7),)]
ROWS = [(fill(3, 4),), (fill(4, 4),), (fill(5, 4),), (fill(1, 4),)]


@family.on(*IMAGES)
def to_a_shorter_side(x):
    scale = 12.0 / float(min(x.size(2), x.size(3)))
    return F.interpolate(x, scale_factor=scale, mode="bilinear", align_corners=False)


@family.on(*IMAGES)
def by_either_scale(x):
    scale = 7.0 / float(max(x.size(2), x.size(3)))
    return F.interpolate(x, scale_factor=[scale, scale * 2]), F.interpolate(x, scale_factor=scale * 2, mode="nearest-exact")


@family.on(*IMAGES)
def between_corners(x):
    return F.interpolate(x, scale_factor=10.0 / x.size(2), mode="bilinear", align_corners=True)


@family.on(*IMAGES)
def cubic(x):
    return F.interpolate(x, scale_factor=[15.0 / x.size(2), 0.5 + x.size(3) / 8.0], mode="bicubic", align_corners=False)


@family.on(*IMAGES, opset=18)
def smoothed(x):
    return F.interpolate(x, scale_factor=4.0 / x.size(3), mode="bilinear", antialias=True, align_corners=False)


@family.on(*IMAGES)
def vectors_and_doubles(x):
    y = x.double().flatten(2)
    return F.interpolate(y, scale_factor=24.0 / x.size(2), mode="linear", align_corners=False), F.interpolate(y, scale_factor=3.0 / x.size(3))


@family.on(*IMAGES)
def patches(x):
    half, third = x.size(2) // 2, max(x.size(3) // 3, 1)
    return F.unfold(x, (half, 2)), F.unfold(x, 2, stride=third), F.unfold(x, 3, padding=third, dilation=(1, third))


@family.on(*ROWS)
def distances(x):
    order = float(x.size(0) % 3 + 1)
    return torch.cdist(x, x + 1, p=order), F.pairwise_distance(x, x * 2, p=order)
