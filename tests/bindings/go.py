"""The Go binding: vetted, its own tests through `go test` (also under the race detector and cgo's pointer checks), then
the example, with and without the library."""

import json
import os
import re
import shlex
import subprocess

import pages


def run(context):
    env = environment(context)
    modules = [context.root / "bindings" / "go", context.root / "examples" / "go"]
    program = context.build / "custom_operator"
    if not (yield from step("build", context, ["go", "build", "./..."], cwd=modules[0], env=env)):
        return
    yield "without cgo", *without_cgo(modules[0], env)
    yield from formatted(context, modules, env)
    yield page_snippets(context, modules[0], env)
    for module in modules:
        name = f"go vet {module.relative_to(context.root)}"
        yield from step(name, context, ["go", "vet", "./..."], cwd=module, env=env)
    test = ["go", "test", "-count=1", *(["-exec", shlex.join(context.runner)] if context.runner else [])]
    yield from go_test(test, modules[0], env)
    few = dict(env, TONNX_SOAK="50")
    # The race detector cannot run beside a sanitizer.
    if context.takes_turn(0) and not context.runner:
        yield from step("go test -race", context, [*test, "-race", "./..."], cwd=modules[0], env=few)
    if context.takes_turn(1):
        yield from step("go test with pointer checks", context, [*test, "./..."], cwd=modules[0],
                        env=dict(few, **pointer_checks(context, env)))
    command = ["go", "build", "-buildvcs=false", "-o", program, "./custom_operator"]
    if (yield from step("build example", context, command, cwd=modules[1], env=env)):
        yield from context.example([program])
        yield context.missing_library(program)
    walk = context.build / "walk"
    command = ["go", "build", "-buildvcs=false", "-o", walk, "./walk"]
    if (yield from step("build walk", context, command, cwd=modules[1], env=env)):
        yield context.walks([walk])
    quadrants = context.build / "quadrants"
    folder = context.network.parent
    linked = dict(env, CGO_LDFLAGS=f"{env['CGO_LDFLAGS']} -L{folder} -Wl,-rpath,{folder}")
    command = ["go", "build", "-buildvcs=false", "-o", quadrants, "./quadrants"]
    if (yield from step("build quadrants", context, command, cwd=modules[1], env=linked)):
        yield context.quadrants([quadrants])


def environment(context):
    """The documented way: pkg-config's file of the build, and an rpath to it."""
    folder = context.library.parent
    path = [str(folder / "meson-uninstalled"), str(folder / "pkgconfig"), os.environ.get("PKG_CONFIG_PATH", "")]
    return dict(context.env,
                PKG_CONFIG_PATH=os.pathsep.join(filter(None, path)),
                CGO_LDFLAGS=f"-Wl,-rpath,{folder}",
                CGO_ENABLED="1",
                GOTOOLCHAIN="local",
                GOPROXY="off",
                GOWORK="off")


def without_cgo(module, env):
    """A build without cgo fails with one error, which says what is missing."""
    done = subprocess.run(["go", "build", "."], cwd=module, env=dict(env, CGO_ENABLED="0"), capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("#")]
    return len(lines) == 1 and "tonnx_needs_cgo" in lines[0] and "CGO_ENABLED" in lines[0], done.stderr


def page_snippets(context, module, env):
    folder = context.build / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.mod").write_text("module pages\n\ngo 1.19\n\nrequire github.com/tonnx/tonnx/bindings/go v0.0.0\n\n"
                                   f"replace github.com/tonnx/tonnx/bindings/go => {module}\n", encoding="utf-8")
    try:
        (folder / "main.go").write_text(pages.go(context.root), encoding="utf-8")
        context.check(["go", "build", "-buildvcs=false", "-o", folder / "page", "."], cwd=folder, env=env)
    except Exception as error:
        return "snippets of the page", False, str(error)
    return "snippets of the page", True, ""


def step(name, context, command, **kwargs):
    try:
        context.check(command, **kwargs)
    except Exception as error:
        yield name, False, str(error)
        return False
    yield name, True, ""
    return True


def formatted(context, modules, env):
    try:
        listed = context.check(["gofmt", "-l", *modules], env=env).stdout
    except Exception as error:
        listed = str(error)
    yield "gofmt", not listed, listed


def pointer_checks(context, env):
    version = context.check(["go", "env", "GOVERSION"], env=env).stdout
    minor = int(re.match(r"go1\.(\d+)", version)[1])
    return {"GOEXPERIMENT": "cgocheck2"} if minor >= 21 else {"GODEBUG": "cgocheck=2"}


def go_test(test, module, env):
    command = [*test, "-json", "-timeout=25m", "./..."]
    done = subprocess.run(command, cwd=module, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    outputs = {}
    cases = failures = 0
    for line in done.stdout.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            event = {"Action": "output", "Output": line + "\n"}
        name, action = event.get("Test", ""), event["Action"]
        if action in ("output", "build-output"):
            outputs[name] = outputs.get(name, "") + event["Output"]
        elif name and action in ("pass", "fail", "skip"):
            cases += 1
            failures += action != "pass"
            output = outputs.get(name, "")
            measured = re.search(r"\d+ exports: resident.*", output)
            yield name, action == "pass", output if action != "pass" else measured[0] if measured else ""
    # A crash ends the report early; the package's output then has the reason.
    whole = cases > 0 and bool(done.returncode) == bool(failures)
    yield "go test", whole, "" if whole else f"exit {done.returncode} after {cases} cases:\n" + "".join(
        outputs.values())[-6000:]
