"""Writes docs/messages.md, the list of tonnx's messages, from the string literals of the sources.

    messages.py            writes the page
    messages.py --check    writes nothing, and fails if the page differs from what it would write

A message is an argument of a call in CALLS. The parts that are computed are "...".
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/messages.md"
CALLS = re.compile(
    r"(?<![\w.:>])(?:op_?\.|op->|ir::|tonnx::ir::|report\.|refusals_?\.|diagnostics\.|log\.)?"
    r"(refuse\w*|refusal|fail|misuse|misfit|mistake|leave|raise\w*|give_up|apart|damaged|differ|raises|missing|unsupported|warn\w*|warning\w*|exceed|mismatch|needs_opset|"
    r"\w*Error|\w*Fault|Refusal)\(")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SHORTEST = 12  # letters of a message; shorter texts are parts of others

AREAS = [
    ("Operators", ["src/lower", "src/aten"],
     "The whole message is `the program cannot be exported to ONNX opset N:`, and a line `OPERATOR (SOURCE): MESSAGE` for each "
     "operator. Pass the argument that the message "
     "names a constant value, dtype or size, raise the opset, replace the operator in the program, or register a symbolic for it. "
     "Status: `TONNX_STATUS_UNSUPPORTED`."),
    ("Control flow, containers, writes and dynamic axes", ["src/program", "src/ir", "src/optimize"],
     "The program was read, but a construct in it has no ONNX form, or a dynamic axis does not stay dynamic. Change the line that the "
     "message names, or declare fewer dynamic axes. Status: `TONNX_STATUS_UNSUPPORTED`; for axes and options "
     "`TONNX_STATUS_ARGUMENT`."),
    ("Scripts and traces", ["src/torch", "src/backend", "src/export", "src/ort_aten"],
     "A script cannot be read or run, a trace has seen the host do something that a model cannot, or the call does not fit the "
     "program. Status: `TONNX_STATUS_UNSUPPORTED`, `TONNX_STATUS_PROGRAM`, `TONNX_STATUS_ARGUMENT`; for libraries "
     "`TONNX_STATUS_FILE`."),
    ("Archives and argument files", ["src/archive", "src/exported"],
     "A file is damaged, incomplete, or of a version that tonnx does not read; save it again. Status: `TONNX_STATUS_FILE` or "
     "`TONNX_STATUS_UNSUPPORTED`."),
    ("Writing and reading ONNX files", ["src/onnx", "src/diagram"],
     "The model cannot be written, or a file is not a valid model. Status: `TONNX_STATUS_FILE`, `TONNX_STATUS_CHECKER` or "
     "`TONNX_STATUS_ARGUMENT`."),
    ("Verification", ["src/verify"],
     "ONNX Runtime or LibTorch cannot run, or they differ. Status: `TONNX_STATUS_VERIFICATION`, or `TONNX_STATUS_FILE` where ONNX "
     "Runtime is missing."),
    ("Calls of the C API and of the languages", ["capi"],
     "The call breaks a rule that its comment in the header states. Status: `TONNX_STATUS_ARGUMENT`."),
    ("Command line", ["src/cli"], "The exit code is 2; `tonnx COMMAND --help` describes each option."),
]


def argument_ends(text, at):
    """Positions at which the arguments of the call whose '(' is before `at` end."""
    depth, ends = 1, []
    while at < len(text):
        c = text[at]
        if c == '"':
            at = LITERAL.match(text, at).end() if LITERAL.match(text, at) else at + 1
            continue
        if c == "'":
            at += 4 if text[at + 1] == "\\" else 3
            continue
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return ends + [at]
        elif c == "," and depth == 1:
            ends.append(at)
        at += 1
    return ends


def texts_of(argument):
    """The messages of an expression of concatenated strings; parts that are no whole literal are "..."."""
    parts, alone, last = [], [], 0
    for literal in LITERAL.finditer(argument):
        between, before = argument[last:literal.start()], argument[:literal.start()].rstrip()
        last = literal.end()
        if before.endswith("?") or re.search(r"(?<!:):$", before):  # an alternative of ?:
            alone.append(literal.group(1))
            parts.append("...")
        elif re.search(r"[\w\]>]\($|[,\[=<>]$", before) and not before.endswith("std::string("):  # an argument of a call
            parts.append("...")
        else:
            if re.sub(r"std::string\(|[\s+()]", "", between):
                parts.append("...")
            parts.append(literal.group(1))
    if parts and re.sub(r"[\s+()]", "", argument[last:]):
        parts.append("...")
    texts = ["".join(parts), *(alone if parts and not re.sub(r"[\s.]", "", "".join(parts)) else [])]
    unescaped = (text.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\") for text in texts)
    return [re.sub(r"(\.\.\.)+", "...", text).strip() for text in unescaped]


def messages_of(path):
    text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
    found = set()
    for call in CALLS.finditer(text):
        start = call.end()
        arguments = []
        for end in argument_ends(text, start):
            arguments.append(text[start:end])
            start = end + 1
        texts = max((texts_of(argument) for argument in arguments), key=lambda texts: max(map(len, texts)), default=[])
        found |= {text for text in texts if len(re.sub(r"[^A-Za-z]", "", text)) >= SHORTEST and " " in text}
    return found


def page():
    lines = ["# Messages", "",
             "This page lists messages of tonnx by what it was doing; `...` is a value. Search it for some words of a message between",
             "two values. [troubleshooting.md](troubleshooting.md) has the frequent ones, by status. The name of an operator, option or",
             "file and a source line come before or after these texts.", ""]
    count = 0
    for title, folders, advice in AREAS:
        found = set()
        for folder in folders:
            for path in sorted((ROOT / folder).rglob("*.cpp")) + sorted((ROOT / folder).rglob("*.h")):
                found |= messages_of(path)
        lines += [f"## {title}", "", advice, ""]
        lines += [f"- `` {message} ``" if "`" in message else f"- `{message}`" for message in sorted(found, key=str.lower)]
        lines.append("")
        count += len(found)
    return "\n".join(lines).rstrip() + "\n", count


def main():
    text, count = page()
    if "--check" in sys.argv:
        if not PAGE.exists() or PAGE.read_text() != text:
            sys.exit("docs/messages.md is not up to date: run scripts/messages.py")
        return
    PAGE.write_text(text)
    print(count, "messages")


if __name__ == "__main__":
    main()
