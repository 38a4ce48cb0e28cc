"""The Python wheel: the command line and the libraries. `pip install tonnx` makes the command `tonnx`."""

import base64
import hashlib
import pathlib
import shutil
import tempfile

from archives import entries, write_zip
from installation import REFERENCE, ROOT, SUMMARY

HERE = pathlib.Path(__file__).resolve().parent


def make(installation, out):
    # The oldest tag with GLIBCXX_3.4.30, the libstdc++ of GCC 12; tests/packages checks it.
    tag = "py3-none-manylinux_2_35_x86_64"
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        package, info = root / "tonnx", root / f"tonnx-{installation.version}.dist-info"
        for folder in (package / "bin", package / "lib", info / "licenses"):
            folder.mkdir(parents=True)
        for file in sorted((HERE / "python").glob("*.py")):
            shutil.copyfile(file, package / file.name)
        shutil.copy2(installation.prefix / "bin" / "tonnx", package / "bin" / "tonnx")
        # A wheel cannot hold links: each library has the name that programs ask for.
        for name, path in installation.libraries.items():
            shutil.copyfile(path, package / "lib" / name)
        shutil.copytree(installation.prefix / "include", package / "include")
        shutil.copyfile(installation.prefix / REFERENCE, package / "reference.html")
        for name in ("LICENSE", "NOTICE"):
            shutil.copyfile(ROOT / name, info / "licenses" / name)
        (info / "METADATA").write_text(metadata(installation.version), encoding="utf-8")
        (info / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: tonnx\nRoot-Is-Purelib: false\nTag: {tag}\n", encoding="utf-8")
        (info / "entry_points.txt").write_text("[console_scripts]\ntonnx = tonnx.__main__:main\n", encoding="utf-8")
        write_record(root, info / "RECORD")
        file = out / f"tonnx-{installation.version}-{tag}.whl"
        write_zip(file, root, installation.date)
    return [file]


def metadata(version):
    return f"""Metadata-Version: 2.4
Name: tonnx
Version: {version}
Summary: {SUMMARY}
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.8
Provides-Extra: torch
Requires-Dist: torch; extra == "torch"
Provides-Extra: verify
Requires-Dist: onnxruntime; extra == "verify"
Description-Content-Type: text/markdown

{(ROOT / "README.md").read_text(encoding="utf-8")}"""


def write_record(root, record):
    """Name, SHA-256 and size of every file, by the specification of wheels."""
    lines = []
    for path, name in entries(root):
        content = path.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    lines.append(f"{record.relative_to(root).as_posix()},,\n")
    record.write_text("".join(lines), encoding="utf-8")
