"""Checks what the pages name: pages.py ROOT

Every link leads to a file and a heading, every `path/to/file` exists, every function of the C API is in capi/symbols.txt,
every flag is one of the command line or of a script, every target of make is in the Makefile, and the sources contain every
message of docs/troubleshooting.md. The README's lines of each language are on the page of that language. Generated tables are
left out.
"""

import pathlib
import re
import sys

PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
GENERATED = {"coverage.md", "features.md", "passes.md"}
PARTS = ("src", "capi", "docs", "tests", "scripts", "bindings", "examples")
ELSEWHERE = {"--all-features", "--features", "--open", "--variable"}  # of cargo and pkg-config

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
PATH = re.compile(rf"`((?:{'|'.join(PARTS)})/[\w./+-]+)`")
FUNCTION = re.compile(r"`?\b(tonnx_[a-z0-9_]+)\(|`(tonnx_[a-z0-9_]+)`")
FLAG = re.compile(r"(?:(?<=[\s`(])|^)(--[a-z][a-z0-9-]*[a-z0-9](?![\w-]))", re.MULTILINE)
TARGET = re.compile(r"(?:`|^ {4})make (?:[A-Z]+=[^\s`]* )*([a-z-]+)\b", re.MULTILINE)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def flags_of(root):
    """The text of every file that declares or checks flags."""
    files = [*(root / "src/cli").glob("*.cpp"), *(root / "tests").rglob("*.py"), *(root / "scripts").rglob("*.py")]
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.name != "pages.py")


def faults(root, page, text, symbols, flags, targets):
    """Yields what the page names and the repository does not have."""
    for target, anchor in LINK.findall(text):
        if "://" in target:
            continue
        file = (page.parent / target).resolve() if target else page
        if not file.exists():
            yield f"no file {target}"
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{target} has no heading #{anchor}"
    for path in PATH.findall(text):
        if not re.search("[A-Z]{4}", path) and not list(root.glob(path)) and not list(root.glob(path + ".*")):
            yield f"no file {path}"
    for name in {a or b for a, b in FUNCTION.findall(text)}:
        if name not in symbols and not any(symbol.startswith(name) for symbol in symbols if name.endswith("_")):
            yield f"no function {name}"
    for flag in set(FLAG.findall(text)) - ELSEWHERE:
        if not re.search(re.escape(flag) + r"(?![\w-])", flags):
            yield f"no flag {flag}"
    for target in set(TARGET.findall(text)) - targets:
        yield f"no target of make: {target}"


def missing_lines(root):
    """Yields the languages whose lines in the README are not on their page, where they may be indented or inside of a function."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", (root / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for language, block in blocks:
        if language == "c":  # tests/headers/snippets.py compiles it
            continue
        page = root / "docs" / f"{language}.md"
        lines = [line.split("  //")[0].strip() for line in page.read_text(encoding="utf-8").splitlines()]
        own = [line.split("  //")[0].strip() for line in block.splitlines()]
        if not any(lines[i : i + len(own)] == own for i in range(len(lines))):
            yield f"docs/{language}.md does not have the README's lines of {language}"
    if len(blocks) != 6:
        yield f"README.md has lines in {len(blocks)} languages, not 6"


def messages_of(root):
    """The sources, with the parts of each string literal joined."""
    folders = [root / "src", root / "capi", root / "bindings"]
    files = [file for folder in folders for suffix in ("*.cpp", "*.cs", "*.java") for file in folder.rglob(suffix)]
    return "\n".join(re.sub(r'"(\s*\+)?\s*"', "", file.read_text(encoding="utf-8")) for file in files)


def unknown_messages(text, sources):
    """Yields the messages in the first column of tables of a page that no source contains. What differs from error to error
    ("...", numbers, quoted names) is left out."""
    for row in re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE):
        for message in re.findall(r"`([^`]+)`", row):
            parts = re.split(r"\.\.\.|'[^']*'|\b[\d.]+\b,?|\bN\b|\bLibTorch\b", message)
            for part in (part.strip(" ;:") for part in parts):
                if len(part) > 3 and not part.startswith("TONNX_") and part not in sources:
                    yield f"no source contains {part!r} of {message!r}"


def planted(root, symbols, flags, targets):
    """A checker that passes these is broken."""
    page = root / "README.md"
    bad = ["[x](no.md)", "[x](README.md#no)", "`src/no/such.cpp`", "`tonnx_no_such`", "`--no-such-flag`", "`make nothing`"]
    return all(any(faults(root, page, text, symbols, flags, targets)) for text in bad)


def main(root):
    root = pathlib.Path(root).resolve()
    symbols = set((root / "capi/symbols.txt").read_text(encoding="utf-8").split())
    types = "\n".join(file.read_text(encoding="utf-8") for file in (root / "capi").rglob("*.h"))
    symbols |= set(re.findall(r"\btonnx_\w+", types))
    targets = set(re.findall(r"^([a-z-]+)(?= .*:|:)", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    targets |= set(re.search(r"^\.PHONY: (.*)$", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1].split())
    flags = flags_of(root)
    wrong = 0
    trouble, messages = root / "docs" / "troubleshooting.md", messages_of(root)
    for fault in unknown_messages(trouble.read_text(encoding="utf-8"), messages):
        wrong += 1
        print(f"{trouble.relative_to(root)}: {fault}")
    assert any(unknown_messages("| `no source says this` |", messages))
    for fault in missing_lines(root):
        wrong += 1
        print(f"README.md: {fault}")
    for page in [root / name for name in PAGES] + sorted((root / "docs").glob("*.md")):
        if page.name in GENERATED:
            continue
        for fault in sorted(faults(root, page, page.read_text(encoding="utf-8"), symbols, flags, targets)):
            wrong += 1
            print(f"{page.relative_to(root)}: {fault}")
    return 1 if wrong or not planted(root, symbols, flags, targets) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
