"""Commands that run without LibTorch or with another one, and errors: without_libtorch_test.py TONNX LIBRARY [TORCH_LIBRARY FAKE EMPTY]

LIBRARY is libtonnx.so. TORCH_LIBRARY is libtonnx_torch-2.X.so, if it was built. FAKE is a libtorch_cpu.so that has nothing
but its version, which the variable FAKE_LIBTORCH sets; EMPTY is a libc10.so without symbols.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SYSTEM = re.compile(r"(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|ld-linux[-\w]*)\.so(\.\d+)*$")
LIBTORCH = re.compile(r"lib(tonnx_)?(torch|c10)[-\w.]*\.so")
LONGEST_START = 0.02  # seconds of processor time


def soname(library):
    listing = subprocess.run(["readelf", "-d", library], check=True, text=True, capture_output=True).stdout
    return re.search(r"SONAME.*\[(.*)\]", listing)[1], re.findall(r"NEEDED.*\[(.*)\]", listing)


def field(number, content):
    """One field of a protobuf message: an integer, or the bytes of a string or message."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


def relu_model():
    def float_of(name):
        dims = field(2, field(1, field(1, 2)))
        return field(1, name) + field(2, field(1, field(1, 1) + dims))

    node = field(1, b"x") + field(2, b"y") + field(4, b"Relu")
    graph = field(1, node) + field(2, b"g") + field(11, float_of(b"x")) + field(12, float_of(b"y"))
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


class WithoutLibTorch(unittest.TestCase):
    tonnx = library = torch_library = fake = empty = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "model.onnx"
        self.model.write_bytes(relu_model())
        self.archive = self.folder / "net.pt"
        with zipfile.ZipFile(self.archive, "w") as archive:
            for name in ("data.pkl", "code/__torch__.py", "constants.pkl", "version"):
                archive.writestr("net/" + name, b"damaged")

    def installed(self):
        """A copy of the command line and the core, with nothing beside them."""
        shutil.copy(self.tonnx, self.folder / "tonnx")
        if not (self.folder / soname(self.library)[0]).exists():
            shutil.copy(self.library, self.folder / soname(self.library)[0])
        return self.folder / "tonnx"

    def need_libtorch(self):
        if not self.torch_library:
            self.skipTest("built without LibTorch")

    def line(self):
        """The line of LibTorch that tonnx was built for, "2.11"."""
        return re.search(r"-(\d+\.\d+)\.so", self.torch_library.name)[1]

    def torch_copy(self, old=b"", new=b""):
        """The other library beside them, with some of its bytes changed."""
        self.need_libtorch()
        content = self.torch_library.read_bytes()
        self.assertEqual(len(old), len(new))
        self.assertIn(old, content)
        (self.folder / soname(self.torch_library)[0]).write_bytes(content.replace(old, new))

    def run_tonnx(self, code, *arguments, tonnx=None, **variables):
        environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"} | variables
        done = subprocess.run([tonnx or self.installed(), *map(str, arguments)], text=True, capture_output=True,
                              timeout=60, env=environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def export(self, code, tonnx=None, **variables):
        return self.run_tonnx(code, "export", self.archive, "-o", self.folder / "out.onnx", tonnx=tonnx, **variables)[1]

    def exported_archives(self):
        archives = sorted((pathlib.Path(__file__).resolve().parent.parent / "exported").glob("*.pt2"))
        self.assertGreaterEqual(len(archives), 3)
        return archives

    def test_programs_of_torch_export_become_models(self):
        for archive in self.exported_archives():
            with self.subTest(archive=archive.name):
                out = self.folder / (archive.name + ".onnx")
                self.run_tonnx(0, "export", archive, "-o", out)
                self.run_tonnx(0, "check", out)

    def commands(self):
        return (("version",), ("registry",), ("check", self.model), ("print", self.model),
                ("infer", self.model, "-o", self.folder / "typed.onnx"))

    def test_the_core_is_linked_with_the_system_alone(self):
        for name in soname(self.library)[1]:
            self.assertRegex(name, SYSTEM)

    def test_commands_that_need_none_run_without(self):
        for command in self.commands():
            with self.subTest(command[0]):
                self.run_tonnx(0, *command)
        self.assertIn("onnx::Relu(%x)", self.run_tonnx(0, "print", self.model)[0])

    def test_commands_that_need_none_load_none_where_there_is_one(self):
        for command in self.commands():
            with self.subTest(command[0]):
                loaded = self.run_tonnx(0, *command, tonnx=self.tonnx, LD_DEBUG="libs")[1]
                self.assertIn("libtonnx.so", loaded)
                self.assertNotRegex(loaded, LIBTORCH)

    def test_an_exported_program_becomes_a_model(self):
        python = os.environ.get("TONNX_TEST_PYTHON", "")
        if not os.path.exists(python):
            self.skipTest("no Python with torch to write the archive")
        archive, out = self.folder / "relu.pt2", self.folder / "out.onnx"
        subprocess.run([python, "-c", "import sys, torch\n"
                        "program = torch.export.export(torch.nn.ReLU(), (torch.zeros(2, 4),))\n"
                        "torch.export.save(program, sys.argv[1])", archive], check=True, capture_output=True)
        loaded = self.run_tonnx(0, "export", archive, "-o", out, LD_DEBUG="libs")[1]
        self.assertNotRegex(loaded, LIBTORCH)
        self.assertIn("onnx::Relu", self.run_tonnx(0, "print", out)[0])

    def test_a_schema_is_taken_without(self):
        err = self.run_tonnx(2, "export", self.archive, "-o", self.model, "--schema", "mine::twice(Tensor x")[1]
        self.assertIn("is not an operator schema", err)
        err = self.run_tonnx(2, "export", self.archive, "-o", self.model, "--schema", "twice(Tensor x) -> Tensor")[1]
        self.assertIn("needs a namespace", err)
        err = self.run_tonnx(2, "export", self.archive, "-o", self.model, "--schema", "aten::relu(Tensor x) -> Tensor")[1]
        self.assertIn("already has another schema: aten::relu(Tensor self)", err)
        archive = self.exported_archives()[0]
        self.run_tonnx(0, "export", archive, "-o", self.folder / "out.onnx", "--schema", "mine::twice(Tensor x) -> Tensor")

    def test_start(self):
        tonnx = self.installed()
        silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        silent.append((os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0))
        # The second command fails when the export opens the archive.
        for command, code in ((["version"], 0), (["export", "missing.pt2", "-o", "missing.onnx"], 4)):
            seconds = []
            for _ in range(10):
                process = os.posix_spawn(tonnx, [tonnx, *command], os.environ, file_actions=silent)
                _, status, usage = os.wait4(process, 0)
                self.assertEqual(os.waitstatus_to_exitcode(status), code, command)
                seconds.append(usage.ru_utime + usage.ru_stime)
            self.assertLessEqual(min(seconds), LONGEST_START, command)

    def test_a_missing_backend_is_named(self):
        err = self.export(4)
        if self.torch_library:
            self.assertIn("; tonnx has no backend\n", err)
            self.assertIn(f"{self.folder}/{self.torch_library.name}: no such file", err)
        else:
            self.assertIn("LibTorch is needed", err)
        self.assertEqual(err.count("tonnx: "), 1, err)
        self.assertFalse((self.folder / "out.onnx").exists())

    def without_run_path(self):
        """Puts a core beside the command line that does not know a LibTorch, and a backend. Returns the folder that it knew."""
        self.torch_copy()
        listing = subprocess.run(["readelf", "-d", self.library], check=True, text=True, capture_output=True).stdout
        path = re.search(r"RUNPATH.*\[(.*)\]", listing)[1].split(":")[0]
        content = self.library.read_bytes()
        self.assertIn(path.encode(), content)
        core = self.folder / soname(self.library)[0]
        core.write_bytes(content.replace(path.encode(), b"/nowhere".ljust(len(path), b"x")))
        return path

    def test_a_missing_libtorch_is_named(self):
        self.without_run_path()
        err = self.export(4, **self.no_python())
        self.assertIn("LibTorch is needed, but cannot be loaded:\n  libtorch_cpu.so: cannot open shared object file", err)
        self.assertIn("LD_LIBRARY_PATH", err)

    def no_python(self):
        return {"PATH": str(self.folder), "VIRTUAL_ENV": ""}

    def test_another_libtorch_is_refused(self):
        self.torch_copy()
        for version, what in (("2.6.0", "LibTorch 2.6.0"), ("2.99.1", "LibTorch 2.99.1"), ("0", "a LibTorch older than 2.7")):
            with self.subTest(version):
                err = self.export(4, LD_PRELOAD=str(self.fake), FAKE_LIBTORCH=version)
                self.assertIn(f"tonnx: the process has {what}; tonnx has backends for {self.line()}\n", err)
                self.assertIn(f"{self.fake}: {what}\n", err)

    def test_the_other_library_is_found_beside_a_link_s_target(self):
        self.torch_copy()
        self.installed()
        linked = self.folder / "linked"
        linked.mkdir()
        shutil.copy(self.tonnx, linked)
        core = soname(self.library)[0]
        (linked / core).symlink_to(self.folder / core)
        self.assertNotIn("LibTorch is needed", self.export(4, linked / self.tonnx.name))

    def test_the_other_library_is_found_by_the_loader(self):
        self.need_libtorch()
        command = ("export", self.archive, "-o", self.folder / "out.onnx")
        err = self.run_tonnx(4, *command, LD_LIBRARY_PATH=str(self.torch_library.parent))[1]
        self.assertNotIn("LibTorch is needed", err)

    def fake_in(self, folder):
        """Puts a LibTorch 2.99.1 there. Returns the error for it."""
        folder.mkdir(parents=True)
        shutil.copy(self.fake, folder / "libtorch_cpu.so")
        return f"{folder}/libtorch_cpu.so: LibTorch 2.99.1\n"

    def test_a_folder_of_libtorch(self):
        libtorch = self.without_run_path()
        command = ("export", self.archive, "-o", self.folder / "out.onnx")
        for folder in (libtorch, pathlib.Path(libtorch).parent):
            err = self.run_tonnx(4, *command, "--libtorch", folder)[1]
            self.assertIn("net.pt", err)
            self.assertNotRegex(err, "LibTorch is needed|the process has")
        self.assertIn("net.pt", self.run_tonnx(4, *command, TONNX_LIBTORCH=libtorch)[1])
        expected = self.fake_in(self.folder / "other")
        fake = {"FAKE_LIBTORCH": "2.99.1"}
        self.assertIn(expected, self.run_tonnx(4, *command, "--libtorch", self.folder / "other", **fake)[1])
        self.assertIn(expected, self.run_tonnx(4, "print", self.archive, "--libtorch", self.folder / "other", **fake)[1])
        self.assertIn(expected, self.run_tonnx(4, *command, TONNX_LIBTORCH=str(self.folder / "other"), **fake)[1])
        self.assertIn("net.pt", self.run_tonnx(4, *command, "--libtorch", libtorch, TONNX_LIBTORCH=str(self.folder / "other"))[1])
        err = self.run_tonnx(4, *command, "--libtorch", self.folder)[1]
        self.assertIn(f"tonnx: no LibTorch in '{self.folder}'", err)
        err = self.run_tonnx(4, *command, "--libtorch", self.folder / "other", LD_PRELOAD=str(self.fake), **fake)[1]
        self.assertIn(f"LibTorch of '{self.folder}/other' cannot be loaded: the process already has LibTorch 2.99.1", err)

    def test_the_libtorch_of_python(self):
        self.without_run_path()
        active = self.folder / "active"
        expected = self.fake_in(active / "lib/python3.11/site-packages/torch/lib")
        variables = {**self.no_python(), "FAKE_LIBTORCH": "2.99.1"}
        self.assertIn(expected, self.export(4, **{**variables, "VIRTUAL_ENV": str(active)}))
        path = f"{self.folder}/empty:{active}/bin"
        (active / "bin").mkdir()
        self.assertIn("LibTorch is needed", self.export(4, **{**variables, "PATH": path}))
        (active / "bin/python3").write_text("not run")
        self.assertIn(expected, self.export(4, **{**variables, "PATH": path}))
        # One that the loader finds comes first, and what needs no LibTorch loads none.
        loader = self.fake_in(self.folder / "loader")
        self.assertIn(loader, self.export(4, **{**variables, "PATH": path, "LD_LIBRARY_PATH": str(self.folder / "loader")}))
        out = self.folder / "out.onnx"
        self.run_tonnx(0, "export", self.exported_archives()[0], "-o", out, **{**variables, "PATH": path})

    def test_a_backend_that_cannot_be_loaded_is_named(self):
        self.torch_copy(b"libtorch_cpu.so\0", b"libtorch_gpu.so\0")
        err = self.export(4)
        self.assertIn(f"the backend for LibTorch {self.line()}", err)
        self.assertIn(f"{self.folder}/{self.torch_library.name}: ", err)
        self.assertIn("libtorch_gpu.so: cannot open shared object file", err)

    def test_a_libtorch_that_lacks_a_symbol_is_an_error(self):
        self.torch_copy()
        err = self.export(4, LD_PRELOAD=f"{self.fake} {self.empty}", FAKE_LIBTORCH=self.line() + ".0")
        self.assertIn(f"the backend for LibTorch {self.line()}.0 cannot be loaded:", err)
        self.assertIn("undefined symbol", err)

    def test_a_library_of_another_build_is_refused(self):
        self.need_libtorch()
        version = re.search(r"\d+(\.\d+)+$", self.library.name)[0].encode()
        stamps = set(re.findall(re.escape(version) + rb"-[0-9a-f]{12}(?=\0)", self.library.read_bytes()))
        self.assertEqual(len(stamps), 1)
        stamp = stamps.pop()
        other = stamp[:-12] + b"0" * 12
        self.torch_copy(stamp, other)
        err = self.export(4)
        self.assertIn("another build", err)
        for text in (stamp, other):
            self.assertIn(text.decode(), err)

    def test_a_file_that_is_not_a_library_is_named(self):
        self.need_libtorch()
        (self.folder / self.torch_library.name).write_text("no library")
        self.assertRegex(self.export(4), r"libtonnx_torch-[\d.]+\.so: .*(invalid|too short)")


if __name__ == "__main__":
    paths = [pathlib.Path(path).resolve() for path in sys.argv[1:]]
    WithoutLibTorch.tonnx, WithoutLibTorch.library, *rest = paths
    if rest:
        WithoutLibTorch.torch_library, WithoutLibTorch.fake, WithoutLibTorch.empty = rest
    unittest.main(argv=sys.argv[:1])
