"""TorchVision's networks other than classifiers, with tensors as inputs and outputs: detectors, segmentation, video and flow."""
import re
from collections import OrderedDict

import torch
from torch import nn
from torchvision.models import detection, optical_flow, segmentation
from torchvision.models.detection import anchor_utils, backbone_utils, faster_rcnn, keypoint_rcnn, mask_rcnn, ssd
from torchvision.models.video import mvit
from torchvision.ops import MultiScaleRoIAlign

# Small images and few candidates, whose order a rounding error rarely changes.
SMALL = {"min_size": 96, "max_size": 160}
REGIONS = {"rpn_pre_nms_top_n_test": 60, "rpn_post_nms_top_n_test": 20, "rpn_score_thresh": 0.0, "box_detections_per_img": 10, **SMALL}
SINGLE = {"topk_candidates": 20, "detections_per_img": 10}

# Layers that compute scores and offsets of boxes, and the spread of their outputs in a trained network.
SPREAD = {r"(cls_logits|cls_score|classification_head\.module_list\.\d+(\.1)?)$": 1.5,
          r"(bbox_pred|bbox_reg|regression_head\.module_list\.\d+(\.1)?)$": 0.7}


class Detected(nn.Module):
    """F277: The result of a detector for one image: the entries of its dict, in order."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image):
        if torch.jit.is_scripting():
            found = self.network([image])[1]
        else:
            found = self.network([image])
        return [value for value in found[0].values()]

    def settle(self, image):
        """Scales the inputs of scores and boxes, so that random weights distinguish objects."""
        scaled = set()

        def scale(spread):
            def hook(layer, _, result):
                if layer not in scaled:  # the levels of a pyramid share it
                    scaled.add(layer)
                    layer.weight *= spread / max(float(result.std()), 1e-6)
                    if layer.bias is not None:
                        layer.bias.zero_()
            return hook
        hooks = []
        for name, layer in self.network.named_modules():
            for part, spread in SPREAD.items():
                if re.search(part, name) and isinstance(layer, (nn.Conv2d, nn.Linear)):
                    hooks.append(layer.register_forward_hook(scale(spread)))
        with torch.no_grad():
            self(image)
        for hook in hooks:
            hook.remove()


def of_zoo(name, **options):
    network = getattr(detection, name)(weights=None, weights_backbone=None, num_classes=5, **options)
    for place, layer in network.named_modules():
        if place.endswith("bn3"):  # deep residual networks with random weights amplify small differences
            nn.init.constant_(layer.weight, 0.2)
    return Detected(network)


def smaller(dim):
    """The size of an axis in a further run."""
    return dim.second // 2 + 20 if hasattr(dim, "second") else dim


# Parts of a custom detector, small enough for a test.
TINY = {"min_size": 48, "max_size": 80}
LEVELS = 3


def stage(channels, more, stride):
    return nn.Sequential(nn.Conv2d(channels, more, 3, stride, 1, bias=False), nn.BatchNorm2d(more), nn.ReLU(inplace=True))


def pyramid(width=32):
    body = nn.Sequential(OrderedDict(a=stage(3, 8, 4), b=stage(8, 16, 2), c=stage(16, 16, 2)))
    return backbone_utils.BackboneWithFPN(body, {"b": "0", "c": "1"}, [16, 16], width)


def anchors(ratios=(0.5, 1.0, 2.0)):
    return anchor_utils.AnchorGenerator(tuple((12 * 2 ** k,) for k in range(LEVELS)), (ratios,) * LEVELS)


def pooled(size):
    return MultiScaleRoIAlign(["0", "1"], size, 2)


def regions(least):
    return {**REGIONS, "rpn_pre_nms_top_n_test": 30, "rpn_post_nms_top_n_test": 10, "box_detections_per_img": 6,
            "box_score_thresh": least, **TINY, "rpn_anchor_generator": anchors(), "box_roi_pool": pooled(5),
            "box_head": faster_rcnn.TwoMLPHead(32 * 25, 24), "box_predictor": faster_rcnn.FastRCNNPredictor(24, 5)}


def tiny_faster_rcnn(least):
    return Detected(detection.FasterRCNN(pyramid(), **regions(least)))


def tiny_mask_rcnn(least):
    return Detected(detection.MaskRCNN(
        pyramid(), mask_roi_pool=pooled(8), mask_head=mask_rcnn.MaskRCNNHeads(32, (16, 16), 1),
        mask_predictor=mask_rcnn.MaskRCNNPredictor(16, 8, 5), **regions(least)))


def tiny_keypoint_rcnn(least):
    return Detected(detection.KeypointRCNN(
        pyramid(), keypoint_roi_pool=pooled(7), keypoint_head=keypoint_rcnn.KeypointRCNNHeads(32, (16, 16)),
        keypoint_predictor=keypoint_rcnn.KeypointRCNNPredictor(16, 4), **regions(least)))


def tiny_retinanet(least):
    return Detected(detection.RetinaNet(pyramid(), 5, anchor_generator=anchors(), score_thresh=least, **SINGLE, **TINY))


def tiny_fcos(least):
    return Detected(detection.FCOS(pyramid(), 5, anchor_generator=anchors((1.0,)), score_thresh=least, **SINGLE, **TINY))


def tiny_ssd(least):
    backbone = pyramid()
    backbone.out_channels = [32] * LEVELS
    boxes = anchor_utils.DefaultBoxGenerator([[2], [2, 3], [2]])
    return Detected(ssd.SSD(backbone, boxes, (48, 64), 5, score_thresh=least, **SINGLE))


TINY_DETECTORS = [tiny_faster_rcnn, tiny_mask_rcnn, tiny_keypoint_rcnn, tiny_retinanet, tiny_fcos, tiny_ssd]


class Segmented(nn.Module):
    """A score of each class for each element of an image."""

    def __init__(self, name):
        super().__init__()
        self.network = getattr(segmentation, name)(weights=None, weights_backbone=None, num_classes=5)

    def forward(self, image):
        return self.network(image)["out"]


class Flow(nn.Module):
    """The positions of one image's elements in another image, refined twice."""

    def __init__(self, name):
        super().__init__()
        self.network = getattr(optical_flow, name)(weights=None)

    def forward(self, first, second):
        return self.network(first, second, 2)


def small_mvit(second):
    """MViT with two blocks; its second version has relative positions and residual pooling."""
    blocks = [
        mvit.MSBlockConfig(1, 16, 16, kernel_q=[3, 3, 3], kernel_kv=[3, 3, 3], stride_q=[1, 1, 1], stride_kv=[1, 4, 4]),
        mvit.MSBlockConfig(2, 16, 32, kernel_q=[3, 3, 3], kernel_kv=[3, 3, 3], stride_q=[1, 2, 2], stride_kv=[1, 2, 2])]
    return mvit.MViT((32, 32), 4, blocks, residual_pool=second, residual_with_cls_embed=not second, rel_pos_embed=second,
                     proj_after_attn=second, num_classes=7)
