"""The crates tonnx-sys and tonnx. Both link the installed libtonnx, which TONNX_DIR or pkg-config names."""

import os
import shutil
import tempfile
from pathlib import Path

from installation import ROOT, run

CRATES = ("tonnx-sys", "tonnx")


def make(installation, out):
    with tempfile.TemporaryDirectory() as temporary:
        selected = [argument for name in CRATES for argument in ("--package", name)]
        # The tests have compiled them; the packages depend on each other, and are in no registry yet.
        run("cargo", "package", "--quiet", "--locked", "--no-verify", "--allow-dirty", *selected, cwd=ROOT / "bindings" / "rust",
            env=dict(os.environ, CARGO_TARGET_DIR=temporary))
        files = []
        for name in CRATES:
            file = out / f"{name}-{installation.version}.crate"
            shutil.copyfile(Path(temporary) / "package" / file.name, file)
            files.append(file)
    return files
