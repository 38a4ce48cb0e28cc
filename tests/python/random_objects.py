"""The callees of the programs of random_script.py: two classes, one immutable and one mutable, and a function that
reads a list of optionals."""
from typing import List, Optional

import torch


@torch.jit.script
class Fixed:
    def __init__(self, v: torch.Tensor, i: int):
        self.v = v
        self.i = i

    def turned(self, by: torch.Tensor) -> "Fixed":
        return Fixed((by - self.v).clamp(-99, 99), self.i + 1)


@torch.jit.script
class Cell:
    def __init__(self, v: torch.Tensor, i: int):
        self.v = v
        self.i = i

    def turned(self, by: torch.Tensor) -> "Cell":
        return Cell((by - self.v).clamp(-99, 99), self.i + 1)

    def see(self, v: torch.Tensor) -> None:
        self.v = (self.v * 2 - v).clamp(-99, 99)
        self.i = (self.i + 1) % 5


def shown(items: List[Optional[torch.Tensor]], other: torch.Tensor) -> torch.Tensor:
    rows = [other]
    for item in items:
        rows.append(other if item is None else item + 1)
    return torch.stack(rows)


CALLED = {"Fixed": Fixed, "Cell": Cell, "shown": shown}
