"""The files that remain if the command line is stopped, the disk is full or the archive is damaged: faults_test.py TONNX SAMPLES"""

import os
import pathlib
import pickle
import resource
import shutil
import signal
import subprocess
import time
import zipfile

import tool

MIB = 1 << 20


def limit_files(size):
    """Run in the child: no file may grow beyond `size`, which is an error and no signal."""

    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return apply


class Faults(tool.ToolTest):
    quick_parts = 2

    def failed(self, code, *more, **settings):
        """An export that fails with this code in one message, which is returned."""
        err = self.export(code, *more, **settings)[1]
        self.assertTrue(err.startswith("tonnx: "), err)
        self.assertEqual(err.count("tonnx: "), 1, err)
        return err

    def test_a_truncated_archive_is_4_wherever_it_ends(self):
        archive, args = self.sample("models.alexnet.nograd")
        whole = archive.read_bytes()
        cut = self.folder / "cut.pt"
        for size in (0, 1, 22, 100, len(whole) // 10, len(whole) // 2, len(whole) - 1000, len(whole) - 22, len(whole) - 1):
            with self.subTest(size):
                cut.write_bytes(whole[:size])
                self.assertIn("cut.pt", self.failed(4, archive=cut, args=args))
        self.assert_only("cut.pt")

    def test_a_tensor_that_is_larger_than_its_record_is_4(self):
        archive, args = self.sample("models.alexnet.nograd")
        damaged = self.folder / "short.pt"
        with zipfile.ZipFile(archive) as old:
            weights = [name for name in old.namelist() if "/data/" in name or "/constants/" in name]
            largest = max(weights, key=lambda name: old.getinfo(name).file_size)
            smallest = min(weights, key=lambda name: old.getinfo(name).file_size or MIB)
            for short in (largest, smallest):
                for size in (0, 4, old.getinfo(short).file_size - 4):
                    with self.subTest(short, size=size):
                        with zipfile.ZipFile(damaged, "w") as new:
                            for name in old.namelist():
                                new.writestr(name, old.read(name)[:size if name == short else None])
                        self.assertIn("a tensor is larger than its content", self.failed(4, archive=damaged, args=args))
        self.assert_only("short.pt")

    def test_an_archive_that_libtorch_cannot_load_is_reported_with_a_way_out(self):
        archive = self.folder / "net.pt"
        self.python("import sys, torch\n"
                    "net = torch.nn.Sequential(torch.nn.Conv2d(1, 1, 3), torch.nn.ReLU()).eval()\n"
                    "fast = torch.jit.optimize_for_inference(torch.jit.trace(net, torch.rand(1, 1, 8, 8)))\n"
                    "fast.save(sys.argv[1])", archive)
        self.assertIn("save the model before optimize_for_inference", self.failed(4, archive=archive))
        with zipfile.ZipFile(self.archive) as old, zipfile.ZipFile(archive, "w") as new:
            for name in old.namelist():
                code = old.read(name)
                if name.endswith(".py"):
                    code = code.replace(b") -> Tensor", b",\n    thing: __torch__.torch.classes.gone.Thing) -> Tensor", 1)
                new.writestr(name, code)
        self.assertIn("a class that is not known here", self.failed(1, archive=archive))

    def test_a_damaged_archive_fails_with_a_message_or_exports(self):
        whole = bytearray(self.archive.read_bytes())
        broken = self.folder / "broken.pt"
        for at in range(0, len(whole), max(1, len(whole) // 12)):
            with self.subTest(at):
                broken.write_bytes(whole[:at] + bytes(b ^ 0x5A for b in whole[at:at + 16]) + whole[at + 16:])
                done = subprocess.run([self.tonnx, "export", broken, "-o", self.out, "--args", self.args],
                                      text=True, capture_output=True, timeout=120)
                self.assertIn(done.returncode, (0, 1, 2, 4), done.stderr)
                if done.returncode:
                    self.assertTrue(done.stderr.startswith("tonnx: "), done.stderr)
                    self.assertLessEqual(len(done.stderr.splitlines()), tool.LONGEST_MESSAGE)
                    self.assert_only("broken.pt")
                self.out.unlink(missing_ok=True)

    def test_a_foreign_file_is_4(self):
        foreign = self.folder / "foreign"
        foreign.mkdir()
        with zipfile.ZipFile(foreign / "plain.zip", "w") as plain:
            plain.writestr("readme.txt", "nothing to see")
        with zipfile.ZipFile(foreign / "packed.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("archive/data.pkl", "a" * 5000)
            packed.writestr("archive/version", "3")
        zipfile.ZipFile(foreign / "empty.zip", "w").close()
        (foreign / "weights.pkl").write_bytes(pickle.dumps({"weight": [1.0, 2.0]}))
        (foreign / "notes.txt").write_text("import torch\n" * 100)
        (foreign / "zeros.pt").write_bytes(bytes(4096))
        self.export(0, out=foreign / "model.onnx")
        for archive in sorted(foreign.iterdir()) + [foreign, pathlib.Path("/dev/null"), self.folder / "missing" / "x.pt"]:
            with self.subTest(archive.name):
                self.assertIn(archive.name, self.failed(4, archive=archive))
        self.assert_only("foreign")

    def test_foreign_example_inputs_are_4(self):
        for content in (b"", b"text", pickle.dumps((1, 2)), self.archive.read_bytes()[:200]):
            with self.subTest(content[:8]):
                args = self.folder / "wrong.pt"
                args.write_bytes(content)
                self.assertIn("wrong.pt", self.failed(4, args=args))
        self.assert_only("wrong.pt")

    def test_an_ordered_dict_among_example_inputs_is_named(self):
        args = self.folder / "ordered.pt"
        self.python("import collections, sys, torch\n"
                    "torch.save((collections.OrderedDict(a=torch.ones(2)),), sys.argv[1])", args)
        self.assertIn("contains an OrderedDict", self.failed(4, args=args))
        self.assert_only("ordered.pt")

    def test_a_named_tuple_among_example_inputs_is_named(self):
        args = self.folder / "pair.pt"
        self.python("import collections, sys, torch\n"
                    "Pair = collections.namedtuple('Pair', ['a', 'b'])\n"
                    "torch.save((Pair(torch.ones(2), 3),), sys.argv[1])", args)
        said = self.failed(4, args=args)
        self.assertIn("contains an object of class Pair", said)
        self.assertIn("tuple(...) of a named tuple", said)
        self.assert_only("pair.pt")

    def test_inputs_that_do_not_fit_are_reported_and_leave_no_file(self):
        archive, args = self.sample("models.alexnet.nograd")
        name = self.run_tonnx(0, "print", archive, "--args", args)[0].split("%", 1)[1].split(" ", 1)[0].rstrip(":,)")
        for inputs, codes in (
            ([], (2,)),
            ([f"{name}=float32[1,3,224,224]", "other=float32[1]"], (2,)),
            (["other=float32[1,3,224,224]"], (2,)),
            ([f"{name}=float32[1,5,224,224]"], (1, 2)),
            ([f"{name}=int64[1,3,224,224]"], (1, 2)),
            ([f"{name}=float32[3]"], (1, 2)),
            ([f"{name}=float32[1,3,224,-1]"], (2,)),
            ([f"{name}=float32[1,3,224"], (2,)),
            ([f"{name}=float32[4611686018427387904,8]"], (2,)),
            ([f"{name}={self.folder}/missing.npy"], (4,)),
        ):
            with self.subTest(inputs):
                done = subprocess.run([self.tonnx, "export", archive, "-o", self.out,
                                       *(part for text in inputs for part in ("--input", text))],
                                      text=True, capture_output=True, timeout=120)
                self.assertIn(done.returncode, codes, done.stderr)
                self.assertEqual((done.stdout, done.stderr[:7]), ("", "tonnx: "))
                self.assertLessEqual(len(done.stderr.splitlines()), tool.LONGEST_MESSAGE, done.stderr)
                self.assert_only()

    def test_a_limit_on_files_is_4_and_leaves_nothing(self):
        archive, args = self.sample("models.alexnet.nograd")
        for mode in ("auto", "yes"):
            with self.subTest(mode):
                err = self.failed(4, "--external-data", mode, archive=archive, args=args, preexec_fn=limit_files(4096))
                self.assertIn("model.onnx", err)
                self.assert_only()
        self.out.write_text("before")
        self.failed(4, archive=archive, args=args, preexec_fn=limit_files(4096))
        self.assertEqual(self.out.read_text(), "before")

    def test_a_full_disk_is_4_and_leaves_nothing(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode != 0:
            self.skipTest("this user may mount no file system")
        try:
            archive, args = self.sample("models.alexnet.nograd")
            for mode in ("auto", "yes"):
                err = self.failed(4, "--external-data", mode, archive=archive, args=args, out=disk / "model.onnx")
                self.assertIn("No space left", err)
                self.assertEqual(list(disk.iterdir()), [])
            self.export(0, out=disk / "model.onnx")
            self.assertEqual([path.name for path in disk.iterdir()], ["model.onnx"])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_devices(self):
        self.assertIn("/dev/full", self.failed(4, out="/dev/full"))
        self.export(0, out="/dev/null")
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.tonnx, "registry"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual(done.returncode, 4)
        self.assertIn("standard output", done.stderr)
        done = subprocess.run([self.tonnx, "export", self.archive, "-o", "/dev/stdout", "--args", self.args],
                              stdout=subprocess.PIPE, timeout=120, check=True)
        self.export(0)
        self.assertEqual(done.stdout, self.out.read_bytes())

    def test_a_script_too_long_to_be_recorded_on_a_small_stack_is_refused(self):
        """A stack of 1 MiB has space for the recording of about 2,500 operators, in one function or in several."""
        small = lambda: resource.setrlimit(resource.RLIMIT_STACK, (MIB, MIB))
        for length, code in (2000, 0), (2600, 1):
            path = self.folder / "long.py"
            path.write_text("def body(self, x):\n" + "    x = x + 1\n" * length + "    return x\n"
                            "def forward(self, x):\n    return self.body(x)\n", encoding="utf-8")
            err = self.run_tonnx(code, "export", path, "-o", self.out, "--input", "x=float32[2]", "--mode", "trace",
                                 preexec_fn=small)[1]
            self.assertEqual("its stack is too small; export it on a thread with a larger stack" in err, code == 1, err)

    def test_a_report_that_cannot_be_written_is_4(self):
        for report in (self.folder / "missing" / "report.json", "/dev/full", self.folder):
            with self.subTest(str(report)):
                self.failed(4, "--report", report)
                self.assert_only()

    def test_two_exports_to_one_path_leave_one_whole_model(self):
        archive, args = self.sample("models.alexnet.nograd")
        self.export(0, archive=archive, args=args)
        whole = self.out.read_bytes()
        command = [self.tonnx, "export", archive, "-o", self.out, "--args", args]
        both = [subprocess.Popen(command) for _ in range(2)]
        self.assertEqual([process.wait(120) for process in both], [0, 0])
        self.assertEqual(self.out.read_bytes(), whole)
        self.assert_only("model.onnx")

    def test_the_output_may_take_the_archives_place_with_its_weights_beside(self):
        archive, args = self.sample("models.alexnet.nograd")
        shutil.copy(archive, self.out)
        self.export(0, "--external-data", "yes", archive=self.out, args=args)
        self.run_tonnx(0, "check", self.out)
        shutil.copy(archive, self.out)
        err = self.failed(2, "--external-data", "archive", archive=self.out, args=args)
        self.assertIn("replace", err)
        self.assertEqual(self.out.read_bytes(), archive.read_bytes())


class Stopped(tool.ToolTest):
    """Signals during the export of a model of 208 MiB."""

    def setUp(self):
        super().setUp()
        self.big = self.folder / "big.pt"
        self.python(
            "import sys, torch\n"
            "class Net(torch.nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.layers = torch.nn.Sequential(*(torch.nn.Linear(2048, 2048, bias=False) for _ in range(13)))\n"
            "    def forward(self, x):\n"
            "        return self.layers(x)\n"
            "with torch.device('meta'):\n"
            "    net = Net()\n"
            "net = net.to_empty(device='cpu')\n"
            "torch.jit.trace(net, torch.zeros(1, 2048), check_trace=False).save(sys.argv[1])\n", self.big)
        self.assertGreater(self.big.stat().st_size, 200 * MIB)
        self.command = [self.tonnx, "export", self.big, "-o", self.out, "--input", "x=float32[1,2048]"]

    def whole_sizes(self, *more):
        """The seconds of an undisturbed export, and the files that it leaves."""
        begin = time.monotonic()
        subprocess.run([*self.command, *more], check=True, timeout=120)
        return time.monotonic() - begin, self.found()

    def found(self):
        return {path.name: path.stat().st_size for path in self.folder.iterdir() if path != self.big}

    def stop(self, number, *more):
        seconds, whole = self.whole_sizes(*more)
        stopped = 0
        for step in range(4):
            # In every other step the files exist before the export.
            old = {name: len("before") for name in whole if step % 2}
            for name in whole:
                (self.folder / name).unlink()
                if old:
                    (self.folder / name).write_text("before")
            process = subprocess.Popen([*self.command, *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(seconds * (step + 0.5) / 4)
            process.send_signal(number)
            stopped += process.wait(120) != 0
            left = self.found()
            with self.subTest(signal=number, step=step, more=more):
                if number == signal.SIGKILL:
                    # Between creating a file and renaming it, a file named after tonnx may remain.
                    left = {name: size for name, size in left.items() if not name.startswith(".tonnx-")}
                for name, size in left.items():
                    self.assertIn((name, size), [*old.items(), *whole.items()])
                self.assertLessEqual(set(old), set(left))
                if left.get("model.onnx") == whole["model.onnx"]:
                    self.assertEqual(left, whole, "the model exists without its data")
            subprocess.run([*self.command, *more], check=True, timeout=120)
            self.assertLessEqual(whole.items(), self.found().items())
        self.assertGreater(stopped, 0, "no export was stopped")

    def test_interrupt(self):
        self.stop(signal.SIGINT)

    def test_kill(self):
        self.stop(signal.SIGKILL, "--external-data", "yes")

    def test_an_interrupt_takes_the_weights_that_wait_for_the_last_one(self):
        seconds = self.whole_sizes("--external-data", "each")[0]
        shutil.rmtree(self.folder / "model_initializers")
        self.out.unlink()
        seen = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            process = subprocess.Popen([*self.command, "--external-data", "each"], **silent)
            end = time.monotonic() + 20 * seconds + 10
            waits = lambda: any(self.folder.glob(".tonnx-*/*"))
            while process.poll() is None and not waits() and time.monotonic() < end:
                time.sleep(seconds / 1000)
            seen += waits()
            process.send_signal(number)
            if process.wait(120) == -number:
                self.assertEqual(self.found(), {})
            for left in (self.out, self.folder / "model_initializers"):
                shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        self.assertGreater(seen, 0, "no weight was waiting")

    def test_interrupt_while_verifying(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        settings = {"env": {**os.environ, "TMPDIR": str(scratch)}, "stderr": subprocess.DEVNULL}
        begin = time.monotonic()
        subprocess.run([*self.command, "--verify"], check=True, timeout=120, **settings)
        seconds = time.monotonic() - begin
        for part in (0.6, 0.85):
            process = subprocess.Popen([*self.command, "--verify"], **settings)
            time.sleep(seconds * part)
            process.send_signal(signal.SIGINT)
            process.wait(120)
            self.assertEqual(list(scratch.iterdir()), [])


class Killed(tool.ToolTest):
    """A kill while files take their names."""

    def test_kill_between_names(self):
        """Before any rename: the old model with the old weights, or the new weights."""
        archives = [self.folder / f"net{i}.pt2" for i in range(2)]
        self.python("import sys, torch\n"
                    "for path in sys.argv[1:]:\n"
                    "    net = torch.nn.Sequential(*(torch.nn.Linear(40, 40) for _ in range(4)))\n"
                    "    torch.export.save(torch.export.export(net, (torch.zeros(1, 40),)), path)\n", *archives)
        for mode, weights in (("each", "model_initializers"), ("yes", "model.onnx.data")):
            command = lambda i: [self.tonnx, "export", archives[i], "-o", self.out, "--external-data", mode]
            read = lambda: {str(p.relative_to(self.folder)): p.read_bytes() for p in self.folder.rglob("*")
                            if p.is_file() and p.relative_to(self.folder).parts[0] in ("model.onnx", weights)}
            subprocess.run(command(1), check=True, timeout=120)
            new = read()
            subprocess.run(command(0), check=True, timeout=120)
            old = read()
            self.assertEqual(old.keys(), new.keys())
            states = []
            for at in range(1, 100):
                environment = {**os.environ, "LD_PRELOAD": str(self.stop_at_rename), "STOP_AT": str(at)}
                code = subprocess.run(command(1), env=environment, timeout=120).returncode
                found = read()
                self.assertIn(found, (old, new, {**new, "model.onnx": old["model.onnx"]}), f"{mode}: call {at}")
                states.append("old" if found == old else "new")
                if code == 0:
                    break
                self.assertEqual(code, -signal.SIGKILL)
                subprocess.run(command(0), check=True, timeout=120)
            self.assertEqual(states[-1], "new")
            self.assertGreaterEqual(len(states), 3)
            self.assertEqual(states, sorted(states, reverse=True))


if __name__ == "__main__":
    tool.main("stop_at_rename")
