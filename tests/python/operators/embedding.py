"""Bags of embeddings and one-hot vectors."""
import torch
from torch import nn
from torch.nn import functional as F

from case import FLOAT, FLOATS, Dim, Family, index, tensor

family = Family("embedding", opset=9)
B = Dim("batch", 2, 3)
N = Dim("n", 4, 6)
offsets = tensor(values=[0, 2, 2, 5], dtype=torch.int64)
ends = tensor(values=[0, 2, 2, 5, 7], dtype=torch.int64)
for mode in ("sum", "mean", "max"):
    bag = nn.EmbeddingBag(9, 4, mode=mode)
    family.case(f"bag.{mode}", bag, index(7, below=9), offsets, dtypes=FLOATS)
    family.case(f"bag.{mode}_matrix", bag, index(B, N, below=9))
    family.case(f"bag.{mode}_last", nn.EmbeddingBag(9, 4, mode=mode, include_last_offset=True), index(7, below=9), ends)
    family.case(f"bag.{mode}_padding", nn.EmbeddingBag(4, 4, mode=mode, padding_idx=1), index(7, below=4), offsets)
    family.case(f"bag.{mode}_padding_negative", nn.EmbeddingBag(4, 4, mode=mode, padding_idx=-1), index(7, below=4), offsets)
family.case("bag.weighted", lambda i, o, w, f: F.embedding_bag(i, w, o, per_sample_weights=f, mode="sum"), index(7, below=9), offsets,
            tensor(9, 4), tensor(7))
family.case("one_hot.count", lambda x: F.one_hot(x), index(B, N, below=5))
family.case("one_hot.rank0", lambda x: F.one_hot(x, 4), index(below=4), opset=7)
family.case("one_hot.rank3", lambda x: F.one_hot(x, 4), index(B, 2, N, below=4), opset=7)
