"""Configures tonnx with the protobuf, ONNX and ONNX Runtime that pkg-config finds: system_deps_test.py [--build].

`--build` also builds the command line, and exports an archive with it."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPS = pathlib.Path(os.environ["TONNX_DEPS"])

# As a distribution or Conan describes them.
DESCRIPTIONS = {
    "protobuf": "-I{deps}/protobuf/include|{deps}/protobuf/lib/libprotobuf.a -lpthread||{protobuf}",
    "onnx": "-I{deps}/onnx/include|{deps}/onnx/lib/libonnx.a {deps}/onnx/lib/libonnx_proto.a|protobuf|{onnx}",
    "libonnxruntime": "-I{deps}/onnxruntime/include|-L{deps}/onnxruntime/lib -lonnxruntime||{onnxruntime}",
}


def pinned(name):
    lines = (ROOT / "scripts" / "versions").read_text().splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith(f"{name}="))


class SystemDependencies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.describe(pinned("ONNX_VERSION"))

    def describe(self, onnx):
        for name, row in DESCRIPTIONS.items():
            versions = {"onnx": onnx, "protobuf": pinned("PROTOBUF_VERSION"), "onnxruntime": pinned("ONNXRUNTIME_VERSION")}
            flags, libraries, needs, version = row.format(deps=DEPS, **versions).split("|")
            (self.folder / f"{name}.pc").write_text(
                f"Name: {name}\nDescription: {name}\nVersion: {version}\n"
                f"Requires: {needs}\nCflags: {flags}\nLibs: {libraries}\n")

    def run_in(self, *command):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.folder)}
        done = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def configure(self, *options):
        return self.run_in("meson", "setup", "--wipe", "-Ddeps=system", "-Dtests=disabled", "-Dexamples=false",
                           *options, self.folder / "build")

    def test_needs_a_libtorch(self):
        code, output = self.configure()
        self.assertNotEqual(code, 0)
        self.assertIn("use -Dlibtorch=FOLDER, or -Dlibtorch=none", output)

    def test_refuses_an_older_onnx(self):
        self.describe("1.12.0")
        code, output = self.configure("-Dlibtorch=none")
        self.assertNotEqual(code, 0)
        self.assertIn("1.12.0", output)

    def test_builds(self):
        code, output = self.configure("-Dlibtorch=none")
        self.assertEqual(code, 0, output)
        if "--build" not in OPTIONS:
            return
        code, output = self.run_in("meson", "compile", "-C", self.folder / "build", "tonnx:executable")
        self.assertEqual(code, 0, output)
        model = self.folder / "net.onnx"
        code, output = self.run_in(self.folder / "build" / "tonnx", "export", ROOT / "tests/exported/torch-2.9.1.pt2", "-o", model)
        self.assertEqual(code, 0, output)
        code, output = self.run_in(self.folder / "build" / "tonnx", "check", model)
        self.assertEqual(code, 0, output)


OPTIONS = [argument for argument in sys.argv[1:] if argument == "--build"]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[1 + len(OPTIONS):])
