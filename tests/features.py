"""The table of documented features and its page: features.py ROOT [--write]

tests/features.tsv has a line for each feature that the documentation of PyTorch's exporter describes: number, what it is,
its tests, a note. A test is FILE:NAME under tests; a test that carries numbers in its name (test_F30_F31_..., F241_...), or at
the beginning of its docstring ("F30, F31: ..."), belongs to these lines. Each line has such a test, and may have others, or the
note 'does not apply: REASON' or 'missing: REASON'. --write writes docs/features.md.
"""

import pathlib
import re
import sys

COUNT = 304
NUMBERED = re.compile(r"\b(?:def test_|TEST\w*\(\w+, )((?:F\d+_)+)(\w+)")
DESCRIBED = re.compile(r'^(?:def|class) (\w+)\b[^\n]*:\n\s+"""((?:F\d+(?:, )?)+): ', re.MULTILINE)
NOT_APPLICABLE = "does not apply: "
MISSING = "missing: "


def read(root):
    """The lines as [number, what, tests, note]."""
    lines = (root / "tests/features.tsv").read_text(encoding="utf-8").splitlines()
    rows = [(line.split("\t") + ["", "", ""])[:4] for line in lines if line and not line.startswith("#")]
    return [[int(number), what, tests.split(), note] for number, what, tests, note in rows]


def exists(root, test):
    """True if the file has a test of this name."""
    path, _, name = test.partition(":")
    file = root / "tests" / path
    if not name or not file.is_file():
        return False
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".cpp":
        suite, _, case = name.partition(".")
        return bool(re.search(rf"\bTEST\w*\({re.escape(suite)},\s*{re.escape(case)}\)", text))
    return bool(re.search(rf"^\s*(?:def|class) {re.escape(name)}\b", text, re.MULTILINE))


def numbered_tests(root):
    """(number, test) for each number in the name of a test, or at the beginning of its docstring."""
    for file in sorted([*(root / "tests").rglob("*.py"), *(root / "tests").rglob("*.cpp")]):
        if file.name == "features.py":
            continue
        text, relative = file.read_text(encoding="utf-8", errors="replace"), file.relative_to(root / "tests")
        for found in DESCRIBED.finditer(text):
            for number in re.findall(r"F(\d+)", found[2]):
                yield int(number), f"{relative}:{found[1]}"
        for found in NUMBERED.finditer(text):
            case = found[1] + found[2]
            suite = re.search(r"\((\w+), $", found[0][:found.start(1) - found.start(0)])
            name = f"{suite[1]}.{case}" if suite else f"test_{case}"
            for number in re.findall(r"F(\d+)_", found[1]):
                yield int(number), f"{relative}:{name}"


def faults(root, rows):
    if [row[0] for row in rows] != list(range(1, COUNT + 1)):
        yield f"tests/features.tsv: the lines are not F1 to F{COUNT} in order"
    known = {row[0]: row for row in rows}
    numbered = list(numbered_tests(root))
    for number, _, tests, note in rows:
        for test in tests:
            if not exists(root, test):
                yield f"F{number}: the test {test} does not exist"
        if bool(tests) == note.startswith((NOT_APPLICABLE, MISSING)):
            yield f"F{number}: needs a test whose name has its number, or a note '{NOT_APPLICABLE}...' or '{MISSING}...', not both"
    for number in sorted({row[0] for row in rows if row[2]} - {number for number, _ in numbered}):
        yield f"F{number}: no test has this number in its name or at the beginning of its docstring"
    for number, test in numbered:
        if number not in known or test not in known[number][2]:
            yield f"F{number}: tests/features.tsv lacks {test}"


def page(rows):
    tested = [row for row in rows if row[2]]
    others = [row for row in rows if row[3].startswith(NOT_APPLICABLE)]
    rest = [row for row in rows if row[3].startswith(MISSING)]
    yield "# Documented features"
    yield ""
    yield f"The documentation of PyTorch's exporter describes {len(rows)} features. This page restates them for a library without Python."
    yield f"`tests/features.py` writes it from `tests/features.tsv`. {len(tested)} features have tests, {len(others)} do not apply, and {len(rest)}"
    yield "are missing. A feature without a test and without a reason fails the tests."
    yield ""
    yield "## With tests"
    yield ""
    yield "| feature | what | tests | note |"
    yield "|---|---|---|---|"
    for number, what, tests, note in tested:
        yield f"| F{number} | {what} | {', '.join(f'`{test}`' for test in tests)} | {note} |"
    yield ""
    yield "## That do not apply"
    yield ""
    yield "| feature | what | reason |"
    yield "|---|---|---|"
    for number, what, _, note in others:
        yield f"| F{number} | {what} | {note.removeprefix(NOT_APPLICABLE)} |"
    yield ""
    yield "## Missing"
    yield ""
    yield "| feature | what | reason |"
    yield "|---|---|---|"
    for number, what, _, note in rest:
        yield f"| F{number} | {what} | {note.removeprefix(MISSING)} |"


def main():
    root = pathlib.Path(sys.argv[1])
    rows = read(root)
    text = "\n".join(page(rows)) + "\n"
    file = root / "docs/features.md"
    if "--write" in sys.argv[2:]:
        file.write_text(text, encoding="utf-8")
    found = list(faults(root, rows))
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        found.append("docs/features.md is not what tests/features.tsv says: run tests/features.py . --write")
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
