"""Helpers of the tests of the command line: a folder for each test, the samples, and a way to run tonnx."""

import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
import slices

LONGEST_MESSAGE = 15
PYTHON_LIMIT = 120  # seconds for a program


class ToolTest(unittest.TestCase):
    tonnx = samples = python_worker = None
    quick_parts = 1  # in how many quick runs each test has its turn

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "model.onnx"
        self.cases = {case["name"]: case for case in json.loads((self.samples / "manifest.json").read_text())["cases"]}
        self.archive, self.args = self.sample("activation.relu.plain")

    def sample(self, name):
        return self.samples / self.cases[name]["archive"], self.samples / self.cases[name]["args"]

    def run_tonnx(self, code, *arguments, longest=LONGEST_MESSAGE, **settings):
        """Runs it and returns stdout and stderr. A failure says why in one message of `longest` lines, and nothing on stdout."""
        done = subprocess.run([self.tonnx, *map(str, arguments)], text=True, capture_output=True, timeout=120, **settings)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code != 0:
            self.assertEqual(done.stdout, "")
            self.assertNotEqual(done.stderr, "")
            self.assertLessEqual(len(done.stderr.splitlines()), longest, done.stderr)
        return done.stdout, done.stderr

    def export(self, code, *more, archive=None, args=None, out=None, **settings):
        return self.run_tonnx(code, "export", archive or self.archive, "-o", out or self.out,
                              "--args", args or self.args, *more, **settings)

    def assert_only(self, *names):
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(names))

    def python(self, program, *arguments):
        """Runs a program in the Python that has torch and returns what it prints."""
        worker = ToolTest.python_worker = ToolTest.python_worker or subprocess.Popen(
            [os.environ["TONNX_TEST_PYTHON"], pathlib.Path(__file__).with_name("python_worker.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        # A folder of its own, for setUpClass has none, and tests look into theirs.
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder, name) for name in ("stdout.txt", "stderr.txt")]
            code = answer_of(worker, json.dumps([program, [str(a) for a in arguments], *map(str, files)]))
            stdout, stderr = (file.read_text() if file.exists() else "" for file in files)
        if not code:
            self.stop_python_worker(at_once=True)
            self.fail(f"the Python worker died, or did not answer in {PYTHON_LIMIT} s\n{stdout}{stderr}")
        self.assertEqual(code, "0", stdout + stderr)
        return stdout

    @staticmethod
    def stop_python_worker(at_once=False):
        """Stops the worker, if there is one; the next program starts a new one. `at_once`: with the program that it runs."""
        worker, ToolTest.python_worker = ToolTest.python_worker, None
        if not worker:
            return
        if at_once:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)
        with contextlib.suppress(BrokenPipeError):
            worker.stdin.close()
        worker.stdout.close()
        worker.wait()


class Loader(unittest.TestLoader):
    """Loads all tests, or those that have their turn in this quick run."""

    def getTestCaseNames(self, test_class):
        names = super().getTestCaseNames(test_class)
        if not os.environ.get("TONNX_SLICE"):
            return names
        return [name for name in names if slices.takes_part(name, test_class.quick_parts)] or names


def answer_of(worker, request):
    """The worker's answer: an exit code, or "" if it ended or did not answer in time."""
    try:
        worker.stdin.write(request + "\n")
        worker.stdin.flush()
    except BrokenPipeError:
        return ""
    if not select.select([worker.stdout], [], [], PYTHON_LIMIT)[0]:
        return ""
    return worker.stdout.readline().strip()


def main(*names):
    """Takes the program's arguments as attributes of ToolTest: TONNX and SAMPLES, then `names`."""
    # Meson passes the program as ./tonnx. Resolved, it is found from any folder.
    for name, path in zip(("tonnx", "samples", *names), sys.argv[1:]):
        setattr(ToolTest, name, pathlib.Path(path).resolve())
    try:
        unittest.main(argv=sys.argv[:1], testLoader=Loader())
    finally:
        ToolTest.stop_python_worker()
