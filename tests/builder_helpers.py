"""Checks that lowerings leave to Builder what it has a helper for, and that helpers have tests: builder_helpers.py ROOT

A node that Builder makes in one way at all opsets (a reduction, a selection, a change of shape) is written by name in the
builder's own files alone. Where the name is in a variable, a reduction shows by `keepdims` without an `axis`. Each public
member of Builder and Op is called by a case of its table in tests/unit/lower.
"""

import pathlib
import re
import sys

HELPERS = {
    "Reduce\\w+": "reduce", "Where": "where", "Expand": "expand", "Gather": "gather or take", "GatherElements": "gather_elements",
    "Reshape": "reshape", "Transpose": "transpose", "Unsqueeze": "unsqueeze", "Concat": "concat", "Slice": "slice",
    "ConstantOfShape": "constant_of_shape", "Cast": "cast",
}
RAW = re.compile(rf'\b(?:op|open)\(\s*"(?:onnx::)?({"|".join(HELPERS)})"')
APPLIED = re.compile(r'\b(?:apply|op)\(\s*"(Erf)"')  # not at all opsets and dtypes
PLAIN = {"answers", "graph", "block", "location", "set_location", "builder", "node", "opset", "result"}  # a field or a fact
REDUCTION = re.compile(r'^(?!.*\{"axis").*\{"keepdims"', re.MULTILINE)


def faults(text):
    """Yields the line of each node that should be a helper's, and the helper."""
    for match in RAW.finditer(text):
        helper = next(helper for name, helper in HELPERS.items() if re.fullmatch(name, match[1]))
        yield text.count("\n", 0, match.start()) + 1, f"a raw {match[1]}; call Builder::{helper}"
    for match in APPLIED.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, f"a raw {match[1]}; call lower::{match[1].lower()} of special.h"
    for match in REDUCTION.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, "a reduction by a name of its own; call Builder::reduce"


def members(header, name):
    """The public member functions of a class."""
    body = re.search(rf"^class {name}\b.*?^ public:\n(.*?)^ private:", header, re.MULTILINE | re.DOTALL)[1]
    plain = re.sub(r"//.*", "", body)
    return set(re.findall(r"^  [\w\[].*?[ *&](\w+)\(", plain, re.MULTILINE))


def untested(root):
    """Yields the members that no case calls."""
    for name, header, tests, called in (
        ("Builder", "builder.h", ["test_builder.cpp", "test_known.cpp"], r"\bb\."),
        ("Op", "op.h", ["test_op.cpp", "test_op_values.cpp"], r"\bop\."),
    ):
        text = "".join((root / "tests/unit/lower" / test).read_text(encoding="utf-8") for test in tests)
        found = members((root / "src/lower" / header).read_text(encoding="utf-8"), name)
        assert len(found) > 30, (name, sorted(found))
        for member in sorted(found - PLAIN):
            if not re.search(rf"{called}{member}\(", text):
                yield f"src/lower/{header}: no case of tests/unit/lower calls {name}::{member}"


def check_itself():
    raw = {
        'b.op("ReduceSum", {x}, {{"keepdims", std::int64_t{0}}})': True,
        'b.op(name, {x}, {{"keepdims", std::int64_t{0}}})': True,
        'op->op(\n    "Where", {c, x, y})': True,
        'b.op("GatherElements", {x, i}, {{"axis", axis}})': True,
        'b.op("GatherND", {x, i})': False,
        'x.apply("Erf")': True,
        'x.apply("Exp")': False,
        'b.op(name, {x}, {{"axis", axis}, {"keepdims", std::int64_t{0}}})': False,
        'b.reduce("ReduceSum", x, {}, false)': False,
    }
    for text, is_raw in raw.items():
        assert bool(list(faults(text))) == is_raw, text


def main(root):
    check_itself()
    root = pathlib.Path(root)
    found = list(untested(root))
    for file in sorted((root / "src/lower").glob("*.*")):
        if not file.name.startswith(("builder", "special")):
            found += [f"src/lower/{file.name}:{line}: {fault}" for line, fault in faults(file.read_text(encoding="utf-8"))]
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
