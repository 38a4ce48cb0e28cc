"""Builds the library without LibTorch as a user does and runs what tests it has: core_alone.py SOURCES"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sources = pathlib.Path(sys.argv[1])
# The settings of the build that runs this test must not reach the build below.
own = ("MESON", "TONNX_", "LD_")
environment = {name: value for name, value in os.environ.items() if name == "TONNX_CACHE" or not name.startswith(own)}
folder = pathlib.Path(tempfile.mkdtemp())
try:
    make = ["make", "-C", str(sources), f"BUILD={folder / 'build'}", "LIBTORCH=none", "test"]
    done = subprocess.run(make, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print(done.stdout[-20000:], done.stderr[-5000:], sep="\n")
    assert done.returncode == 0, f"make ended with {done.returncode}"
    # The tests make replacements in folders of their own.
    assert not list((folder / "build").glob("libtonnx_torch*.so")), "LibTorch's part was built"
finally:
    shutil.rmtree(folder)
