"""The C# binding: built as documented, then its console runner under Mono and .NET, then the example."""

import json
import os
import re
import subprocess

import pages

DOTNET_CONFIGURATION = {
    "runtimeOptions": {
        "tfm": "net8.0",
        "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"},
        "configProperties": {"System.Globalization.Invariant": True},  # needs no ICU
    }
}
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
        compile_program(context, out, "walk.exe", [example.with_name("Walk.cs")])
        compile_program(context, out, "quadrants.exe", [example.with_name("Quadrants.cs")])
    except Exception as error:
        yield "build", False, str(error)
        return
    yield "build", True, ""
    yield from run_tests(context, ["mono", "--debug"], out / "tests.exe")
    (out / "tests.runtimeconfig.json").write_text(json.dumps(DOTNET_CONFIGURATION), encoding="utf-8")
    dotnet = context.deps / "dotnet" / "dotnet"
    for name, passed, message in run_tests(context, [dotnet, "exec"], out / "tests.exe"):
        yield f".NET {name}", passed, message
    yield page_snippets(context, out)
    yield from context.example(["mono", str(out / "custom_operator.exe")])
    yield context.walks(["mono", out / "walk.exe"])
    found = os.pathsep.join(filter(None, [str(context.network.parent), context.env.get("LD_LIBRARY_PATH", "")]))
    yield context.quadrants(["mono", out / "quadrants.exe"], env=dict(context.env, LD_LIBRARY_PATH=found))


def page_snippets(context, out):
    file = context.build / "Page.cs"
    try:
        file.write_text(pages.csharp(context.root), encoding="utf-8")
        context.check(["mcs", "-langversion:7.2", f"-r:{out / 'Tonnx.dll'}", f"-out:{out / 'page.exe'}", file])
    except Exception as error:
        return "snippets of the page", False, str(error)
    return "snippets of the page", True, ""


def compile_program(context, out, name, sources):
    context.check(["mcs", "-langversion:7.2", "-warnaserror", f"-r:{out / 'Tonnx.dll'}", f"-out:{out / name}",
                   *sources])


def run_tests(context, host, program):
    limit = 1800 if context.slow else 300
    try:
        done = subprocess.run([*host, program], env={**os.environ, **context.env}, timeout=limit,
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
