"""Debian packages: libtonnx0 (the libraries), libtonnx-dev (headers, pkg-config, CMake) and tonnx (the command line)."""

import os
import shutil
import tempfile
from pathlib import Path

from installation import CMAKE, PKG_CONFIG, REFERENCE, ROOT, SUMMARY, run, write_cmake, write_pkg_config

MULTIARCH = "lib/x86_64-linux-gnu"
# The oldest glibc and libstdc++ that have every symbol the libraries use; tests/packages checks it.
RUNTIME = "libc6 (>= 2.34), libstdc++6 (>= 12)"
PACKAGES = {
    "libtonnx0": dict(section="libs", depends=RUNTIME, text="""tonnx reads TorchScript archives, torch.export archives and
 recorded LibTorch calls, and writes ONNX models. This package has the
 libraries. Archives other than .pt2 need a LibTorch."""),
    "libtonnx-dev": dict(section="libdevel", depends="libtonnx0 (= {version})", text="""tonnx reads TorchScript archives,
 torch.export archives and recorded LibTorch calls, and writes ONNX models.
 This package has the headers for C and C++, and files for pkg-config and
 CMake."""),
    "tonnx": dict(section="utils", depends="libtonnx0 (= {version}), " + RUNTIME, text="""tonnx reads TorchScript archives,
 torch.export archives and recorded LibTorch calls, and writes ONNX models.
 This package has the command line."""),
}


# Backends, and the operators of LibTorch for ONNX Runtime.
UNVERSIONED = ("lib/libtonnx_torch-", "lib/libtonnx_ort_aten.so")


def package_of(name):
    """The package of an installed file, by its name below the prefix."""
    if name.startswith(("bin/", "share/")) and name != REFERENCE:
        return "tonnx"
    if name.startswith(("lib/libtonnx.so.", *UNVERSIONED)):
        return "libtonnx0"
    return "libtonnx-dev"


def multiarch_name(name):
    """Debian's path of an installed file, below /usr."""
    # These names have no version of tonnx, so they have a folder for it: libtonnx1 must not overwrite them.
    name = name.replace(REFERENCE, "share/doc/libtonnx-dev/reference.html")
    if name.startswith(UNVERSIONED):
        name = name.replace("lib/", "lib/tonnx-0/", 1)
    return MULTIARCH + name.removeprefix("lib") if name.startswith("lib/") else name


def make(installation, out):
    with tempfile.TemporaryDirectory() as temporary:
        return [make_package(installation, name, about, Path(temporary) / name, out) for name, about in PACKAGES.items()]


def make_package(installation, package, about, root, out):
    for path in sorted(installation.prefix.rglob("*")):
        name = path.relative_to(installation.prefix).as_posix()
        if path.is_dir() and not path.is_symlink() or package_of(name) != package:
            continue
        target = root / "usr" / multiarch_name(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target, follow_symlinks=False)
    finish(installation, package, root)
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    control = root / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(f"""Package: {package}
Version: {installation.version}
Section: {about["section"]}
Priority: optional
Architecture: amd64
Multi-Arch: {"foreign" if package == "tonnx" else "same"}
Depends: {about["depends"].format(version=installation.version)}
Installed-Size: {-(-size // 1024)}
Maintainer: tonnx developers <tonnx@users.noreply.github.com>
Description: {SUMMARY[0].lower() + SUMMARY[1:]}
 {about["text"]}
""", encoding="utf-8")
    if package == "libtonnx0":
        (root / "DEBIAN" / "shlibs").write_text(f"libtonnx 0 libtonnx0 (>= {installation.version})\n", encoding="utf-8")
        (root / "DEBIAN" / "triggers").write_text("activate-noawait ldconfig\n", encoding="utf-8")
    for path in [root, *root.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        elif not path.is_symlink():
            path.chmod(0o755 if path.parent.name == "bin" else 0o644)
        os.utime(path, (installation.date, installation.date), follow_symlinks=False)
    file = out / f"{package}_{installation.version}_amd64.deb"
    run("dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", "--build", root, file,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SOURCE_DATE_EPOCH": str(installation.date)})
    return file


def finish(installation, package, root):
    """Changes the tree to Debian's layout."""
    documents = root / "usr" / "share" / "doc" / package
    if package == "libtonnx-dev":
        write_pkg_config(root / "usr" / multiarch_name(PKG_CONFIG), "/usr", "${prefix}/" + MULTIARCH)
        write_cmake(root / "usr" / multiarch_name(CMAKE), installation.version, MULTIARCH)
    if package == "tonnx":
        run("patchelf", "--remove-rpath", root / "usr" / "bin" / "tonnx")
        for name in ("LICENSE", "NOTICE"):
            (documents / name).unlink()
    documents.mkdir(parents=True, exist_ok=True)
    notices = [(ROOT / name).read_text(encoding="utf-8") for name in ("NOTICE", "LICENSE")]
    (documents / "copyright").write_text("\n".join(notices), encoding="utf-8")
