"""TorchVision's networks that take a script: detectors of objects, with a tensor in and tensors out."""
import torch
from torch import nn
from torchvision.models import detection

# Small images and few candidates; thresholds that leave something of what random weights find.
SMALL = {"min_size": 96, "max_size": 160}
REGIONS = {"rpn_pre_nms_top_n_test": 60, "rpn_post_nms_top_n_test": 20, **SMALL}


class Detected(nn.Module):
    """What a detector finds in one image: its dict's entries in their order."""

    def __init__(self, name, **options):
        super().__init__()
        self.network = getattr(detection, name)(weights=None, weights_backbone=None, num_classes=5, **options)

    def forward(self, image):
        if torch.jit.is_scripting():
            found = self.network([image])[1]
        else:
            found = self.network([image])
        return [value for value in found[0].values()]


def smaller(dim):
    """The size of an axis in a further run."""
    return dim.second // 2 + 20 if hasattr(dim, "second") else dim
