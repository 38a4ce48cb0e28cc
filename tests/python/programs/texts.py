"""Texts that a run chooses: names of states, keys of dicts, words of a list."""
import enum
from typing import Dict, List

import torch

from case import Family, fill, number

family = Family("texts", opset=11)
X = [(fill(4, 5), number(2)), (fill(1, 5), number(0)), (fill(9, 5), number(1))]


@family.on(*X)
def state_of_machine(x, k: int):
    state = "idle"
    y = x
    for i in range(x.size(0)):
        if state == "idle":
            if float(x[i, 0]) > 0:
                state = "run"
        elif state == "run":
            y = y + 1
            if float(x[i, 1]) < 0:
                state = "stop"
        else:
            break
    return y, state == "stop", state != "idle", len(state)


@family.on(*X)
def word_picked(x, k: int):
    words = ["relu", "tanh", "none"]
    results = {"relu": x.relu(), "tanh": x.tanh(), "none": x}
    word = words[k]
    return results[word], word in ["relu", "none"], word in results, len(word), word != "tanh"


@family.on((fill(4, 5), number(-1)), (fill(1, 5), number(-3)), (fill(9, 5), number(1)))
def word_picked_from_the_end(x, k: int):
    words = ["relu", "tanh", "none"]
    word = words[k]
    if word == "relu":
        return x.relu()
    if word == "tanh":
        return x.tanh()
    return x


@family.on(*X)
def key_from_branches(x, k: int):
    if k > 1:
        key = "twice"
    elif k == 1:
        key = "once"
    else:
        key = "minus"
    factors = {"twice": 2.0, "once": 1.0, "minus": -1.0}
    return x * factors[key], key == "once"


@family.on(*X)
def lists_by_key(x, k: int):
    lists: Dict[str, List[int]] = {"first": [1, 2], "second": [3, 4]}
    key = "first" if k > 0 else "second"
    total = 0
    for v in lists[key]:
        total += v
    return x + total


@family.on(*X)
def raised_with_a_word(x, k: int):
    word = "low"
    for i in range(x.size(0)):
        if float(x[i].sum()) > 2:
            word = "high"
    if word == "neither":
        raise RuntimeError("a sum that is " + word)
    return x * 2 if word == "high" else x * 3


@family.on(*X)
def next_word_by_dict(x, k: int):
    following = {"green": "yellow", "yellow": "red", "red": "green"}
    light = "green"
    total = torch.zeros(5)
    for i in range(x.size(0)):
        light = following[light]
        if light == "red":
            total = total + x[i]
    return total, light == "green"


@family.on(*X)
def counted_by_word(x, k: int):
    counts: Dict[str, int] = {"up": 0, "down": 0}
    for i in range(x.size(0)):
        counts["up" if float(x[i, 1]) > 0 else "down"] += 1
    return counts["up"], counts["down"]


@family.on(*X)
def summed_by_word(x, k: int):
    sums = {"first": torch.zeros(5), "second": torch.zeros(5), "third": x[0]}
    words = ["third", "first", "second"]
    for i in range(x.size(0)):
        word = words[i % 3]
        sums[word] = sums[word] + x[i]
    return sums["first"], sums["second"], sums["third"], len(sums)


@family.on(*X)
def turns_in_each_state(x, k: int):
    turns = {"idle": 0, "run": 0, "stop": 0}
    state = "idle"
    for i in range(x.size(0)):
        turns[state] = turns[state] + 1
        if state == "idle" and float(x[i, 0]) > 0:
            state = "run"
        elif state == "run" and float(x[i, 1]) < 0:
            state = "stop"
    return turns["idle"], turns["run"], turns["stop"]


@family.on(*X)
def entry_read_before_it_is_set(x, k: int):
    rows = {"first": x[0], "second": x[0] * 2}
    word = "first" if float(x[0, 0]) > 0 else "second"
    before = rows[word]
    rows[word] = x[-1]
    return before, rows["first"], rows["second"], rows[word]


class Colour(enum.Enum):
    RED = 3
    BLUE = 7


class Word(enum.Enum):
    SHORT = "aa"
    LONG = "bbbb"


ROWS = [(fill(4, 6),), (fill(9, 6, low=1),), (fill(2, 6, high=-1),)]


@family.on(*ROWS)
def member_of_the_turn(x):
    m = Colour.RED
    for i in range(x.size(0)):
        if bool(x[i, 0] > 0):
            m = Colour.BLUE
        elif m == Colour.BLUE:
            m = Colour.RED
    return x * m.value, m == Colour.RED, m != Colour.BLUE


@family.on(*ROWS)
def name_of_a_member(x):
    m = Word.SHORT
    if bool(x.sum() > 0):
        m = Word.LONG
    k = 0
    if m.name == "SHORT":
        k = 5
    if m.value == "bbbb":
        k += len(m.value)
    return x + k
