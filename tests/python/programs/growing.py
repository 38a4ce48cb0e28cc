"""Lists that loops lengthen and shorten, and whose length or items' sizes later iterations read."""
from typing import Dict, List, Tuple

import torch

from case import Family, fill, number, whole

family = Family("growing", opset=13)
SIZES = [(fill(3, 4),), (fill(10, 4),), (fill(1, 4),)]


@family.on(*SIZES)
def popped_while_long(x):
    rows = [x[0].clone(), x[-1] * 2, x[0] + 1, x[0] + 2, x[0] + 3, x[0] + 4, x[0] + 6]
    for i in range(x.size(0)):
        if len(rows) > 4:
            rows.pop()
    return torch.stack(rows), len(rows)


@family.on(*SIZES)
def popped_in_nested_loop(x):
    rows = [x[0].clone(), x[-1] * 2, x[0] + 1, x[0] + 2, x[0] + 3, x[0] + 4, x[0] + 6]
    for i in range(x.size(0)):
        for j in range(2):
            if len(rows) > 1:
                rows.pop(0)
    return torch.stack(rows), x


@family.on(*SIZES)
def numbers_popped(x):
    numbers = [1, 2, 3, 4, 5, 6, 7]
    for i in range(x.size(0)):
        if len(numbers) > 4:
            numbers.pop()
    return torch.tensor(numbers)


@family.on(*SIZES)
def appended_while_short(x):
    rows = [x[0].clone(), x[-1] * 2]
    for i in range(x.size(0)):
        if len(rows) < 6:
            rows.append(x[i])
    return torch.stack(rows), len(rows)


@family.on(*SIZES)
def first_item_grows(x):
    rows = [x[0], x[-1] * 2]
    for i in range(x.size(0)):
        rows[0] = torch.cat([rows[0], x[i]])
        if rows[0].size(0) > 20:
            rows[1] = rows[1] + 1
    return rows[0], rows[1]


@family.on(*SIZES)
def left_at_a_length(x):
    rows: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(rows) == 5:
            break
        rows.append(x[i])
    return torch.stack(rows)


@family.on(*SIZES)
def first_dropped_of_many(x):
    rows: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if len(rows) >= 5:
            rows = rows[1:]
        rows.append(x[i])
    return torch.stack(rows)


@family.on(*SIZES)
def until_a_length(x):
    rows = [x[0]]
    skipped = 0
    while len(rows) < x.size(0):
        if len(rows) >= 5:
            skipped += 1
        rows.append(x[skipped])
    return torch.stack(rows), skipped


@family.on(*SIZES)
def begun_anew(x):
    rows: List[torch.Tensor] = []
    sums: List[torch.Tensor] = []
    for i in range(x.size(0)):
        rows.append(x[i])
        if len(rows) == 4:
            sums.append(torch.stack(rows).sum(0))
            rows = rows[:0]
    if len(rows) > 0:
        sums.append(torch.stack(rows).sum(0))
    return torch.stack(sums)


@family.on(*SIZES)
def cleared(x):
    rows: List[torch.Tensor] = []
    sums: List[torch.Tensor] = []
    for i in range(x.size(0)):
        rows.append(x[i])
        if len(rows) == 4:
            sums.append(torch.stack(rows).sum(0))
            rows.clear()
    if len(rows) > 0:
        sums.append(torch.stack(rows).sum(0))
    return torch.stack(sums)


@family.on(*SIZES)
def last_five(x):
    window = [torch.zeros(4), torch.zeros(4), torch.zeros(4)]
    total = torch.zeros(4)
    for i in range(x.size(0)):
        window.append(x[i])
        if len(window) > 5:
            window.pop(0)
        total = total + torch.stack(window).mean(0)
    return total, len(window)


@family.on(*SIZES)
def lists_in_a_dict(x):
    parts: Dict[str, List[torch.Tensor]] = {"few": [x[0]], "more": [x[0]]}
    for i in range(x.size(0)):
        if len(parts["few"]) < 4:
            parts["few"].append(x[i])
        else:
            parts["more"].append(x[i])
    return torch.stack(parts["few"]), torch.stack(parts["more"])


@family.on(*SIZES)
def list_picked_by_a_word(x):
    parts: Dict[str, List[torch.Tensor]] = {"up": [], "down": []}
    for i in range(x.size(0)):
        word = "up" if float(x[i].sum()) > 0 else "down"
        parts[word].append(x[i])
    return torch.stack(parts["up"] + [x[0]]), torch.stack(parts["down"] + [x[0]]), len(parts["up"])


@family.on(*SIZES)
def list_picked_by_a_remainder(x):
    parts: List[List[torch.Tensor]] = [[], [], []]
    for i in range(x.size(0)):
        parts[i % 3].append(x[i])
    return torch.stack(parts[0]), len(parts[1]), len(parts[2])


@family.on(*SIZES)
def list_picked_by_a_place_from_the_end(x):
    parts: List[List[torch.Tensor]] = [[x[0]], [x[0] * 2]]
    left_out = 0
    for i in range(x.size(0)):
        place = int(x[i, 0] > 0) - 1
        if len(parts[place]) < 3:
            parts[place].append(x[i])
        else:
            left_out += 1
            parts[place][0] = x[i]
    return torch.stack(parts[0]), torch.stack(parts[1]), left_out


@family.on(*SIZES)
def list_under_two_names(x):
    rows = [x[0]]
    both = [rows, rows]
    for i in range(x.size(0)):
        both[i % 2].append(x[i])
    return torch.stack(rows), len(both[0])


@family.on(*SIZES)
def list_picked_and_read(x):
    parts: Dict[str, List[torch.Tensor]] = {"up": [x[0]], "down": [x[0]]}
    total = torch.zeros(4)
    for i in range(x.size(0)):
        rows = parts["up" if float(x[i, 1]) > 0 else "down"]
        total = total + rows[-1]
        rows.append(x[i] * 2)
        total = total + len(rows) + torch.stack(rows).sum(0)
    return total


@family.on(*SIZES)
def numbers_halved(x):
    spans = [(0, x.size(0))]
    order: List[int] = []
    while len(spans) > 0:
        low, high = spans.pop()
        if high - low <= 1:
            order.append(low)
        else:
            middle = (low + high) // 2
            spans.append((low, middle))
            spans.append((middle, high))
    return torch.tensor(order)


@family.on(*SIZES)
def no_numbers(x):
    numbers: List[int] = []
    for i in range(x.size(0)):
        if i > 2:
            numbers.append(i)
    return torch.tensor(numbers, dtype=torch.long)


@family.on(*SIZES)
def first_read_where_there(x):
    rows: List[torch.Tensor] = []
    for i in range(x.size(0)):
        row = x[i]
        if len(rows) > 0:
            row = row + rows[0][:4]
        rows.append(row)
    return torch.stack(rows)


@family.on(*SIZES)
def pairs_added_up(x):
    level: List[torch.Tensor] = [r for r in x.unbind(0)]
    while len(level) > 1:
        half: List[torch.Tensor] = []
        for i in range(0, len(level) - 1, 2):
            half.append(level[i] * 2 + level[i + 1])
        if len(level) % 2 == 1:
            half.append(level[-1])
        level = half
    return level[0]


@family.on(*SIZES)
def places_and_values(x):
    places: List[int] = []
    values: List[int] = []
    for k in range(x.size(0)):
        if float(x[k, 0]) > 1.5:
            break
        places.append(k)
        values.append(int(x[k].argmax()))
    out = torch.full((x.size(0),), -1, dtype=torch.long)
    for i in range(len(places)):
        out[places[i]] = values[i]
    return out


@family.on(*SIZES)
def spans_joined(x):
    spans: List[Tuple[int, int]] = []
    start = -1
    for i in range(x.size(0)):
        if start < 0 and float(x[i, 0]) > 0.5:
            start = i
        elif start >= 0 and float(x[i, 0]) < 0.0:
            spans.append((start, i))
            start = -1
    if start >= 0:
        spans.append((start, x.size(0)))
    joined: List[Tuple[int, int]] = []
    for s, e in spans:
        if len(joined) > 0 and s - joined[-1][1] <= 1:
            joined[-1] = (joined[-1][0], e)
        else:
            joined.append((s, e))
    out = torch.zeros(len(joined), 2, dtype=torch.long)
    for k, (s, e) in enumerate(joined):
        out[k, 0] = s
        out[k, 1] = e
    return out


@family.on(*SIZES)
def part_of_numbers(x):
    numbers: List[int] = []
    for i in range(x.size(0)):
        numbers.append(int(x[i].argmax()))
        numbers.append(i)
    begin = int(x[0].argmin())
    part = torch.tensor(numbers[begin:begin + 2])
    return part, part.sum(), torch.zeros(len(numbers[begin:begin + 2]), 2)


@family.on((fill(3, 3, 4),), (fill(1, 3, 4),), (fill(5, 3, 4),))
def earlier_ones_read_by_turns(x):
    states: List[torch.Tensor] = []
    for i in range(x.size(0)):
        state = x[i] * 2
        for j in range(i):
            state = state + states[j][0]
        for j in range(i):
            state += states[j][1:2] * j
        states.append(state)
    return torch.cat(states)


# Lists of tensors of different sizes, which one branch lengthens or shortens.
UNLIKE = [(fill(3, 4), whole(1)), (fill(5, 4), whole(3)), (fill(1, 4), whole(9))]


@family.on(*UNLIKE)
def mapped_behind_a_branch(x, n):
    rows = [x, x[:1]]
    if n > 2:
        rows.append(torch.cat([x, x]))
    return torch.cat([row * 2 for row in rows]), len(rows)


@family.on(*UNLIKE)
def mapped_where_sizes_are_fixed(x, n):
    rows = [x[0, :3], x[0, 2:]]
    if n > 2:
        rows = rows + [x[0, 1:2]]
    if n > 5:
        rows.pop(0)
    joined: List[torch.Tensor] = []
    for row in rows:
        joined.append(row.exp())
    return torch.cat(joined), rows[-1].size(0), rows[0] + 1


@family.on(*UNLIKE)
def asked_for_sizes_behind_a_branch(x, n):
    rows = [x, x[1:]]
    if n > 2:
        rows.insert(0, x[:1] + 1)
    total = torch.zeros(4)
    for i, row in enumerate(rows):
        if row.size(0) > 2:
            total = total + row.sum(0) * i
    return total, rows[0].size(0) + rows[-1].size(0), torch.stack([row.sum(0) for row in rows])


@family.on((fill(3),), (fill(5),), (fill(1),))
def numbers_sorted_and_added(x):
    numbers = [float(v) for v in x]
    ordered = sorted(numbers)
    numbers.extend(ordered)
    numbers.insert(1, 7.0)
    numbers.pop(0)
    return torch.tensor(numbers), torch.tensor(ordered), numbers.index(7.0), min(ordered)


@family.on((fill(5, 2),), (fill(9, 2),), (fill(1, 2),))
def rows_that_are_new(x):
    kept = torch.zeros(0, 2)
    places = torch.zeros(0, dtype=torch.long)
    for i in range(x.size(0)):
        far = (kept - x[i]).abs().sum(1)
        if far.numel() > 0 and bool(far.min() < 1.5):
            kept = kept.clone()
            kept[int(far.argmin())] = x[i]
        else:
            kept = torch.cat([kept, x[i:i + 1]])
            places = torch.cat([places, torch.tensor([i])])
    return kept, places


@family.on((fill(5, 2),), (fill(9, 2),), (fill(1, 2),))
def tracks(x):
    state: Dict[str, torch.Tensor] = {"box": torch.zeros(0, 2), "age": torch.zeros(0, dtype=torch.long)}
    for i in range(x.size(0)):
        far = (state["box"] - x[i]).pow(2).sum(1)
        if far.numel() == 0 or bool(far.min() > 1):
            state["box"] = torch.cat([state["box"], x[i:i + 1]])
            state["age"] = torch.cat([state["age"], torch.tensor([0])])
        state["age"] = state["age"] + 1
    return state["box"], state["age"], state["age"].max()


RUNS = [(fill(4, 3), number(2)), (fill(6, 3), number(0)), (fill(1, 3), number(5)), (fill(4, 3), number(3))]


@family.on(*RUNS)
def written_behind_its_length(x, n: int):
    rows: List[torch.Tensor] = []
    for i in range(n):
        row = torch.zeros_like(x)
        rows.append(row)
        row[:, 0] = float(len(rows))
        if len(rows) > 1:
            row[:, 1] = float(i)
            if len(rows) > 2:
                row *= 2
    return torch.stack(rows + [x])


@family.on(*RUNS)
def written_while_long(x, n: int):
    rows: List[torch.Tensor] = [x]
    while len(rows) < n:
        row = x * 3
        rows.insert(0, row)
        row += len(rows)
    return torch.stack(rows)


@family.on(*RUNS)
def appended_in_a_branch_and_written_behind(x, n: int):
    even: List[torch.Tensor] = []
    odd: List[torch.Tensor] = []
    for i in range(n):
        row = x + i
        if i % 2 == 0:
            even.append(row)
        else:
            odd.append(row)
        row[0] = 3.0
    return torch.stack(even + [x]), torch.stack(odd + [x])


@family.on(*RUNS)
def filled_in_a_branch_before_it_is_set(x, n: int):
    rows = [x * 2, x * 3]
    lists = [[x * 4], rows]
    if n > 2:
        rows = []
        rows.append(x)
        lists[0] = rows
    total = x
    for row in rows:
        total = total + row
        total.mul_(2)
    return total, len(lists[0]), len(lists[1]), len(rows), torch.stack(lists[0])


@family.on(*RUNS)
def counted_in_the_branch(x, n: int):
    rows = [x]
    row = x * 3
    if n > 0:
        if n > 2:
            rows.append(row)
        else:
            rows.append(row + 1)
        count = len(rows)
    else:
        count = 5
    row += count + len(rows)
    return torch.stack(rows), count


@family.on(*RUNS)
def appended_in_nested_branches(x, n: int):
    rows: List[torch.Tensor] = []
    for i in range(n + 2):
        row = x * i
        if i > 0:
            if i % 2 == 1:
                rows.append(row)
            row += 1
        row *= 2
    return torch.stack(rows + [x])


@family.on(*RUNS)
def pairs_appended_in_a_branch(x, n: int):
    pairs: List[Tuple[torch.Tensor, torch.Tensor]] = []
    records: List[Dict[str, torch.Tensor]] = []
    for i in range(n):
        row = x * 3
        if i != 1:
            pairs.append((row, x + i))
            records.append({"a": row, "b": x})
        row += i
    total = x
    for a, b in pairs:
        total = total + a * b
    for record in records:
        total = total - record["a"] * record["b"]
    return total


@family.on(*RUNS)
def record_filled_behind(x, n: int):
    records: List[Dict[str, torch.Tensor]] = []
    for i in range(n):
        record = {"a": x + i}
        records.append(record)
        record["b"] = x * i
    total = x
    for record in records:
        total = total + record["a"] * record["b"]
    return total


@family.on(*RUNS)
def last_is_written(x, n: int):
    rows: List[torch.Tensor] = []
    for i in range(n):
        rows.append(x + i)
        rows[-1].add_(rows[-1].sum())
        if i % 2 == 0:
            rows[-1].add_(1)
        else:
            rows[-1] = rows[-1] * 2
    return torch.stack(rows + [x])


@family.on(*RUNS)
def extended_and_written_behind(x, n: int):
    rows = [x]
    for i in range(n):
        row = x * 3
        rows += [row, x + i]
        row += i
    return torch.stack(rows)


@family.on(*RUNS)
def numbers_of_rows(x, n: int):
    rows: List[List[int]] = []
    for i in range(n):
        row = [i]
        rows.append(row)
        row.append(i * 2)
        rows[-1].append(len(rows))
    total = x
    for row in rows:
        total = total * row[0] + row[1] * row[2]
    return total


LONG = [(fill(7, 4), number(7), number(2)), (fill(1, 4), number(1), number(3)), (fill(10, 4), number(9), number(1)),
        (fill(9, 4), number(9), number(20))]


@family.on(*LONG)
def joined_when_full(x, count: int, n: int):
    full: List[torch.Tensor] = []
    rows: List[torch.Tensor] = []
    for i in range(count):
        if len(rows) >= n:
            full.append(torch.stack(rows).mean(0) * 2)
            rows.clear()
        rows.append(x[i])
    return full, torch.stack(rows), len(full)


@family.on(*LONG)
def joined_once_there_are_some(x, count: int, n: int):
    total = torch.zeros(4)
    rows: List[torch.Tensor] = []
    for i in range(count):
        if len(rows) >= n:
            total = total + torch.stack(rows).sum(0)
        else:
            total = total * 2
        if bool(x[i].sum() > 0):
            rows.append(x[i])
    return total, len(rows)
