"""The classes of random_script.py: of one, objects stay as they are made, of the other they change."""
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


CLASSES = {"Fixed": Fixed, "Cell": Cell}
