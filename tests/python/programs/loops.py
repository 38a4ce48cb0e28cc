"""Loops with dynamic trip counts."""
from typing import List

import torch

from case import Family, fill, number, whole

family = Family("loops", opset=11)
X = fill(2, 3, low=0.5, high=1)
TURNS = [(X, whole(3)), (X, whole(0)), (X, whole(1)), (X, whole(7)), (X, whole(-2))]
SIZES = [(fill(3, 4),), (fill(1, 4),), (fill(6, 4),)]
DATA = [(X,), (fill(2, 3, low=5, high=9),), (fill(2, 3, low=-2, high=-1),)]


def count(x, n):
    for _ in range(int(n)):
        x = x + 1
    return x


def index_in_arithmetic(x, n):
    for i in range(int(n)):
        x = x + i * 2
    return x


def start_and_step(x, n):
    for i in range(1, int(n), 2):
        x = x * 2 + i
    return x


def downwards(x, n):
    for i in range(int(n), 0, -1):
        x = x + i
    return x


def two_carried(x, n):
    y = x
    for i in range(int(n)):
        x, y = y, x + y
    return x, y


def number_carried(x, n):
    total = 0
    for i in range(int(n)):
        total = total + i * i
    return x * total


def float_carried(x, n):
    scale = 1.0
    for i in range(int(n)):
        scale = scale * 0.5
    return x * scale


def bool_carried(x, n):
    odd = False
    for i in range(int(n)):
        odd = not odd
    if odd:
        return x + 1
    return x


def nested(x, n):
    for i in range(int(n)):
        for j in range(i):
            x = x + j
    return x


def nested_dynamic_both(x, n):
    for i in range(int(n)):
        for j in range(int(n) - i):
            x = x * 0.5 + i
    return x


def branch_inside(x, n):
    for i in range(int(n)):
        if i % 2 == 0:
            x = x + 1
        else:
            x = x * 2
    return x


def branch_on_data_inside(x, n):
    for i in range(int(n)):
        if x.sum() > 10:
            x = x * 0.5
        else:
            x = x * 3
    return x


def loop_in_branch(x, n):
    if int(n) > 1:
        for i in range(int(n)):
            x = x + i
    else:
        x = x - 1
    return x


def break_inside(x, n):
    for i in range(int(n)):
        if i == 4:
            break
        x = x + i
    return x


def break_on_data(x, n):
    for i in range(int(n)):
        x = x * 2
        if x.sum() > 20:
            break
    return x


def continue_inside(x, n):
    for i in range(int(n)):
        if i % 3 == 1:
            continue
        x = x + i
    return x


def return_inside(x, n):
    for i in range(int(n)):
        x = x + 1
        if x.sum() > 20:
            return x * 100
    return x


def break_of_known_length(x):
    for i in range(5):
        if i == 3:
            break
        x = x + i
    return x


def break_of_known_length_on_data(x):
    for i in range(6):
        x = x * 2
        if x.sum() > 30:
            break
    return x


def while_data(x):
    while x.sum() < 50:
        x = x * x + 1
    return x


def while_number(x, n):
    k = int(n)
    while k > 0:
        x = x + k
        k = k - 2
    return x


def while_true(x):
    n = 0
    while True:
        x = x + 1
        n += 1
        if x.sum() > 15:
            break
    return x, n


def while_joined(x, n):
    k = 0
    while k < int(n) and bool(x.sum() < 30):
        x = x + k
        k += 1
    return x, k


def collatz(x, n):
    k = int(n)
    steps = 0
    while k > 1:
        if k % 2 == 0:
            k = k // 2
        else:
            k = 3 * k + 1
        steps += 1
    return x + steps


def over_rows(x):
    total = torch.zeros(4)
    for i in range(x.size(0)):
        total = total * 0.5 + x[i]
    return total


def over_tensor(x):
    total = torch.zeros(4)
    for row in x:
        total = total + row * row
    return total


def over_rows_index(x):
    best = x[0]
    for i in range(1, x.size(0)):
        if x[i].sum() > best.sum():
            best = x[i]
    return best


def cumulative(x):
    y = x.clone()
    for i in range(1, x.size(0)):
        y[i] = y[i - 1] + x[i]
    return y


def write_inside(x, n):
    y = x.clone()
    for i in range(int(n)):
        y[0] = y[1] + i
        y[1] += 1
    return y


def write_view_inside(x, n):
    y = x.clone()
    row = y[1]
    for i in range(int(n)):
        row += i
    return y


def write_column_by_index(x):
    y = torch.zeros_like(x)
    for i in range(x.size(1)):
        y[:, i] = x[:, 0] * i
    return y


def write_element(x):
    y = torch.zeros(x.size(0), x.size(0))
    for i in range(x.size(0)):
        for j in range(x.size(0)):
            y[i, j] = x[i, 0] - x[j, 0]
    return y


def write_in_branch_inside(x, n):
    y = x.clone()
    for i in range(int(n)):
        if i > 2:
            y[0] = i
        else:
            y.mul_(2)
    return y


def shape_grows(x, n):
    y = x[:1]
    for i in range(int(n)):
        y = torch.cat([y, x + i])
    return y


def shape_shrinks(x):
    while x.size(0) > 1:
        x = x[1:] + x[:-1]
    return x


def one_grows_one_stays(x, n):
    y = x
    z = x[0]
    for i in range(int(n)):
        y = torch.cat([y, z.unsqueeze(0)])
        z = z + 1
    return y, z.view(3)


def integer_tensor(x, n):
    t = torch.zeros(3, dtype=torch.int64)
    for i in range(int(n)):
        t = t + i
    return x + t


def unused_index_and_result(x, n):
    y = x
    for _ in range(int(n)):
        y = y + 1
    return x + 1


def constant_inside(x, n):
    for i in range(int(n)):
        x = x + torch.tensor([1.0, 2.0, 3.0]) * i
    return x


def shared_outside(x, n):
    y = torch.relu(x)
    for i in range(int(n)):
        x = x + y
    return x * y


def loop_after_loop(x, n):
    for i in range(int(n)):
        x = x + 1
    for i in range(int(n) + 1):
        x = x * 2
    return x


def assert_inside(x, n):
    for i in range(int(n)):
        assert i < 100
        x = x + i
    return x


def raise_inside(x, n):
    for i in range(int(n)):
        if i > 100:
            raise RuntimeError("too many turns")
        x = x + i
    return x


def state_swapped(x, n):
    a = x
    b = x * 2
    c = x * 3
    for i in range(int(n)):
        a, b, c = c, a, b
    return a, b, c


def list_of_states(x, n):
    states = [x, x * 2]
    for i in range(int(n)):
        states = [states[1] + i, states[0]]
    return states[0], states[1]


def numbers_in_list(x, n):
    pair = [0, 1]
    for i in range(int(n)):
        pair = [pair[1], pair[0] + pair[1]]
    return x * pair[0] + pair[1]


def zipped(x):
    total = torch.zeros(4)
    for a, b in zip(x, x * 2):
        total = total + a * b
    return total


def enumerated(x):
    total = torch.zeros(4)
    for i, row in enumerate(x):
        total = total + row * i
    return total


def size_of_carried(x, n):
    for i in range(int(n)):
        x = torch.cat([x, x.sum(0, keepdim=True) / x.size(0)])
    return x.sum(0)


class Cell(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
        self.outer = torch.nn.Linear(4, 4)

    def forward(self, x):
        h = torch.zeros(4)
        for i in range(x.size(0)):
            h = torch.tanh(self.inner(x[i]) + self.outer(h))
        return h


class Decoder(torch.nn.Module):
    """Feeds its own output back until it is the stop value."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(5, 4)
        self.project = torch.nn.Linear(4, 5)

    def forward(self, x, n):
        token = torch.zeros(1, dtype=torch.int64)
        h = x.sum(0)[:1] * torch.ones(1, 4)
        tokens = token
        for _ in range(int(n)):
            h = torch.tanh(h + self.embed(token))
            token = self.project(h).argmax(1)
            tokens = torch.cat([tokens, token])
        return tokens


for function in (count, index_in_arithmetic, start_and_step, downwards, two_carried, number_carried, float_carried,
                 bool_carried, nested, nested_dynamic_both, branch_inside, branch_on_data_inside, loop_in_branch,
                 break_inside, break_on_data, continue_inside, return_inside, while_number, while_joined, write_inside,
                 write_view_inside, write_in_branch_inside, shape_grows, one_grows_one_stays, integer_tensor,
                 unused_index_and_result, constant_inside, shared_outside, loop_after_loop, assert_inside, raise_inside,
                 state_swapped, list_of_states, numbers_in_list, size_of_carried):
    family.program(function.__name__, function, *TURNS)
family.program("collatz", collatz, (X, whole(6)), (X, whole(1)), (X, whole(27)), (X, whole(0)))
for function in (break_of_known_length, break_of_known_length_on_data, while_data, while_true):
    family.program(function.__name__, function, *DATA)
for function in (over_rows, over_tensor, over_rows_index, cumulative, write_column_by_index, write_element, shape_shrinks,
                 zipped, enumerated):
    family.program(function.__name__, function, *SIZES)
family.program("cell", Cell(), *SIZES)
family.program("decoder", Decoder(), *TURNS)
for function in (count, two_carried, branch_inside, shape_grows):
    family.program(f"{function.__name__}.sizes", function, (X, whole(2)), (fill(5, 3), whole(0)), (fill(3, 3), whole(4)))


@family.on(*SIZES, (fill(5, 4, low=-3, high=-1),))
def left_by_size_on_one_way(x):
    y = x[0].clone()
    total = x.sum()
    for i in range(x.size(0)):
        if bool(total > 2):
            pass
        else:
            if x.size(0) > 4:
                break
            y = x[i % x.size(0)] * -1
    return y, total


@family.on(*SIZES)
def grid_written_in_loops(x):
    y = torch.zeros_like(x)
    for i in range(x.size(0)):
        for j in range(x.size(1)):
            if i == j:
                y[i, j] = 1.0
            elif i > j:
                y[i][j] = x[i, j] + i
        y[:, 0] += i
    return y


@family.on(*SIZES)
def rows_of_a_branch_in_a_loop(x):
    total = torch.zeros(4)
    for i in range(x.size(0)):
        if bool(total.sum() < 2):
            total = total + x[i]
    return total


@family.on((fill(3, 3),), (fill(4, 3),), (fill(6, 3),))
def triangle_until_large(x):
    out = torch.zeros(x.size(0), x.size(0))
    for i in range(x.size(0)):
        for j in range(i, x.size(0)):
            if i == j:
                continue
            out[i, j] = torch.dot(x[i], x[j])
            out[j][i] = -out[i, j]
            if out[i, j] > 2:
                break
    return out


@family.on((fill(3, 3),), (fill(3, 3),), (fill(3, 3),))
def one_turn_that_may_end(x):
    out = torch.zeros(3, 3)
    turns = 0
    for i in range(3):
        for j in range(i, 3):
            out[i, j] = x[i, j] + turns
            turns += 1
            if x[i, j] > 0.5:
                break
    return out, turns


COUNTS = [(fill(4, 6),), (fill(9, 6),), (fill(2, 6),)]


@family.on(*COUNTS)
def counter_written_in_while(x):
    n = torch.zeros((), dtype=torch.long)
    while n < x.size(0):
        n += 2
    return n, x[:n - 2], x[:n]


@family.on(*COUNTS)
def counter_written_in_for(x):
    n = torch.zeros((), dtype=torch.long)
    for i in range(x.size(0)):
        n.add_(2)
    return n, x[:1].expand(int(n), 6), x * int(n)


@family.on(*COUNTS)
def counter_written_in_branch(x):
    n = torch.zeros((), dtype=torch.long)
    m = n
    if x.size(0) > 3:
        m += 2
    else:
        m += 5
    return n, x[:1].expand(int(n) + 3, 6)


@family.on(*COUNTS)
def item_of_counts_written(x):
    n = torch.zeros(3, dtype=torch.long)
    for i in range(x.size(0)):
        n[i % 3] += 2
    return n, x[:1].expand(int(n[0]), 6)


@family.on(*COUNTS)
def counter_begun_in_each_turn(x):
    k = 0
    for i in range(x.size(0)):
        n = torch.zeros((), dtype=torch.long)
        n += 3
        k += int(n + 1)
    return x[:1].expand(k, 6)


@family.on((fill(4, 6),), (fill(4, 6, low=1),), (fill(4, 6, high=-1),))
def transposed_on_one_way(x):
    y = x.clone()
    l = [y]
    if bool(x.sum() > 0):
        y.t_()
    return y.sum(), y[0].sum(), y.size(0), l[0].size(1)


@family.on(*COUNTS)
def transposed_in_turns(x):
    y = x.clone()
    for i in range(x.size(0)):
        y.t_()
        y.mul_(2)
    return y.sum(), y.size(0)


ROWS = [(fill(4, 6),), (fill(1, 6),), (fill(9, 6),), (fill(5, 6, high=0),), (fill(2, 6, low=1),)]


@family.on(*ROWS)
def sum_written_with_continue_and_break(x):
    total = torch.zeros(6)
    turns = 0
    for i in range(x.size(0)):
        row = x[i]
        if bool(row[0] < -1):
            continue
        if bool(row[1] > 1):
            break
        total += row
        turns += 1
    return total, turns


@family.on(*ROWS)
def input_written_with_continue_and_break(x):
    y = x + 1
    for i in range(x.size(0)):
        row = y[i]
        if bool(row[0] > 1.5):
            row.mul_(2)
            if bool(row[1] > 2):
                break
            continue
        y[0] += row
    return y


@family.on(*ROWS)
def written_sum_returned_early(x):
    total = torch.zeros(6)
    i = 0
    while i < x.size(0):
        total[i % 5] += 1
        i += 1
        if bool(x[i - 1, 0] > 1):
            total.mul_(3)
            return total, i
        if i % 2 == 0:
            continue
        total -= x[i - 1]
    return total, -1


@family.on((fill(3, 4), whole(1)), (fill(5, 4, low=-9, high=-2), whole(0)), (fill(2, 4), whole(0)))
def left_before_a_write_in_each_turn(x, n):
    y = x.clone()
    count = int(n)
    rows = [x[0].clone(), x[-1] * 2]
    for row in rows[:3]:
        if count > 0:
            continue
        if bool((x > -1).any()):
            continue
        else:
            y[:, 1:].zero_()
            y = torch.relu(y) + 1
    return y, torch.stack(rows)
