"""Dynamic numbers where programs usually have constants."""
import torch

from case import Family, fill, number, tensor, whole

family = Family("settings", opset=11)
EPS = [(fill(4, 3), number(1e-5)), (fill(4, 3), number(0.5)), (fill(2, 3), number(2.0))]
MAPS = [(fill(2, 4, 3, 3), number(1e-5)), (fill(3, 4, 3, 2), number(0.5)), (fill(1, 4, 1, 2), number(2.0))]
OFFSETS = [(fill(3), number(1)), (fill(3), number(0)), (fill(3), number(-2)), (fill(5), number(4)), (fill(1), number(-1))]


@family.on(*EPS)
def layer_norm(x, eps: float):
    return torch.nn.functional.layer_norm(x, [3], torch.arange(3.0), torch.ones(3), eps), torch.nn.functional.layer_norm(x, [3], eps=eps)


@family.on(*MAPS)
def group_norm(x, eps: float):
    return torch.nn.functional.group_norm(x, 2, torch.arange(4.0), None, eps)


@family.on(*MAPS)
def batch_norm(x, eps: float):
    mean, variance = torch.arange(4.0), torch.arange(4.0) + 0.5
    plain = torch.nn.functional.batch_norm(x, mean, variance, None, None, False, 0.1, eps)
    return plain, torch.nn.functional.batch_norm(x, mean, variance, variance, mean, False, 0.1, eps)


@family.on(*EPS)
def batch_norm_of_rows(x, eps: float):
    return torch.nn.functional.batch_norm(x, torch.zeros(3), torch.ones(3), torch.arange(3.0), None, False, 0.1, eps)


@family.on((fill(2, 4, 3, 3), number(1e-5)), (fill(3, 4, 3, 2), number(0.5)), (fill(1, 4, 4, 2), number(2.0)))
def statistics_of_the_batch(x, eps: float):
    return torch.nn.functional.batch_norm(x, None, None, None, None, True, 0.1, eps), torch.nn.functional.instance_norm(x, eps=eps)


@family.on(*EPS)
def rms_norm(x, eps: float):
    return torch.nn.functional.rms_norm(x, [3], torch.arange(3.0), eps)


@family.on(*EPS)
def distances(x, eps: float):
    return torch.cosine_similarity(x, x * 0.5 + 1, 1, eps), torch.nn.functional.normalize(x, eps=eps)


@family.on((fill(4, 3), number(0.5)), (fill(4, 3), number(1.0)), (fill(2, 3), number(3.0)))
def losses(x, border: float):
    y = torch.flip(x, [1]) * 2
    return torch.nn.functional.smooth_l1_loss(x, y, beta=border), torch.nn.functional.huber_loss(x, y, delta=border, reduction="none")


@family.on((fill(4, 3), number(0.0)), (fill(4, 3), number(1.0)), (fill(2, 3), number(0.0)))
def border_may_be_zero(x, border: float):
    return torch.nn.functional.smooth_l1_loss(x, x.clone(), beta=border, reduction="none"), torch.nn.functional.smooth_l1_loss(x, x * 2, beta=border)


@family.on((tensor(3, low=-1, high=1), number(0.5), number(9.0)), (tensor(3, low=-1, high=1), number(0.0), number(7.5)), (tensor(1, low=-1, high=1), number(-1.0), number(0.0)))
def numbers_for_none(x, f: float, top: float):
    y = torch.cat([x.sqrt(), 1 / (x * 0)])
    return torch.nan_to_num(y, f), torch.nan_to_num(y, nan=f, posinf=top, neginf=-top), torch.nan_to_num(y.half(), f)


@family.on(*OFFSETS)
def diagonals(x, offset: int):
    return torch.diag_embed(x, offset), torch.diag(x, offset), torch.diagflat(x * 2, offset)


@family.on((fill(2, 3), number(1)), (fill(1, 4), number(-3)), (fill(3, 1), number(0)))
def diagonals_of_rows(x, offset: int):
    return torch.diag_embed(x, offset), torch.diag_embed(x, offset, 0, 2)


@family.on((fill(0), whole(2)), (fill(3), whole(-1)), (fill(1), whole(0)))
def diagonal_of_nothing(x, n):
    return torch.diag_embed(x, int(n))


PIECES = [(fill(4, 6), number(2)), (fill(4, 6), number(1)), (fill(4, 7), number(3)), (fill(4, 2), number(5))]


@family.on(*PIECES)
def chunks(x, n: int):
    parts = x.chunk(n, 1)
    return parts[0], torch.cat(parts, 1), len(parts)


@family.on(*PIECES, opset=13)
def chunks_by_turns(x, n: int):
    total = torch.zeros(4)
    for part in torch.chunk(x, n, 1):
        total = total * 2 + part.sum(1)
    return total


@family.on((fill(6, 3), number(3)), (fill(6, 3), number(3)), (fill(3, 3), number(3)))
def chunks_by_name(x, n: int):
    a, b, c = x.chunk(n)
    return a - b * c


@family.on(*PIECES, (fill(4, 0), number(3)))
def sections(x, n: int):
    parts = torch.tensor_split(x, n, 1)
    return parts[0], len(parts), torch.cat(parts, 1)


@family.on((fill(4, 6), number(2)), (fill(4, 6), number(3)), (fill(4, 6), number(1)))
def last_section(x, n: int):
    return torch.tensor_split(x, n, 1)[-1].sum(), x.chunk(n, 1)[-1].sum()


@family.on((fill(2, 6), number(2)), (fill(2, 6), number(1)), (fill(2, 6), number(3)))
def size_of_first_section(x, n: int):
    return x * torch.tensor_split(x, n, 0)[0].size(0), x * x.chunk(n, 0)[0].size(0)


@family.on((fill(2, 6), number(3), number(2)), (fill(2, 6), number(6), number(1)), (fill(3, 5), number(1), number(3)), (fill(1, 4), number(0), number(1)), (fill(2, 6), number(3), number(1)))
def windows(x, size: int, step: int):
    return x.unfold(1, size, step), x.unfold(-1, size, 1), x.unfold(0, 1, step)


@family.on((fill(4, 3), number(0.1)), (fill(4, 3), number(0.5)), (fill(2, 3), number(1.0)))
def ratio_of_no_dropout(x, p: float):
    functional = torch.nn.functional
    return functional.dropout(x, p, False) + 1, functional.alpha_dropout(x, p, False) * 2, functional.feature_alpha_dropout(x, p, False)


@family.on((fill(4, 5), True), (fill(1, 5), False), (fill(1, 5), True), (fill(3, 5), False))
def whether_variances_are_unbiased(x, unbiased: bool):
    return torch.var(x, 1, unbiased), torch.std(x, dim=0, unbiased=unbiased), torch.var_mean(x, unbiased=unbiased)


@family.on(*[(fill(rows, 5), number(k)) for rows, k in ((4, 2), (1, 0), (3, 1), (2, 7), (6, -1))])
def correction_of_variances(x, k: int):
    return torch.var(x, 1, correction=k), torch.std(x, dim=0, correction=k, keepdim=True), torch.std_mean(x, correction=k)


GROUPS = [(fill(2, 16, 4, 6), number(2)), (fill(3, 16, 4, 6), number(1)), (fill(1, 16, 4, 6), number(4)), (fill(0, 16, 4, 6), number(2))]


@family.on(*GROUPS, opset=9)
def pixels_shuffled(x, n: int):
    return torch.nn.functional.pixel_shuffle(x, n), torch.nn.functional.pixel_shuffle((x * 9).long(), n)


@family.on(*GROUPS[:3], opset=9)
def pixels_unshuffled(x, n: int):
    return torch.nn.functional.pixel_unshuffle(x, min(n, 2))


@family.on(*GROUPS, opset=9)
def channels_shuffled(x, n: int):
    return torch.channel_shuffle(x, n), torch.channel_shuffle(x, 4)


@family.on(*GROUPS, opset=9)
def groups_normalised(x, n: int):
    scale = torch.arange(16.0)
    return torch.nn.functional.group_norm(x, n, scale), torch.nn.functional.group_norm(x.double(), n, None, scale.double())


@family.on(*[run[:1] for run in GROUPS[:3]], opset=9)
def groups_of_a_size(x):
    return torch.nn.functional.group_norm(x, 4 if x.size(0) == 3 else x.size(0)), torch.nn.functional.pixel_shuffle(x, 1 + x.size(0) // 2)
