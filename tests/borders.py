"""Checks that no source includes what its folder may not see: borders.py ROOT [DEPS]

Each folder of src sees the standard library, itself and what is listed here. The build
withholds most forbidden headers anyway; this also covers those that lie in the system's include folder.
"""

import pathlib
import re
import sys
import tempfile

CORE = {"ir", "aten", "archive", "program", "lower", "optimize", "diagram", "backend", "torch", "exported", "onnx", "verify", "export"}
FOLDERS = CORE | {"cli", "ort_aten"}
OUTSIDER = {"public", "libtorch", "json", "gtest"}

# The headers that a folder may include in addition to the standard library, the system's own headers and the headers in its own folder.
# A name of FOLDERS is that folder of src. A file with a row of its own has that one.
MAY_INCLUDE = {
    "src/ir": {"ir"},
    "src/ir/checksum.cpp": {"ir", "xxhash"},  # a header alone
    "src/aten": {"aten", "ir"},
    "src/program": {"program", "aten", "ir"},
    "src/lower": {"lower", "aten", "ir"},
    "src/optimize": {"optimize", "ir"},
    "src/diagram": {"diagram", "ir"},
    "src/archive": {"archive", "ir"},
    "src/backend": {"backend", "ir"},
    "src/torch": {"torch", "backend", "aten", "archive", "ir", "libtorch"},
    "src/exported": {"exported", "aten", "archive", "ir", "json"},
    "src/onnx": {"onnx", "ir", "onnx library"},
    "src/verify": {"verify", "ir", "onnxruntime"},
    "src/ort_aten": {"ort_aten", "backend", "aten", "ir", "onnxruntime"},
    "src/export": CORE - {"torch"},
    "src/cli": {"cli", "public", "cli11", "json"},
    "capi": {"public", "export", "lower", "backend", "ir"},
    "capi/tonnx/torch.hpp": {"public", "libtorch"},
    "examples": OUTSIDER | {"jni"},
    "examples/cuda/runtime_operator.cpp": {"onnxruntime"},
    "bindings": {"public", "cgo"},
    "tests/capi": OUTSIDER,
    "tests/capi/trace_sizes_test.cpp": OUTSIDER | {"verify"},  # runs models at sizes of its own
    "tests/samples": OUTSIDER | {"samples"},
    "tests/ops": OUTSIDER | {"samples"},
    "tests/models": OUTSIDER | {"samples"},
}

LIBRARIES = [
    ("public", r"tonnx/|tonnx\.hp?p?$"),
    ("onnxruntime", r"onnxruntime"),
    ("libtorch", r"(torch|ATen|c10|caffe2)/"),
    ("onnx library", r"(onnx|google/protobuf)/"),
    ("json", r"nlohmann/"),
    ("xxhash", r"xxhash\.h$"),
    ("cgo", r"_cgo_export\.h$"),
    ("cli11", r"CLI/"),
    ("jni", r"jni\.h$"),
    ("gtest", r"(gtest|gmock)/"),
    ("samples", r"samples/samples\.h$"),
]
SYSTEM = re.compile(
    r"[a-z_0-9]+$"  # the C++ library
    r"|(assert|ctype|errno|float|inttypes|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef"
    r"|stdint|stdio|stdlib|stdnoreturn|string|time|uchar|wchar)\.h$"
    r"|(dirent|dlfcn|fcntl|poll|pthread|unistd|sched|elf|link|cxxabi|io|windows)\.h$|(sys|linux|mach|mach-o)/[a-z_0-9]+\.h$"
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|import|include_next)[ \t]*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)
SOURCES = {".h", ".hpp", ".hh", ".inc", ".c", ".cc", ".cpp", ".cxx", ".cu"}


def kind(root, file, angled, quoted):
    """What an include names: `own`, a folder of src, a library, `system`, or None where nothing known has that name."""
    name = angled or quoted
    if ".." in name.split("/"):
        return None
    if quoted and (file.parent / quoted).is_file():
        return "own"
    folder = name.split("/")[0]
    # The build makes NAME of NAME.in, and NAME.inc of NAME.
    sources = (name, f"{name}.in", name.removesuffix(".inc"))
    if "/" in name and folder in FOLDERS and any((root / "src" / source).is_file() for source in sources):
        return folder
    for library, pattern in LIBRARIES:
        if re.match(pattern, name):
            return library
    return "system" if angled and SYSTEM.match(name) else None


def breaches(root):
    """Yields a line a breach under root."""
    for row, may in MAY_INCLUDE.items():
        for file in [root / row, *sorted((root / row).rglob("*"))]:
            name = file.relative_to(root).as_posix()
            if file.suffix not in SOURCES or not file.is_file() or name != row and name in MAY_INCLUDE:
                continue
            text = file.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                found = kind(root, file, match[1], match[2])
                if found not in may | {"own", "system"}:
                    line = text.count("\n", 0, match.start()) + 1
                    what = f"{found}, which {row} may not see" if found else "no known header"
                    yield f"{file.relative_to(root)}:{line}: {match[1] or match[2]} is {what}"


def hidden_headers(root, deps):
    """Yields a line a header of ours that hides one of a library: src comes first in the search path."""
    for folder, include in (
        ("torch", deps / "libtorch/torch/include"),
        ("onnx", deps / "onnx/include"),
    ):
        for file in sorted((root / "src" / folder).rglob("*.h")):
            name = file.relative_to(root / "src")
            if (include / name).exists():
                yield f"src/{name}: the library has a header of that name too"


def check_itself():
    """The check finds a planted breach in every folder, and passes what is allowed."""
    planted = {
        "src/ir/checksum.cpp": ["<ATen/ATen.h>", '"lower/a.h"', "<nlohmann/json.hpp>"],
        "src/ir/a.h": ["<xxhash.h>", "<ATen/ATen.h>", '"lower/a.h"', '"tonnx/tonnx.h"', '"nothing.h"', '"../lower/a.h"'],
        "src/aten/a.h": ["<ATen/ATen.h>", '"program/a.h"', '"lower/a.h"'],
        "src/program/a.h": ["<torch/script.h>", '"torch/a.h"', '"lower/a.h"'],
        "src/lower/a.h": ["<onnx/checker.h>", '"onnx/a.h"', "<nlohmann/json.hpp>"],
        "src/optimize/a.h": ["<google/protobuf/message.h>", '"export/a.h"'],
        "src/diagram/a.h": ['"aten/a.h"', "<nlohmann/json.hpp>"],
        "src/archive/a.h": ["<ATen/ATen.h>", '"torch/a.h"'],
        "src/exported/a.h": ["<ATen/ATen.h>", '"torch/a.h"', '"program/a.h"'],
        "src/backend/a.h": ["<ATen/ATen.h>", '"torch/a.h"', '"aten/a.h"'],
        "src/torch/a.h": ["<onnx/onnx_pb.h>", '"onnx/a.h"', '"lower/a.h"'],
        "src/onnx/a.h": ["<ATen/ATen.h>", '"torch/a.h"', "<onnxruntime_c_api.h>"],
        "src/verify/a.h": ["<torch/torch.h>", "<onnx/onnx_pb.h>"],
        "src/ort_aten/a.h": ["<torch/torch.h>", '"lower/a.h"', '"verify/a.h"', '"tonnx/tonnx.h"'],
        "src/export/a.h": ["<torch/torch.h>", "<onnx/onnx_pb.h>", '"tonnx/tonnx.h"', '"torch/a.h"', '"cli/a.h"'],
        "src/cli/a.h": ['"ir/a.h"', "<torch/script.h>"],
        "capi/a.h": ['"program/a.h"', '"torch/a.h"', '"onnx/a.h"', "<ATen/ATen.h>"],
        "capi/tonnx/torch.hpp": ['"lower/a.h"', '"export/a.h"'],
        "examples/c/a.c": ['"ir/a.h"'],
        "examples/cuda/runtime_operator.cpp": ["<ATen/ATen.h>", "<tonnx.hpp>"],
        "bindings/go/a.h": ['"export/a.h"'],
        "tests/capi/a.cpp": ['"export/a.h"', '"lower/a.h"', '"samples/samples.h"'],
        "tests/capi/trace_sizes_test.cpp": ['"export/a.h"', '"ir/a.h"'],
        "tests/samples/a.cpp": ['"ir/a.h"', '"cli/a.h"'],
        "tests/ops/a.cpp": ['"ir/a.h"'],
        "tests/models/a.cpp": ['"ir/a.h"'],
    }
    allowed = {
        "src/ir/b.h": ["<vector>", "<cstdint>", "<sys/mman.h>", '"ir/a.h"', '"a.h"'],
        "src/aten/b.h": ['"ir/a.h"', '"aten/a.h"'],
        "src/program/b.h": ['"ir/a.h"', '"aten/a.h"', '"program/a.h"'],
        "src/lower/b.h": ['"ir/a.h"', '"aten/a.h"', '"lower/a.h"'],
        "src/torch/b.h": ["<ATen/ATen.h>", "<torch/script.h>", '"torch/a.h"', '"backend/a.h"', '"ir/a.h"'],
        "src/exported/b.h": ["<nlohmann/json.hpp>", '"archive/a.h"', '"ir/a.h"'],
        "src/onnx/b.h": ["<onnx/checker.h>", '"onnx/a.h"'],
        "src/backend/b.h": ["<dlfcn.h>", '"backend/a.h"', '"ir/a.h"'],
        "src/ort_aten/b.h": ["<onnxruntime_c_api.h>", '"ort_aten/a.h"', '"backend/a.h"', '"aten/a.h"', '"ir/a.h"'],
        "src/export/b.h": ['"backend/a.h"', '"onnx/a.h"', '"ir/a.h"'],
        "src/cli/b.h": ['"cli/a.h"', '"tonnx.hpp"', "<CLI/CLI.hpp>", "<unistd.h>"],
        "capi/b.h": ['"export/a.h"', '"tonnx/tonnx.h"', '"ir/a.h"', '"lower/a.h"', '"backend/a.h"'],
        "examples/c/b.c": ["<tonnx/tonnx.h>", "<stdio.h>"],
        "examples/cpp/b.cpp": ["<tonnx.hpp>", "<torch/torch.h>"],
        "tests/ops/b.cpp": ['"samples/samples.h"'],
        "tests/capi/b.cpp": ["<gtest/gtest.h>", "<tonnx/tonnx.hpp>", "<torch/torch.h>"],
    }
    rows = {file if file in MAY_INCLUDE else next(row for row in MAY_INCLUDE if file.startswith(row + "/"))
            for file in planted}
    assert rows == set(MAY_INCLUDE)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file, includes in (planted | allowed).items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text("".join(f"#include {include}\n" for include in includes))
        expected = [f"{file}:{line}:" for file, includes in planted.items() for line in range(1, len(includes) + 1)]
        found = [breach.split(" ")[0] for breach in breaches(root)]
        assert sorted(found) == sorted(expected), set(found) ^ set(expected)

        library = root / "deps/onnx/include/onnx"
        library.mkdir(parents=True)
        (library / "a.h").touch()
        assert [line.split(":")[0] for line in hidden_headers(root, root / "deps")] == ["src/onnx/a.h"]


def main(root, deps=None):
    check_itself()
    root = pathlib.Path(root)
    found = [*breaches(root), *hidden_headers(root, pathlib.Path(deps or root / ".deps"))]
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
