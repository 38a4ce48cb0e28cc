"""Dynamic axes with different names whose sizes depend on each other: the program does not run if only one changes."""
import torch

from case import NUMBERS, Dim, Family, tensor

family = Family("related_axes", opset=7)
rows, columns = Dim("rows", 3, 7), Dim("columns", 4, 5)
both, twice, more, together = Dim("both", 12, 35), Dim("twice", 6, 14), Dim("more", 4, 8), Dim("together", 7, 12)
table = tensor(rows, columns)

family.case("equal", lambda x, y: x + y, tensor(rows, 2), tensor(Dim("others", 3, 7), 2))
images = tensor(Dim("images", 3, 2), 5, Dim("height", 2, 3), Dim("width", 4, 6))
classes = tensor(Dim("targets", 3, 2), Dim("rows", 2, 3), Dim("columns", 4, 6), low=0, high=4, dtype=torch.int64)
family.case("loss_of_images", lambda x, y: torch.nn.functional.cross_entropy(x, y), images, classes, opset=12)
family.case("product", lambda x, y: x.reshape(y.shape), tensor(both), table, dtypes=NUMBERS)
family.case("product_added", lambda x, y: x.view(y.shape) + y, tensor(both), table)
family.case("product_of_three", lambda x, y: x.reshape(y.shape), tensor(Dim("all", 24, 140)), tensor(rows, columns, Dim("planes", 2, 4)))
family.case("multiple_of_product", lambda x, y: x.view(y.size(0), y.size(1), 2), tensor(Dim("all", 24, 70)), table)
family.case("multiple", lambda x, y: x * torch.cat([y, y]), tensor(twice, 2), tensor(rows, 2))
family.case("multiple_first", lambda y, x: torch.cat([y, y]) - x, tensor(rows, 2), tensor(twice, 2))
family.case("multiple_by_strides", lambda x, y: x + y[::2], tensor(Dim("coarse", 16, 9), 2), tensor(Dim("fine", 32, 18), 2), opset=10)
family.case("multiple_by_convolution", lambda x, y: x + torch.conv1d(y, torch.ones(2, 2, 3), stride=2, padding=1),
            tensor(1, 2, Dim("coarse", 16, 9)), tensor(1, 2, Dim("fine", 32, 18)))
family.case("offset", lambda x, y: x[1:] + y, tensor(more, 2), tensor(rows, 2), opset=10)
family.case("sum", lambda x, y, z: torch.cat([y, z]) + x, tensor(together, 2), tensor(rows, 2), tensor(columns, 2))
family.case("sizes_of_the_related", lambda x, y: y.repeat(2, 1) + x.size(0) * x, tensor(twice, 2), tensor(rows, 2))
family.case("same_sum_made_twice", lambda x: x.new_ones(x.size(0) * 2, 1) * torch.cat([x, x]), tensor(rows, 2))
