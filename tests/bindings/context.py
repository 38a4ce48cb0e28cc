"""The context of a language's tests: locations of files, and the check of its example."""

import dataclasses
import os
import pathlib
import re
import shlex
import subprocess

SOAK = 500
SLOW_SOAK = 10000
# Number of processes that end during calls, for each kind of call.
EXITS = 2
SLOW_EXITS = 200


class Failed(Exception):
    """A command that should have succeeded did not; the text is its output."""


@dataclasses.dataclass
class Context:
    root: pathlib.Path  # the repository
    build: pathlib.Path  # a folder of the language's own, writable
    library: pathlib.Path  # libtonnx.so
    operators: pathlib.Path  # the library that registers my_ops::gated_softmax
    archive: pathlib.Path  # the archive that uses it
    libtorch: pathlib.Path  # LibTorch's folder, with include/ and lib/
    torch_shim: pathlib.Path  # a LibTorch client with a C interface: torch_shim/torch_shim.h
    failing_new: pathlib.Path  # preloaded, makes allocations of C++ fail: failing_new/failing_new.cpp
    network: pathlib.Path  # the library of examples/quadrants
    reference: pathlib.Path  # the C example: its model is what all others must equal
    program: pathlib.Path | None  # the example, where Meson builds it
    walk: pathlib.Path | None  # the same for the example that walks graphs
    slow: bool

    def takes_turn(self, turn):
        """True if an expensive check runs: one of two in each slice of `make test`, both in `make test-all`, none in a soak."""
        part = os.environ.get("TONNX_SLICE")
        return not self.slow and (not part or int(part) % 2 == turn)

    @property
    def runner(self):
        """What comes before the name of a program that loads the library: `make sanitize` preloads a sanitizer with it."""
        return shlex.split(os.environ.get("TONNX_RUNNER", ""))

    @property
    def deps(self):
        """The folder of scripts/deps."""
        return pathlib.Path(os.environ["TONNX_DEPS"])

    @property
    def include(self):
        return self.root / "capi"

    @property
    def env(self):
        """The environment of the language's commands: where its tests find what is not linked in."""
        return dict(os.environ,
                    TONNX_LIBRARY=str(self.library),
                    TONNX_OPERATORS=str(self.operators),
                    TONNX_ARCHIVE=str(self.archive),
                    TONNX_TORCH_SHIM=str(self.torch_shim),
                    TONNX_FAILING_NEW=str(self.failing_new),
                    TONNX_EXPORTED=str(self.root / "tests" / "exported" / "torch-2.9.1.pt2"),
                    TONNX_EXITS=str(SLOW_EXITS if self.slow else EXITS),
                    TONNX_SOAK=str(SLOW_SOAK if self.slow else SOAK))

    def check(self, command, **kwargs):
        """Runs a command to its end with its text output captured. Raises Failed, with the output, when it fails."""
        kwargs.setdefault("env", self.env)
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, **kwargs)
        if done.returncode:
            raise Failed(f"{command[0]} ended with {done.returncode}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
        return done

    def scenario(self, command, output, **kwargs):
        """Runs an example of custom_operator. Returns its standard output and the model's bytes."""
        output.unlink(missing_ok=True)
        done = self.check([*self.runner, *command, self.operators, self.archive, output], **kwargs)
        return done.stdout, output.read_bytes()

    def example(self, command, **kwargs):
        """The scenario as a test: `command` must print what is expected, and write the bytes that the C example writes."""
        expected = (self.root / "examples" / "custom_operator" / "expected.txt").read_text(encoding="utf-8")
        try:
            printed, model = self.scenario(command, self.build / "custom_operator.onnx", **kwargs)
            _, reference = self.scenario([self.reference], self.build / "reference.onnx")
        except (Failed, OSError) as error:
            yield "example runs", False, str(error)
            return
        yield "example runs", True, ""
        same = printed.rstrip() == expected.rstrip()
        yield "example prints what is expected", same, "" if same else f"printed:\n{printed}\nexpected:\n{expected}"
        same = model == reference
        yield "example writes the expected model", same, "" if same else f"{len(model)} bytes beside {len(reference)}"

    def walks(self, command, **kwargs):
        """The example that prints the nodes of a program and a model, as one result."""
        expected = (self.root / "examples" / "walk" / "expected.txt").read_text(encoding="utf-8")
        try:
            printed = self.check([*self.runner, *command], **kwargs).stdout
        except (Failed, OSError) as error:
            return "walk example", False, str(error)
        same = printed == expected
        return "walk example", same, "" if same else f"printed:\n{printed}\nexpected:\n{expected}"

    def quadrants(self, command, **kwargs):
        """The example that trains a network, as one result."""
        output = self.build / "quadrants.onnx"
        output.unlink(missing_ok=True)
        try:
            printed = self.check([*self.runner, *command, output], **kwargs).stdout
        except (Failed, OSError) as error:
            return "quadrants example", False, str(error)
        correct = re.search(r"trained: ([0-9.]+) %", printed)
        is_right = (correct and float(correct[1]) > 90 and '"batch": [' in printed and "agrees with LibTorch" in printed
                    and output.exists())
        return "quadrants example", bool(is_right), "" if is_right else printed

    def missing_library(self, program):
        """A copy of a program that looks for a libtonnx.so that is not there, as one result: the loader must say so."""
        content, count = re.subn(rb"libtonnx\.so\.(\d+)\0",
                                 lambda found: b"libtonnx.so." + b"x" * len(found[1]) + b"\0", program.read_bytes())
        lost = self.build / "custom_operator_lost"
        lost.write_bytes(content)
        lost.chmod(0o755)
        done = subprocess.run([lost], env=self.env, capture_output=True, text=True)
        is_reported = count > 0 and done.returncode == 127 and "libtonnx.so.x" in done.stderr and "cannot open" in done.stderr
        return "missing library is the loader's error", is_reported, "" if is_reported else f"exit {done.returncode}: {done.stderr}"
