"""Fourier transforms: torch.fft over every axis and scale, stft, istft and related operators."""
import torch

from case import Dim, Family, tensor

family = Family("fourier")
B = Dim("batch", 2, 3)
N = Dim("n", 6, 9)
L = Dim("length", 40, 57)
C64, C128 = torch.complex64, torch.complex128
CLOSE = dict(rtol=1e-4, atol=1e-4)
REAL, COMPLEX = (torch.float32, torch.float64), (C64, C128)

for name, dtypes in (("fft", COMPLEX), ("ifft", COMPLEX), ("rfft", REAL), ("irfft", COMPLEX), ("hfft", COMPLEX), ("ihfft", REAL)):
    scope = {"f": getattr(torch.fft, name), "f2": getattr(torch.fft, name + "2"), "fn": getattr(torch.fft, name + "n")}
    for variant, text in [
        ("plain", "f(x)"), ("scales", "(f(x, norm='ortho'), f(x, norm='forward'), f(x, norm='backward'))"),
        ("sizes", "(f(x, 4), f(x, 9), f(x, 7), f(x, n=1) if 'h' not in name and name != 'irfft' else f(x, n=2))".replace("name", repr(name))), ("axes", "(f(x, dim=0), f(x, dim=1, n=5, norm='ortho'))"),
        ("two", "(f2(x), f2(x, norm='ortho'), f2(x, s=(3, 4)), f2(x, dim=(0, 2), norm='forward'))"),
        ("all", "(fn(x), fn(x, s=(4, -1, 5)), fn(x, dim=(1,)), fn(x, s=(3,)), fn(x, norm='ortho', dim=(2, 0)))"),
    ]:
        call = eval("lambda x: " + text, scope)
        family.case(f"{name}.{variant}", call, tensor(B, 3, 6), dtypes=dtypes if variant == "plain" else dtypes[:1], **CLOSE)
    family.case(f"{name}.moving", eval("lambda x: (f(x), f(x, dim=0), f2(x, norm='ortho'))", scope), tensor(2, N), dtypes=dtypes, opset=11, **CLOSE)
    family.case(f"{name}.long", eval("lambda x: (f(x), f(x, 600), f(x, 1024))", scope), tensor(2, 701), dtypes=dtypes, rtol=1e-4, atol=1e-3)
family.case("fft.of_real", lambda x: (torch.fft.fft(x), torch.fft.ifft(x), torch.fft.irfft(x), torch.fft.hfft(x), torch.fft.fft2(x)), tensor(B, 6), dtypes=REAL, **CLOSE)
family.case("fft.plain_forms", lambda x: (torch.ops.aten._fft_c2c(x, [0, 1], 1, True), torch.ops.aten._fft_c2c(x, [1], 2, False), torch.ops.aten._fft_r2c(x.real, [0, 1], 0, True),
                                          torch.ops.aten._fft_r2c(x.real, [1], 1, False), torch.ops.aten._fft_c2r(x, [0, 1], 2, 10)), tensor(B, 6), dtypes=COMPLEX, **CLOSE)
family.case("fft.of_integers", lambda x: (torch.fft.fft(x), torch.fft.rfft(x)), tensor(B, 6), dtypes=(torch.int64,), **CLOSE)
family.case("fft.vector", lambda x: (torch.fft.fft(x), torch.fft.irfft(x, 7)), tensor(5), dtypes=(C64,), **CLOSE)
family.case("fft.one", lambda x: (torch.fft.fft(x), torch.fft.rfft(x.real), torch.fft.irfft(x, 1), torch.fft.irfft(x, 2)), tensor(3, 1), dtypes=(C64,), **CLOSE)
family.case("fft.back", lambda x: torch.fft.irfft(torch.fft.rfft(x) * 2j, x.shape[-1]), tensor(B, N), opset=11, **CLOSE)
family.case("fft.filter", lambda x, y: torch.fft.irfft2(torch.fft.rfft2(x) * torch.fft.rfft2(y, s=(5, 6)), s=(5, 6)), tensor(B, 5, 6), tensor(3, 3), **CLOSE)
family.case("fftshift", lambda x: (torch.fft.fftshift(torch.fft.fft(x)), torch.fft.ifftshift(x)), tensor(N, 3), opset=11, **CLOSE)
family.case("fftfreq", lambda x: (torch.fft.fftfreq(x.shape[0], 0.5), torch.fft.rfftfreq(x.shape[0]), x), tensor(N, 2), opset=11)

for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
    call = eval("lambda x: (w(x.shape[0]), w(x.shape[0], periodic=False), w(x.shape[1], dtype=torch.float64), w(x.shape[1], False), w(x.shape[0] - x.shape[1] - 4, False))",
                {"torch": torch, "w": getattr(torch, name + "_window")})
    family.case(f"window.{name}", call, tensor(N, 1), opset=11)

WINDOW = torch.hann_window(16)
for name, text in [
    ("plain", "torch.stft(x, 16, return_complex=True)"), ("window", "torch.stft(x, 16, 4, window=w, return_complex=True)"),
    ("edge", "torch.stft(x, 16, 5, center=False, window=w, return_complex=True)"), ("normalised", "torch.stft(x, 16, normalized=True, return_complex=True)"),
    ("two_sided", "torch.stft(x, 16, onesided=False, window=w, return_complex=True)"), ("real", "torch.stft(x, 16, window=w, return_complex=False)"),
    ("short_window", "torch.stft(x, 16, 4, 10, window=w[:10], return_complex=True)"), ("no_window", "torch.stft(x, 16, 4, 11, return_complex=True)"),
    ("odd", "torch.stft(x, 15, 4, pad_mode='constant', return_complex=True)"), ("magnitude", "torch.stft(x, 16, 4, window=w, return_complex=True).abs()"),
]:
    call = eval("lambda x, w: " + text, {"torch": torch})
    family.case(f"stft.{name}", call, tensor(B, L), tensor(values=WINDOW.tolist()), opset=11, **CLOSE)
family.case("stft.vector", lambda x: torch.stft(x, 16, 8, return_complex=True), tensor(L), dtypes=REAL, opset=11, **CLOSE)
family.case("stft.of_complex", lambda x: torch.stft(x, 16, 8, return_complex=True, onesided=False), tensor(B, L), dtypes=COMPLEX, opset=11, **CLOSE)

T = Dim("frames", 7, 10)
for name, text in [
    ("plain", "torch.istft(z, 16, 4, window=w)"), ("edge", "torch.istft(z, 16, 4, window=torch.ones(16), center=False)"), ("normalised", "torch.istft(z, 16, 4, window=w, normalized=True)"),
    ("uneven", "torch.istft(z, 16, 5, window=w)"), ("short", "torch.istft(z, 16, 4, window=w, length=20)"), ("long", "torch.istft(z, 16, 4, window=w, length=50)"),
    ("short_window", "torch.istft(z, 16, 3, 10, window=w[:10])"), ("no_window", "torch.istft(z, 16)"),
]:
    call = eval("lambda z, w: " + text, {"torch": torch})
    family.case(f"istft.{name}", call, tensor(B, 9, T, dtype=C64), tensor(values=(WINDOW + 0.1).tolist()), opset=11, **CLOSE)
family.case("istft.wide_window", lambda z, w: (torch.istft(z, 16, 4, window=w.double()), torch.istft(z.to(torch.complex128), 16, 4, window=w)),
            tensor(B, 9, T, dtype=C64), tensor(values=(WINDOW + 0.1).tolist()), opset=11, **CLOSE)
family.case("stft.wide_window", lambda x, w: torch.view_as_real(torch.stft(x, 16, 4, window=w.double(), return_complex=True)), tensor(B, 40),
            tensor(values=(WINDOW + 0.1).tolist()), opset=11, **CLOSE)
family.case("istft.vector", lambda z: torch.istft(z, 16, 8), tensor(9, T), dtypes=COMPLEX, opset=11, **CLOSE)
family.case("istft.of_complex", lambda z: (torch.istft(z, 16, 8, return_complex=True, onesided=False), torch.istft(z, 16, 8, onesided=False)), tensor(2, 16, T), dtypes=COMPLEX, opset=11, **CLOSE)
family.case("complex_window", lambda x, w: (torch.stft(x.real, 16, 4, window=w, return_complex=True),
                                          torch.istft(torch.stft(x, 16, 4, window=w, onesided=False, return_complex=True), 16, 4, window=w, onesided=False, return_complex=True)),
            tensor(B, L), tensor(16, low=0.5, high=2), dtypes=(C64,), opset=11, rtol=1e-3, atol=1e-3)
family.case("istft.back", lambda x, w: torch.istft(torch.stft(x, 16, 4, window=w, return_complex=True), 16, 4, window=w, length=x.shape[-1]),
            tensor(B, L), tensor(values=(WINDOW + 0.1).tolist()), opset=11, **CLOSE)
