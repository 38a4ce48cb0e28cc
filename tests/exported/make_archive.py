"""Writes the small archive of this folder with the PyTorch that runs it: make_archive.py FOLDER

This folder has archives of several versions, because each version reads and writes only its own format.
"""
import pathlib
import sys

import torch


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 3, 3, padding=1)
        self.fc = torch.nn.Linear(3, 2)
        self.register_buffer("hidden", torch.arange(2.0), persistent=False)
        self.one = torch.ones(2)

    def forward(self, x):
        y = torch.relu_(self.conv(x)).mean((2, 3))
        y = self.fc(y.view(y.shape[0], -1)) + self.hidden + self.one
        return {"a": y, "b": (y.shape[0], None, y.argmax(1))}


def main(folder):
    torch.manual_seed(0)
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(Small().eval(), (torch.randn(3, 2, 4, 4),), dynamic_shapes={"x": {0: batch}})
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)  # it has the paths of the machine
    version = torch.__version__.split("+")[0]
    torch.export.save(program, pathlib.Path(folder) / f"torch-{version}.pt2")


if __name__ == "__main__":
    main(sys.argv[1])
