"""The networks. Each is traced with gradients enabled and under no_grad, with random weights that make errors visible."""
import functools

import torch
import torchvision.models as vision
from torch import nn
from torchvision.models import maxvit, swin_transformer, vision_transformer
from torchvision.models.video import swin_transformer as video_transformer

import networks
import vision_networks
from case import Dim, Model

BATCH = Dim("batch", 2, 3)
HEIGHT = Dim("height", 64, 96)
WIDTH = Dim("width", 64, 80)
TIME = Dim("time", 5, 9)


def image(*sides, channels=3, batch=BATCH):
    """An example image, normally distributed."""
    return lambda generator, pick: torch.randn([pick(n) for n in (batch, channels, *sides)], generator=generator)


def image_dims(*sides, channels=3, batch=BATCH):
    return (batch, channels, *sides)


def of(name, *sides, quick=False, **options):
    """A TorchVision classifier on images of the given sides."""
    make = functools.partial(getattr(vision, name), weights=None, **options)
    return Model(name, make, [image(*sides)], [image_dims(*sides)], quick=quick)


def plain(name, make, inputs, dims, **options):
    return Model(name, make, inputs, dims, **options)


def tokens(words=83, shape=(TIME, BATCH)):
    return lambda generator, pick: torch.randint(words, [pick(n) for n in shape], generator=generator)


def state(layers=2, width=32):
    return lambda generator, pick: torch.randn([layers, pick(BATCH), width], generator=generator)


def small_vit():
    return vision_transformer.VisionTransformer(32, 8, num_layers=2, num_heads=4, hidden_dim=64, mlp_dim=96, num_classes=17)


def small_swin():
    return swin_transformer.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=17)


def small_swin_v2():
    return swin_transformer.SwinTransformer(
        [4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=17, block=swin_transformer.SwinTransformerBlockV2,
        downsample_layer=swin_transformer.PatchMergingV2)


def small_swin3d():
    return video_transformer.SwinTransformer3d([2, 4, 4], 8, [2, 2], [2, 4], [5, 7, 7], num_classes=5)


def small_maxvit():
    return maxvit.MaxVit((64, 64), 16, 4, [16, 32], [1, 1], 8, 0.2, num_classes=17)


def padding(generator, pick):
    length = pick(TIME)
    kept = torch.randint(1, length + 1, [pick(BATCH), 1], generator=generator)
    return torch.arange(length).unsqueeze(0) >= kept


def sequence(generator, pick):
    return torch.randn([pick(BATCH), pick(TIME), 32], generator=generator)


def detector(name, make, *, quick=False):
    """An object detector for one image, as a script."""
    sides = (Dim("height", 100, 76), Dim("width", 120, 140))
    picture = lambda generator, pick: torch.rand([pick(n) for n in (3, *sides)], generator=generator)
    return Model(name, make, [picture], [(3, *sides)], quick=quick, opset=16, script=True, further=(vision_networks.smaller,))


def of_zoo(name, **options):
    return detector(name, functools.partial(vision_networks.of_zoo, name, **options))


def detectors():
    regions, small, single = vision_networks.REGIONS, vision_networks.SMALL, vision_networks.SINGLE
    for make in vision_networks.TINY_DETECTORS:
        yield detector(make.__name__, functools.partial(make, 0.45), quick=True)
    yield detector("tiny_mask_rcnn.nothing", functools.partial(vision_networks.tiny_mask_rcnn, 0.9999), quick=True)
    yield detector("tiny_retinanet.nothing", functools.partial(vision_networks.tiny_retinanet, 0.9999), quick=True)
    for name in ("fasterrcnn_mobilenet_v3_large_320_fpn", "fasterrcnn_mobilenet_v3_large_fpn", "fasterrcnn_resnet50_fpn",
                 "fasterrcnn_resnet50_fpn_v2", "maskrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn_v2", "keypointrcnn_resnet50_fpn"):
        yield of_zoo(name, **regions)
    for name in ("retinanet_resnet50_fpn", "retinanet_resnet50_fpn_v2", "fcos_resnet50_fpn"):
        yield of_zoo(name, **single, **small)
    for name in ("ssd300_vgg16", "ssdlite320_mobilenet_v3_large"):
        yield of_zoo(name, **single)


def pictures():
    """Segmentation, video and optical flow, traced and as scripts."""
    clip = (Dim("time", 8, 10), Dim("height", 32, 48), Dim("width", 32, 40))
    for name in ("fcn_resnet50", "deeplabv3_mobilenet_v3_large", "deeplabv3_resnet50", "lraspp_mobilenet_v3_large"):
        yield from both(name, functools.partial(vision_networks.Segmented, name), HEIGHT, WIDTH)
    for name in ("r3d_18", "mc3_18", "r2plus1d_18"):
        yield from both(name, functools.partial(getattr(vision.video, name), num_classes=7), *clip)
    yield from both("s3d", functools.partial(vision.video.s3d, num_classes=7), 16, 224, 224)
    clip = (Dim("time", 8, 12), Dim("height", 64, 96), Dim("width", 64, 80))
    yield from both("swin3d_t", functools.partial(vision.video.swin3d_t, num_classes=7), *clip)
    yield Model("scripted_small_swin3d", small_swin3d, [image(*clip)], [image_dims(*clip)], quick=True, opset=16, script=True)
    for name, second in {"small_mvit": False, "small_mvit_v2": True}.items():
        yield from both(name, functools.partial(vision_networks.small_mvit, second), 4, 32, 32, quick=True)
    for name in ("raft_small", "raft_large"):
        sides = (Dim("height", 128, 136), Dim("width", 128, 160))
        yield from both(name, functools.partial(vision_networks.Flow, name), *sides, inputs=2)


def both(name, make, *sides, inputs=1, quick=False):
    """A network traced and as a script."""
    for kind in (False, True):
        yield Model("scripted_" * kind + name, make, [image(*sides)] * inputs, [image_dims(*sides)] * inputs, quick=quick, opset=16,
                    script=kind)


def all_models():
    free = (HEIGHT, WIDTH)
    yield of("alexnet", 224, 224, quick=True)
    yield of("vgg11", 224, 224, init_weights=False)
    yield of("vgg16", 224, 224, init_weights=False)
    yield of("vgg16_bn", 224, 224, init_weights=False)
    yield of("resnet18", *free, quick=True)
    yield of("resnet50", *free)
    yield of("resnet152", *free)
    yield of("resnext50_32x4d", *free)
    yield of("wide_resnet50_2", *free)
    yield of("densenet121", *free, quick=True)
    yield of("squeezenet1_1", *free, quick=True)
    yield of("googlenet", *free, quick=True, init_weights=False)
    yield of("inception_v3", 107, 107, init_weights=False)
    yield of("mobilenet_v2", *free)
    yield of("mobilenet_v3_small", *free, quick=True)
    yield of("mobilenet_v3_large", *free)
    yield of("mnasnet1_0", *free)
    yield of("efficientnet_b0", *free)
    yield of("efficientnet_v2_s", *free)
    yield of("regnet_y_400mf", *free)
    yield of("regnet_x_400mf", *free)
    yield of("shufflenet_v2_x1_0", *free, quick=True)
    yield of("convnext_tiny", *free)
    yield of("vit_b_16", 224, 224)
    yield of("swin_t", 64, 64)
    yield of("swin_v2_t", 64, 64)
    yield of("maxvit_t", 224, 224)
    yield from detectors()
    yield from pictures()
    yield plain("small_vit", small_vit, [image(32, 32)], [image_dims(32, 32)], quick=True)
    yield plain("small_swin", small_swin, [image(32, 32)], [image_dims(32, 32)], quick=True)
    yield plain("small_swin_v2", small_swin_v2, [image(32, 32)], [image_dims(32, 32)], quick=True)
    yield plain("small_maxvit", small_maxvit, [image(64, 64)], [image_dims(64, 64)], quick=True)
    yield plain("dcgan_generator", networks.Generator, [image(1, 1, channels=100)], [image_dims(1, 1, channels=100)], quick=True)
    yield plain("dcgan_discriminator", networks.Discriminator, [image(64, 64)], [image_dims(64, 64)], quick=True)
    sides = (Dim("height", 24, 36), Dim("width", 28, 20))
    yield plain("super_resolution", networks.SuperResolution, [image(*sides, channels=1)], [image_dims(*sides, channels=1)],
                quick=True)
    yield plain("word_lstm", networks.LstmLanguageModel, [tokens(), state(), state()],
                [(TIME, BATCH), (2, BATCH, 32), (2, BATCH, 32)], quick=True)
    yield plain("word_gru", networks.GruLanguageModel, [tokens(), state()], [(TIME, BATCH), (2, BATCH, 32)], quick=True)
    turned = [tokens(shape=(BATCH, TIME))], [(BATCH, TIME)]
    yield plain("transformer", networks.TransformerLanguageModel, *turned, quick=True)
    yield plain("transformer_causal", functools.partial(networks.TransformerLanguageModel, causal=True), [tokens(shape=(BATCH, 5))],
                [(BATCH, 5)], quick=True)
    for name, options in {"": {}, "_norm_first": {"norm_first": True}, "_gelu": {"activation": "gelu"}}.items():
        yield plain("transformer_padded" + name, functools.partial(networks.PaddedTransformer, **options), [sequence, padding],
                    [(BATCH, TIME, 32), (BATCH, TIME)], quick=True)
