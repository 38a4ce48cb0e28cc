"""The crates tonnx-linux-x64 (the libraries), tonnx-sys and tonnx."""

import os
import shutil
import tempfile
from pathlib import Path

from installation import ROOT, run

CRATES = ("tonnx-linux-x64", "tonnx-sys", "tonnx")
LIMIT = 10e6  # bytes of a crate that crates.io accepts


def make(installation, out):
    with tempfile.TemporaryDirectory() as temporary:
        # A copy of the workspace, for the libraries, which Git ignores.
        copy = Path(temporary) / "source"
        for part in ("bindings/rust", "examples/rust"):
            for name in run("git", "-C", ROOT, "ls-files", part).split():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, copy / name)
        workspace = copy / "bindings" / "rust"
        libraries = workspace / "tonnx-linux-x64" / "lib"
        libraries.mkdir()
        for name, library in installation.libraries.items():
            shutil.copyfile(library, libraries / name)
        for name in CRATES:
            shutil.copyfile(ROOT / "LICENSE", workspace / name / "LICENSE")
        selected = [argument for name in CRATES for argument in ("--package", name)]
        # The tests have compiled them; the packages depend on each other, and are in no registry yet.
        run("cargo", "package", "--quiet", "--locked", "--no-verify", *selected, cwd=workspace,
            env=dict(os.environ, CARGO_TARGET_DIR=str(Path(temporary) / "target")))
        files = []
        for name in CRATES:
            file = out / f"{name}-{installation.version}.crate"
            shutil.copyfile(Path(temporary) / "target" / "package" / file.name, file)
            if file.stat().st_size > LIMIT:
                raise SystemExit(f"{file.name} is larger than crates.io allows: {file.stat().st_size / 1e6:.1f} MB")
            files.append(file)
    return files
