"""Pools with dynamic windows or strides, from sizes and from numbers."""
import torch
import torch.nn.functional as F

from case import Family, fill, number

family = Family("open_windows", opset=9)
SIZES = [(fill(1, 2, 8, 8),), (fill(1, 2, 12, 9),), (fill(1, 2, 5, 5),), (fill(3, 2, 2, 3),)]


@family.on(*SIZES)
def mean_of_halves(x):
    return F.avg_pool2d(x, x.size(2) // 2)


@family.on(*SIZES)
def largest_of_halves(x):
    return F.max_pool2d(x, kernel_size=x.size(2) // 2, stride=1)


@family.on(*SIZES)
def half_the_rows_of_all_columns(x):
    return F.avg_pool2d(x, kernel_size=(x.size(2) // 2, x.size(3)), stride=x.size(2) // 2)


@family.on(*SIZES)
def steps_of_the_size(x):
    return F.max_pool2d(torch.sqrt(x), 2, stride=[x.size(3) // 2, 1]), F.avg_pool2d(x, 2, x.size(2) - 1)


@family.on(*SIZES)
def without_a_batch(x):
    size = x.shape
    return F.max_pool1d(x[0], size[3] - 1), F.avg_pool1d(x[0], (size[3] + 1) // 2, stride=2)


@family.on((fill(2, 3, 8, 7), number(2)), (fill(2, 3, 8, 7), number(3)), (fill(1, 3, 9, 9), number(1)), (fill(1, 3, 9, 9), number(9)))
def by_a_number(x, k: int):
    return F.avg_pool2d(x, k), F.max_pool2d(x, k, 2), F.avg_pool2d(x, 3, k)


KERNELS = [(fill(1, 2, 8, 8), fill(3, 2, 3, 3)), (fill(1, 2, 9, 5), fill(3, 2, 5, 5)), (fill(1, 2, 7, 7), fill(3, 2, 1, 1))]


@family.on(*KERNELS, opset=11)
def padded_by_the_kernel(x, w):
    return F.conv2d(x, w, padding=w.size(2) // 2), F.conv2d(x, w, None, 2, [w.size(2) - 1, 0])


@family.on(*KERNELS, opset=11)
def looking_back_only(x, w):
    rows, kernel = x[:, :, 0], w[:, :, 0]
    reach = kernel.size(2) - 1
    return F.conv1d(rows, kernel, padding=2 * reach, dilation=2)[:, :, : rows.size(2)], F.conv1d(rows[0], kernel, padding=reach)


@family.on((fill(2, 2, 7), number(2)), (fill(2, 2, 7), number(0)), (fill(2, 2, 7), number(3)), opset=11)
def padded_by_a_number(x, n: int):
    return F.conv1d(x, torch.full((3, 2, 2), 0.5), torch.tensor([1.0, 2.0, 3.0]), padding=n)
