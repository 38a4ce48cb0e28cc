"""The C# binding: built as documented, then its console runner under Mono, then the example."""

import os
import re
import subprocess

LINE = re.compile(r"(ok|not ok) ([\w.]+)(?:: (.*))?$")


def run(context):
    out = context.build / "csharp"
    binding = context.root / "bindings" / "swig" / "csharp"
    try:
        context.check([binding / "build", out, context.library.parent])
        tests = sorted((binding / "tests").glob("*.cs"))
        example = context.root / "examples" / "csharp" / "CustomOperator.cs"
        compile_program(context, out, "tests.exe", [*tests, binding / "Tonnx" / "Handle.cs"])
        compile_program(context, out, "custom_operator.exe", [example])
    except Exception as error:
        yield "build", False, str(error)
        return
    yield "build", True, ""
    yield from run_tests(context, out / "tests.exe")
    yield from context.example(["mono", str(out / "custom_operator.exe")])


def compile_program(context, out, name, sources):
    context.check(["mcs", "-langversion:7.2", "-warnaserror", f"-r:{out / 'Tonnx.dll'}", f"-out:{out / name}",
                   *sources])


def run_tests(context, program):
    limit = 1800 if context.slow else 300
    try:
        done = subprocess.run(["mono", "--debug", program], env={**os.environ, **context.env}, timeout=limit,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
        code, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        code, output = f"nothing after {limit} s", (expired.stdout or b"").decode("utf-8", "replace")
    failures = cases = 0
    note = ""
    for line in output.splitlines():
        found = LINE.match(line)
        if found:
            cases += 1
            failures += found[1] != "ok"
            yield found[2], found[1] == "ok", note or found[3] or ""
            note = ""
        elif line.startswith("# "):
            note = line[2:]
    # A crash ends the report early, and the exit code is then no count of failures.
    whole = cases > 0 and code == failures
    yield "runner", whole, "" if whole else f"exit {code} after {cases} cases:\n" + output[-4000:]
