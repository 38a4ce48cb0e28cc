"""The networks: each is traced with gradients on and under no_grad, with random weights that let mistakes show."""
import functools

import torch
import torchvision.models as vision
from torch import nn
from torchvision.models import maxvit, swin_transformer, vision_transformer

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


def small_maxvit():
    return maxvit.MaxVit((64, 64), 16, 4, [16, 32], [1, 1], 8, 0.2, num_classes=17)


def padding(generator, pick):
    length = pick(TIME)
    kept = torch.randint(1, length + 1, [pick(BATCH), 1], generator=generator)
    return torch.arange(length).unsqueeze(0) >= kept


def sequence(generator, pick):
    return torch.randn([pick(BATCH), pick(TIME), 32], generator=generator)


def detector(name, *, quick=False, **options):
    """A TorchVision detector of objects in one image, as a script."""
    sides = (Dim("height", 100, 76), Dim("width", 120, 140))
    make = functools.partial(vision_networks.Detected, name, **options)
    picture = lambda generator, pick: torch.rand([pick(n) for n in (3, *sides)], generator=generator)
    return Model(name, make, [picture], [(3, *sides)], quick=quick, opset=16, script=True, further=(vision_networks.smaller,))


def detectors():
    regions, small = vision_networks.REGIONS, vision_networks.SMALL
    yield detector("fasterrcnn_mobilenet_v3_large_320_fpn", rpn_score_thresh=0.0, **regions)
    yield detector("fasterrcnn_mobilenet_v3_large_fpn", rpn_score_thresh=0.0, **regions)
    yield detector("fasterrcnn_resnet50_fpn", **regions)
    yield detector("fasterrcnn_resnet50_fpn_v2", **regions)
    yield detector("maskrcnn_resnet50_fpn", **regions)
    yield detector("maskrcnn_resnet50_fpn_v2", **regions)
    yield detector("keypointrcnn_resnet50_fpn", **regions)
    yield detector("retinanet_resnet50_fpn", score_thresh=0.009, **small)
    yield detector("retinanet_resnet50_fpn_v2", score_thresh=0.009, **small)
    yield detector("fcos_resnet50_fpn", score_thresh=0.05, **small)
    yield detector("ssd300_vgg16", score_thresh=0.15)
    yield detector("ssdlite320_mobilenet_v3_large", score_thresh=0.15)


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
