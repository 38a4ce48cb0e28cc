"""The code of detectors between their networks: filtering, sorting and collecting boxes."""
from typing import Dict, List, Tuple

import torch
from torch import Tensor
import torch.nn.functional as F
import torchvision
from torchvision.ops import MultiScaleRoIAlign

from case import Family, fill, number

family = Family("detection", opset=13)
BOXES = [(fill(5, 4, low=0, high=10), fill(5, low=0, high=1)), (fill(1, 4, low=0, high=10), fill(1, low=0, high=1)),
         (fill(9, 4, low=0, high=10), fill(9, low=0, high=1))]
IMAGES = [(fill(2, 3, 6, 8),), (fill(1, 3, 6, 8),), (fill(4, 3, 6, 8),)]


@family.on(*BOXES)
def filtered(boxes, scores):
    keep = torch.where(scores > 0.5)[0]
    return boxes[keep], scores[keep], keep


@family.on(*BOXES)
def filtered_twice(boxes, scores):
    keep = scores > 0.3
    boxes, scores = boxes[keep], scores[keep]
    widths = boxes[:, 2] - boxes[:, 0]
    keep = (widths > 0).nonzero().squeeze(1)
    return boxes[keep], scores[keep]


@family.on(*BOXES)
def clipped(boxes, scores):
    height, width = 8, 6
    b = boxes.clone()
    b[..., 0::2] = b[..., 0::2].clamp(min=0, max=width)
    b[..., 1::2] = b[..., 1::2].clamp(min=0, max=height)
    return b, scores


@family.on(*BOXES)
def best(boxes, scores):
    count = min(3, scores.size(0))
    top, order = scores.topk(count)
    return boxes[order], top


@family.on(*BOXES)
def ordered(boxes, scores):
    values, order = torch.sort(scores, descending=True)
    return boxes[order], values, order


def area(b):
    return (b[:, 2] - b[:, 0]).clamp(min=0) * (b[:, 3] - b[:, 1]).clamp(min=0)


@family.on(*BOXES)
def overlaps(boxes, scores):
    lt = torch.max(boxes[:, None, :2], boxes[:, :2])
    rb = torch.min(boxes[:, None, 2:], boxes[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (area(boxes)[:, None] + area(boxes) - inter + 1)


@family.on(*BOXES)
def greedy(boxes, scores):
    order = scores.argsort(descending=True)
    kept: List[torch.Tensor] = []
    while order.numel() > 0:
        i = order[0]
        kept.append(i)
        rest = order[1:]
        distance = (boxes[rest] - boxes[i]).abs().sum(1)
        order = rest[distance > 6]
    return torch.stack(kept)


@family.on(*IMAGES)
def per_image(images):
    results: List[torch.Tensor] = []
    for image in images:
        results.append((image - image.mean()) / 2)
    return torch.stack(results)


@family.on(*IMAGES)
def anchors(images):
    height, width = images.shape[-2:]
    ys = torch.arange(0, height) * 4
    xs = torch.arange(0, width) * 4
    gy, gx = torch.meshgrid(ys, xs, indexing="ij")
    centers = torch.stack([gx.reshape(-1), gy.reshape(-1)], 1)
    return centers.unsqueeze(0).expand(images.size(0), -1, -1).reshape(-1, 2)


@family.on(*IMAGES)
def levels(images):
    features: Dict[str, torch.Tensor] = {}
    x = images
    for i in range(2):
        x = torch.nn.functional.max_pool2d(x, 2)
        features[str(i)] = x
    outs: List[torch.Tensor] = []
    for name, f in features.items():
        outs.append(f.flatten(1))
    return torch.cat(outs, 1)


@family.on(*IMAGES)
def padded_batch(images):
    batch = torch.zeros(images.size(0), 3, 8, 8)
    for i in range(images.size(0)):
        image = images[i]
        batch[i, :, : image.shape[1], : image.shape[2]].copy_(image)
    return batch


@family.on(*BOXES)
def labelled(boxes, scores):
    labels = torch.arange(scores.size(0)) % 2
    results: List[Tuple[torch.Tensor, torch.Tensor]] = []
    for label in range(2):
        keep = torch.nonzero(labels == label).squeeze(1)
        results.append((boxes[keep], scores[keep]))
    return torch.cat([r[0] for r in results]), torch.cat([r[1] for r in results])


@family.on(*BOXES)
def dict_of_results(boxes, scores) -> Dict[str, torch.Tensor]:
    result: Dict[str, torch.Tensor] = {"boxes": boxes}
    keep = scores > 0.5
    result["scores"] = scores[keep]
    result["boxes"] = result["boxes"][keep]
    return result


@family.on(*BOXES)
def list_of_dicts(boxes, scores) -> List[Dict[str, torch.Tensor]]:
    results: List[Dict[str, torch.Tensor]] = []
    for i in range(2):
        results.append({"boxes": boxes + i, "scores": scores[scores > 0.3 * i]})
    return results


@family.on(*BOXES)
def empty_allowed(boxes, scores):
    keep = torch.nonzero(scores > 2).squeeze(1)
    picked = boxes[keep]
    if picked.numel() == 0:
        return boxes.sum(0, keepdim=True)
    return picked


@family.on(*IMAGES)
def resized(images):
    height, width = images.shape[-2:]
    scale = 4.0 / min(height, width)
    return torch.nn.functional.interpolate(images, size=[int(height * scale), int(width * scale)], mode="nearest")


def paste(mask, box, height: int, width: int):
    left, top = int(box[0]), int(box[1])
    right, bottom = left + abs(int(box[2])) + 3, top + abs(int(box[3])) + 3
    grown = F.interpolate(mask[None, None], size=(bottom - top, right - left), mode="bilinear", align_corners=False)[0][0]
    x0, x1, y0, y1 = max(left, 0), min(right, width), max(top, 0), min(bottom, height)
    image = torch.zeros((height, width))
    image[y0:y1, x0:x1] = grown[(y0 - top):(y1 - top), (x0 - left):(x1 - left)]
    return image


@family.on(*[(fill(n, 5, 5), fill(n, 4, low=-3, high=6), fill(*sides)) for n, sides in ((3, (9, 8)), (1, (7, 12)), (0, (9, 8)), (5, (20, 21)))])
def masks_pasted(masks, boxes, image):
    pasted: List[Tensor] = []
    for mask, box in zip(masks, boxes.clamp(max=5).to(torch.int64)):
        pasted.append(paste(mask, box, image.size(0), image.size(1)))
    if len(pasted) > 0:
        return torch.stack(pasted)[:, None]
    return masks.new_zeros((0, 1, image.size(0), image.size(1)))


@family.on(*IMAGES)
def levels_of_names(x):
    pairs: List[Tuple[str, Tensor]] = []
    names = ["0", "1", "pool"]
    for name, scale in zip(names, [1, 2, 3]):
        pairs.append((name, x[:, :scale] * scale))
    levels = dict(pairs)
    kept: List[Tensor] = []
    for name, level in levels.items():
        if name in ["0", "pool"]:
            kept.append(level)
    return torch.cat(kept, 1), len(kept)


@family.on((fill(1, 3, 6, 8),), (fill(2, 3, 9, 8),), (fill(4, 3, 6, 12),))
def example_of_one_image(x):
    y = F.max_pool2d(x, 2)
    return F.interpolate(y, size=x.shape[-2:]), x.mean(0)


@family.on(*BOXES, parts=True)
def dicts_of_the_kept(boxes, scores):
    kept: List[Dict[str, Tensor]] = []
    for i in range(boxes.size(0)):
        if bool(scores[i] > 0.2) or i == 0:
            kept.append({"box": boxes[i] * 2, "score": scores[i]})
    return kept, len(kept)


@family.on(*BOXES, parts=True)
def dicts_of_images(boxes, scores):
    results: List[Dict[str, Tensor]] = []
    i = 0
    while i < boxes.size(0):
        keep = scores[i:] > 0.4
        results.append({"boxes": boxes[i:][keep], "scores": scores[i:][keep], "count": keep.sum()})
        i += 1 if bool(scores[i] > 0.5) else 2
    if len(results) > 3:
        results = results[1:]
    return boxes, results


@family.on(*BOXES, parts=True)
def tuples_of_tensors_and_numbers(boxes, scores):
    found: List[Tuple[int, Tensor, float, bool]] = []
    for i in range(boxes.size(0)):
        if i % 3 != 1 or bool(scores[i] > 0.9):
            found.append((i, boxes[i], float(scores[i]) * 2, bool(boxes[i, 0] > 5)))
    return {"found": found, "other": boxes}


@family.on(*BOXES, parts=True)
def lists_of_dicts_of_other_keys(boxes, scores):
    kept: List[Dict[str, Tensor]] = []
    left: List[Dict[str, Tensor]] = []
    seen: List[Dict[str, Tensor]] = []
    for i in range(boxes.size(0)):
        if bool(scores[i] < 0.2) and i > 0:
            continue
        left.append({"area": boxes[i].sum()})
        seen.append({"first": boxes[i, 0], "last": boxes[i, -1], "place": scores[i]})
        kept.append({"box": boxes[i] * 2, "score": scores[i]})
    if len(seen) > 3:
        seen = seen[1:]
    return {"kept": kept, "seen": seen}, left, len(kept)


class Pooled(torch.nn.Module):
    """Regions of a pyramid whose scales depend on run-time sizes, as in a detector that was scripted before its first run."""

    def __init__(self):
        super().__init__()
        self.pool = MultiScaleRoIAlign(["a", "b"], 3, 2)

    def forward(self, a, b, corners):
        boxes = torch.cat([corners, corners + 5], 1)
        return self.pool({"a": a, "b": b}, [boxes], [(a.size(2) * 4, a.size(3) * 4)])


@family.on((fill(3, 2, 8, 12), fill(4, 5, low=0, high=2), number(0.5)), (fill(3, 2, 6, 5), fill(2, 5, low=0, high=2), number(2.0)), (fill(3, 2, 8, 12), fill(0, 5), number(0.25)), opset=16)
def aligned_by_a_scale_of_the_run(x, rois, scale: float):
    rois = torch.cat([rois[:, :1].floor(), rois[:, 1:3], rois[:, 1:3] + 3], 1)
    aligned = torchvision.ops.roi_align(x, rois, [3, 2], scale, 2, True)
    return aligned, torchvision.ops.roi_align(x, rois, [2, 2], scale, 2), torchvision.ops.roi_pool(x, rois, [2, 2], scale)


family.program("pooled_of_a_pyramid", Pooled(), (fill(1, 2, 8, 12), fill(1, 2, 4, 6), fill(3, 2, low=0, high=20)),
               (fill(1, 2, 6, 8), fill(1, 2, 3, 4), fill(5, 2, low=0, high=12)), (fill(1, 2, 16, 12), fill(1, 2, 8, 6), fill(1, 2, low=0, high=20)),
               opset=16)


@family.on(*[(boxes, scores, threshold) for (boxes, scores), threshold in zip(BOXES, (0.3, 0.5, 1.5))])
def suppressed_from(boxes, scores, threshold: float):
    return torchvision.ops.nms(torch.cat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], 1), scores, threshold)
