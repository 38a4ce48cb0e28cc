"""Fake quantisation, and quantisation written as operators on plain tensors."""
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401, defines quantized_decomposed
from torch import nn

from case import FLOATS, Dim, Family, tensor

family = Family("quantisation", opset=7)
B = Dim("batch", 2, 3)
matrix = tensor(B, 6, Dim("width", 5, 9))
image = tensor(B, 4, 5, 3)
scales = tensor(values=[0.02, 0.05, 0.011, 0.07])
decomposed = torch.ops.quantized_decomposed


def given(make, *values):
    """The program that `make` returns for constant values."""
    return make(*values)


def one_step(name, program, *inputs, step, **options):
    """A case whose results may differ by one step of the grid."""
    family.case(name, program, *inputs, rtol=1e-6, atol=step * 1.01, **options)


for name, low, high in (("uint8", 0, 255), ("int8", -128, 127), ("int7", 0, 127), ("symmetric", -127, 127), ("int4", -8, 7),
                        ("int16", -32768, 32767), ("uint16", 0, 65535), ("int17", 0, 99999), ("mixed", -20, 200)):
    zero = (low + high) // 2 + 3
    step = 5.0 / (high - low)  # some of the inputs are outside the range
    one_step(f"fake_quantize_per_tensor_affine.{name}", given(lambda s, z, a, b: lambda x: torch.fake_quantize_per_tensor_affine(
        x, s, z, a, b), step, zero, low, high), matrix, step=step, dtypes=FLOATS if name == "uint8" else FLOATS[:1])
    one_step(f"fake_quantize_per_tensor_affine.tensors_{name}", given(lambda a, b: lambda x, s, z: torch.fake_quantize_per_tensor_affine(
        x, s, z, a, b), low, high), matrix, tensor(values=[step]), tensor(values=[zero], dtype=torch.int32), step=step)
one_step("fake_quantize_per_tensor_affine.scalar", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255), tensor(), step=0.1)
one_step("fake_quantize_per_tensor_affine.empty", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255), tensor(0, 3), step=0.1)
# With a power of two as step no rounding depends on the runtime: halves are rounded to the even integer.
family.case("fake_quantize_per_tensor_affine.halves", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.25, 1, -128, 127),
            tensor(values=[-0.375, -0.125, 0.125, 0.375, 0.625, 40.0, -40.0]), rtol=1e-9, atol=1e-9)
family.case("fake_quantize_per_tensor_affine_cachemask.mask", lambda x: torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(
    x, 0.0625, -3, -20, 20), matrix, rtol=1e-6, atol=1e-6)
family.case("fake_quantize_per_channel_affine_cachemask.mask", lambda x: torch.ops.aten.fake_quantize_per_channel_affine_cachemask(
    x, torch.tensor([0.0625, 0.125, 0.25, 0.03125]), torch.tensor([1, -2, 0, 5], dtype=torch.int32), 1, -20, 20), image, rtol=1e-6, atol=1e-6)
for name, flag in (("on", 1), ("off", 0)):
    family.case(f"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.{name}", lambda x, s, z, e: torch._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
        x, s, z, e, -20, 20), matrix, tensor(values=[0.0625]), tensor(values=[-3], dtype=torch.int32), tensor(values=[flag], dtype=torch.int64), rtol=1e-6, atol=1e-6)
one_step("_fake_quantize_learnable_per_tensor_affine.plain", lambda x, s, z: torch._fake_quantize_learnable_per_tensor_affine(
    x, s, z, -20, 20, 1.0), matrix, tensor(values=[0.07]), tensor(values=[2.6]), step=0.07)
one_step("_fake_quantize_learnable_per_channel_affine.plain", lambda x, s, z: torch._fake_quantize_learnable_per_channel_affine(
    x, s, z, 1, -20, 20, 1.0), image, scales, tensor(values=[2.6, -30.0, 1.2, 0.4]), step=0.07)
for axis, size in ((0, 2), (1, 4), (2, 5), (3, 3)):
    one_step(f"fake_quantize_per_channel_affine.axis{axis}", given(lambda a: lambda x, s, z: torch.fake_quantize_per_channel_affine(x, s, z, a, -128, 127), axis),
             tensor(2, 4, 5, 3), tensor(size, low=0.01, high=0.05), tensor(size, low=-20, high=20, dtype=torch.int32), step=0.05)
one_step("fake_quantize_per_channel_affine.narrow", lambda x, s, z: torch.fake_quantize_per_channel_affine(x, s, z, 1, 0, 15),
         image, scales, tensor(values=[1, 2, 7, 15], dtype=torch.int32), step=0.07)
one_step("fake_quantize_per_channel_affine.float_zero_point", lambda x, s, z: torch.fake_quantize_per_channel_affine(x, s, z, 1, 0, 255),
         image, scales, tensor(values=[1.3, 2.5, 7.25, 15.75]), step=0.07)

BOUNDS = {torch.uint8: (0, 255), torch.int8: (-128, 127), torch.int16: (-32768, 32767), torch.uint16: (0, 65535), torch.int32: (-2 ** 31, 2 ** 31 - 1)}
for dtype, (low, high) in BOUNDS.items():
    name = str(dtype).removeprefix("torch.")
    step = 2.0 ** -5 if high < 256 else 2.0 ** -10
    zero = 0 if dtype == torch.int32 else (low + high) // 2
    family.case(f"quantize_per_tensor.{name}", given(lambda s, z, a, b, d: lambda x: decomposed.quantize_per_tensor(x, s, z, a, b, d), step, zero, low, high, dtype), matrix)
    family.case(f"quantize_per_tensor.tensor_{name}", given(lambda a, b, d: lambda x, s, z: decomposed.quantize_per_tensor.tensor(x, s, z, a, b, d), low, high, dtype),
                matrix, tensor(values=[step], dtype=torch.float64), tensor(values=[zero], dtype=torch.int64))
    family.case(f"quantize_per_channel.{name}", given(lambda a, b, d: lambda x, s, z: decomposed.quantize_per_channel(x, s, z, 1, a, b, d), low, high, dtype),
                image, tensor(values=[0.25, 0.5, 0.0625, 0.125]), tensor(values=[0, 1, 3, 2], dtype=torch.int64))
    if dtype == torch.uint16:  # LibTorch cannot read archives of these
        continue
    whole = tensor(B, 4, 5, low=max(low, -70000), high=min(high, 70000), dtype=dtype)
    family.case(f"dequantize_per_tensor.{name}", given(lambda s, z, a, b, d: lambda x: decomposed.dequantize_per_tensor(x, s, z, a, b, d), step, zero, low, high, dtype), whole)
    family.case(f"dequantize_per_tensor.tensor_{name}", given(lambda a, b, d: lambda x, s, z: decomposed.dequantize_per_tensor.tensor(x, s, z, a, b, d), low, high, dtype),
                whole, tensor(values=[step], dtype=torch.float64), tensor(values=[zero], dtype=torch.int64))
    family.case(f"dequantize_per_channel.{name}", given(lambda a, b, d: lambda x, s, z: decomposed.dequantize_per_channel(x, s, z, 1, a, b, d), low, high, dtype),
                whole, scales, tensor(values=[0, 1, 3, 2], dtype=torch.int64))
    family.case(f"dequantize_per_channel.no_zero_{name}", given(lambda a, b, d: lambda x, s: decomposed.dequantize_per_channel(x, s, None, 1, a, b, d), low, high, dtype),
                whole, scales)
family.case("quantize_per_tensor.narrow", lambda x: decomposed.quantize_per_tensor(x, 0.0625, 3, 0, 31, torch.uint8), matrix)
family.case("dequantize_per_tensor.half", lambda x: decomposed.dequantize_per_tensor(x, 0.0625, 3, 0, 255, torch.uint8, out_dtype=torch.float16),
            tensor(B, 4, low=0, high=255, dtype=torch.uint8), rtol=1e-2)
family.case("fake_quant_per_channel.plain", lambda x, s, z: decomposed.fake_quant_per_channel(x, s, z, 1, -8, 7),
            image, tensor(values=[0.25, 0.5, 0.0625, 0.125]), tensor(values=[0, 1, 3, 2], dtype=torch.int32))
rows = tensor(B, 5, 8)
for name, choose in (("choose_qparams_per_token", decomposed.choose_qparams_per_token), ("choose_qparams_per_token_asymmetric", decomposed.choose_qparams_per_token_asymmetric)):
    family.case(f"{name}.plain", given(lambda c: lambda x: c(x, torch.int8), choose), rows)
    one_step(f"{name}.round_trip", given(lambda c: lambda x: (lambda s, z: decomposed.dequantize_per_token(decomposed.quantize_per_token(
        x, s, z, -128, 127, torch.int8), s, z, -128, 127, torch.int8, torch.float32))(*c(x, torch.int8)), choose), rows, step=0.03)
for name, low, high, dtype in (("uint8", 0, 255, torch.uint8), ("int8", -128, 127, torch.int8), ("int7", 0, 127, torch.uint8)):
    family.case(f"choose_qparams.{name}", given(lambda a, b, d: lambda x: decomposed.choose_qparams.tensor(x, a, b, 1e-6, d), low, high, dtype), matrix)
    family.case(f"choose_qparams_symmetric.{name}", given(lambda a, b, d: lambda x: decomposed.choose_qparams_symmetric.tensor(x, a, b, 1e-6, d), low, high, dtype), matrix)
family.case("choose_qparams.positive", lambda x: decomposed.choose_qparams.tensor(x, 0, 255, 1e-6, torch.uint8), tensor(B, 4, low=1, high=3))
family.case("choose_qparams.zeros", lambda x: decomposed.choose_qparams.tensor(x * 0, 0, 255, 1e-6, torch.uint8), tensor(B, 4))
one_step("choose_qparams.round_trip", lambda x: (lambda s, z: decomposed.dequantize_per_tensor.tensor(decomposed.quantize_per_tensor.tensor(
    x, s, z, 0, 255, torch.uint8), s, z, 0, 255, torch.uint8))(*decomposed.choose_qparams.tensor(x, 0, 255, 1e-6, torch.uint8)), matrix, step=0.03)
groups = tensor(5, 2, low=0.0625, high=0.5), tensor(5, 2, low=-4, high=4, dtype=torch.int32)
family.case("quantize_per_channel_group.plain", lambda x, s, z: decomposed.quantize_per_channel_group(x, s, z, -8, 7, torch.int8, 4), tensor(5, 8), *groups)
family.case("dequantize_per_channel_group.plain", lambda x, s, z: decomposed.dequantize_per_channel_group(x, s, z, -8, 7, torch.int8, 4, torch.float32),
            tensor(5, 8, low=-8, high=7, dtype=torch.int8), *groups)
family.case("dequantize_per_channel_group.no_zero", lambda x, s: decomposed.dequantize_per_channel_group(x, s, None, -8, 7, torch.int8, 4, torch.float32),
            tensor(5, 8, low=-8, high=7, dtype=torch.int8), groups[0])
for name, dtype, zeros in (("bytes", torch.int8, [-100, 100]), ("unsigned_bytes", torch.uint8, [200, 100])):  # LibTorch subtracts in this dtype
    whole = tensor(B, 2, low=0 if dtype == torch.uint8 else -128, high=127, dtype=dtype)
    family.case(f"dequantize_per_channel.zeros_of_{name}", given(lambda d: lambda x, s, z: decomposed.dequantize_per_channel(x, s, z, 1, 0, 127, d), dtype),
                whole, tensor(values=[0.25, 0.5]), tensor(values=zeros, dtype=dtype))
    family.case(f"dequantize_per_channel_group.zeros_of_{name}", given(lambda d: lambda x, s, z: decomposed.dequantize_per_channel_group(
        x, s, z, 0, 127, d, 2, torch.float32), dtype), tensor(1, 4, low=0, high=127, dtype=dtype), tensor(values=[[0.25, 0.5]]), tensor(values=[zeros], dtype=dtype))
family.case("dequantize_per_channel.zeros_of_int32", lambda x, s, z: decomposed.dequantize_per_channel(x, s, z, 1, -2 ** 31, 2 ** 31 - 1, torch.int32),
            tensor(values=[[-2 ** 31, 2 ** 31 - 1]], dtype=torch.int32), tensor(values=[0.25, 0.5]), tensor(values=[9, -9], dtype=torch.int32))
family.case("dequantize_per_channel.far_zeros", lambda x: decomposed.dequantize_per_channel(x, torch.tensor([0.25, 0.5]), torch.tensor([-300, 128]), 1, -128, 127, torch.int8),
            tensor(B, 2, low=-128, high=127, dtype=torch.int8))
family.case("quantize_per_tensor.far_zero", lambda x: decomposed.quantize_per_tensor(x, 0.0625, 128, -128, 127, torch.int8), matrix)
family.case("quantize_per_tensor.tensor2", lambda x: decomposed.quantize_per_tensor.tensor2(
    x, torch.tensor(0.0625), torch.tensor(3), torch.tensor(-20), torch.tensor(20), torch.int8), matrix)
family.case("dequantize_per_tensor.tensor2", lambda x: decomposed.dequantize_per_tensor.tensor2(
    x, torch.tensor(0.0625), torch.tensor(3), torch.tensor(-20), torch.tensor(20), torch.int8), tensor(B, 4, low=-128, high=127, dtype=torch.int8))
for name, dtype in (("half", torch.float16), ("brain", torch.bfloat16)):
    narrow = given(lambda d: lambda x, s: decomposed.dequantize_per_channel_group(x, s.to(d), None, -8, 7, torch.int8, 4, torch.float32), dtype)
    family.case(f"dequantize_per_channel_group.{name}_scales", narrow, tensor(5, 8, low=-8, high=7, dtype=torch.int8), groups[0], rtol=1e-9, atol=1e-9, opset=13)
    family.case(f"choose_qparams.{name}", given(lambda d: lambda x: decomposed.choose_qparams.tensor(x.to(d), -128, 127, 1e-7, torch.int8), dtype), matrix, rtol=1e-7, atol=1e-9, opset=13)
    family.case(f"choose_qparams_per_token_asymmetric.{name}", given(lambda d: lambda x: decomposed.choose_qparams_per_token_asymmetric(x.to(d), torch.int8), dtype), rows, rtol=1e-7, atol=1e-9, opset=13)
for dtype in (torch.uint8, torch.int16, torch.int32):
    family.case(f"dequantize_per_channel_group.{str(dtype).removeprefix('torch.')}", given(lambda d: lambda x, s, z: decomposed.dequantize_per_channel_group(
        x, s, z, 0, 200, d, 4, torch.float32), dtype), tensor(2, 8, low=0, high=200, dtype=dtype), tensor(2, 2, low=0.1, high=0.5), tensor(2, 2, low=0, high=200, dtype=torch.int64))
family.case("convert_element_type.no_fuse", lambda x: decomposed.convert_element_type.no_fuse(x, torch.int32), matrix)
