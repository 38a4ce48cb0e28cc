"""Pools whose window is a whole axis, of any size."""
import torch
import torch.nn.functional as F

from case import Family, fill

family = Family("whole_windows", opset=9)
SIZES = [(fill(2, 3, 5, 4),), (fill(2, 3, 9, 7),), (fill(1, 3, 1, 1),), (fill(3, 3, 4, 9),)]


@family.on(*SIZES)
def mean_of_shape(x):
    return F.avg_pool2d(x, x.size()[2:])


@family.on(*SIZES)
def mean_of_sizes(x):
    return F.avg_pool2d(x, [x.size(2), x.size(3)], [x.size(2), x.size(3)]).flatten(1)


@family.on(*SIZES)
def largest_of_shape(x):
    return F.max_pool2d(x, [x.shape[-2], x.shape[-1]], ceil_mode=True)


@family.on(*SIZES)
def largest_over_time(x):
    return F.max_pool1d(F.relu(x[:, :, 0] - 3), x.shape[3]).squeeze(2)


@family.on(*SIZES)
def mean_of_columns(x):
    return F.avg_pool2d(x, (1, x.size(3))), F.avg_pool2d(x, (x.size(2), 1), stride=1)


@family.on(*SIZES)
def columns_and_padded_rows(x):
    return (F.avg_pool2d(x, (x.size(2), 3), stride=(1, 2), padding=(0, 1), count_include_pad=False),
            F.avg_pool2d(x, (x.size(2), 3), stride=(x.size(2), 2), padding=(0, 1), ceil_mode=True),
            F.max_pool2d(x, (x.size(2), 3), stride=(5, 2), padding=(0, 1)))


@family.on(*SIZES)
def of_another_of_the_size(x):
    y = torch.exp(x * 0.1)
    return F.avg_pool2d(y, x.shape[2:]), F.max_pool2d(y[0], x.shape[2:])


@family.on(*SIZES)
def not_a_number(x):
    y = torch.sqrt(x - 2)
    return F.max_pool2d(y, [x.size(2), x.size(3)]), F.avg_pool2d(y, [x.size(2), x.size(3)])


@family.on(*SIZES)
def powers(x):
    return F.lp_pool2d(x, 2.0, (x.size(2), x.size(3)))
