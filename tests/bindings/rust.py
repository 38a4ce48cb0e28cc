"""The Rust binding: formatted and linted, `cargo test` case by case, then the examples, and what happens without the
library."""

import os
import re
import shlex
import shutil
import subprocess

# A case, and the program that has it: Cargo names each test program before it runs.
CASE = re.compile(r"^test (.+) \.\.\. (ok|FAILED|ignored)")
PROGRAM = re.compile(r"^\s*(?:Running (?:unittests )?(\S+) |Doc-tests (\S+))")
SOAK = re.compile(r"^\d+ exports: .*", re.MULTILINE)


def run(context):
    env = environment(context)
    yield from tidy(context, env)
    built = False
    for result in step("cargo build", context, env, "build", "--workspace", "--all-features"):
        built = result[1]
        yield result
    if not built:
        return
    yield from cargo_test(context, env)
    if context.slow:
        yield from step("cargo test of what takes long", context, env, "test", "--package", "tonnx", "--features", "tch",
                        "--test", "networks", "--", "--ignored")
    programs = context.build / "cargo" / "debug"
    yield from context.example([programs / "custom_operator"])
    yield context.walks([programs / "walk"])
    yield from trace_example(context, programs / "trace")
    yield context.quadrants([programs / "quadrants"])
    yield context.missing_library(programs / "custom_operator")
    yield from build_script(context, env)
    yield from loaded(context, env)


def environment(context):
    return dict(context.env,
                TONNX_DIR=str(context.library.parent),
                TONNX_INCLUDE=str(context.include),
                LIBTORCH=str(context.libtorch),
                CARGO_TARGET_DIR=str(context.build / "cargo"),
                CARGO_TERM_COLOR="never",
                # With one thread, a case's name and its result would be printed separately.
                RUST_TEST_THREADS="2",
                RUST_BACKTRACE="0",
                **({"CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER": shlex.join(context.runner)} if context.runner else {}))


def cargo(context, env, command, *rest):
    return context.check(["cargo", command, "--locked", *rest], cwd=context.root / "bindings" / "rust", env=env)


def step(name, context, env, *command):
    try:
        cargo(context, env, *command)
    except Exception as error:
        yield name, False, str(error)
    else:
        yield name, True, ""


def installed(tool):
    return subprocess.run(["cargo", tool, "--version"], capture_output=True).returncode == 0


def tidy(context, env):
    """Formatter and linter, where the toolchain has them."""
    folder = context.root / "bindings" / "rust"
    if installed("fmt"):
        try:
            context.check(["cargo", "fmt", "--all", "--check"], cwd=folder, env=env)
        except Exception as error:
            yield "cargo fmt", False, str(error)
        else:
            yield "cargo fmt", True, ""
    if installed("clippy"):
        lint = "clippy", "--workspace", "--all-targets"
        yield from step("cargo clippy", context, env, *lint, "--all-features", "--", "-D", "warnings")
    if installed("clippy") and context.takes_turn(1):
        yield from step("cargo clippy without tch", context, env, *lint, "--", "-D", "warnings")


def cargo_test(context, env):
    """Every case of `cargo test` but the ignored ones, which take long: see run()."""
    command = ["cargo", "test", "--locked", "--no-fail-fast", "--workspace", "--all-features", "--", "--show-output"]
    done = subprocess.run(command, cwd=context.root / "bindings" / "rust", env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    program, cases = "", {}
    for line in done.stdout.splitlines():
        if found := PROGRAM.match(line):
            program = found[1] or f"{found[2]} docs"
        elif (found := CASE.match(line)) and found[2] != "ignored":
            cases[f"{program}: {found[1]}"] = found[2] == "ok"
    for name, passed in cases.items():
        case = name.split(": ", 1)[1]
        output = re.search(rf"^---- {re.escape(case)} stdout ----\n(.*?)(?=^---- |^failures:$|^successes:$)",
                           done.stdout, re.MULTILINE | re.DOTALL)
        measured = SOAK.search(output[1]) if output else None
        message = output[1] if output and not passed else measured[0] if measured else ""
        yield name, passed, message
    whole = len(cases) > 0 and bool(done.returncode) != all(cases.values())
    message = f"exit {done.returncode} after {len(cases)} cases:\n{done.stdout[-6000:]}"
    yield "cargo test", whole, "" if whole else message


def trace_example(context, program):
    output = context.build / "trace.onnx"
    output.unlink(missing_ok=True)
    try:
        printed = context.check([*context.runner, program, output]).stdout
    except Exception as error:
        yield "trace example", False, str(error)
        return
    names = ["conv.weight.normalised", "conv.bias.normalised", "classifier.weight", "classifier.bias"]
    passed = all(f"%{name} :" in printed for name in names) and "agrees" in printed and output.exists()
    yield "trace example", passed, "" if passed else printed


def loaded(context, env):
    """The default feature, load-dynamic: what is built knows no library, and finds one at run time."""
    base = dict(env, CARGO_TARGET_DIR=str(context.build / "cargo-loaded"))
    del base["TONNX_DIR"]
    yield from step("cargo test of load-dynamic's functions", context, base, "test", "--package", "tonnx-sys", "--lib", "--test",
                    "link")
    if context.takes_turn(0):
        yield from step("cargo test of load-dynamic", context, base, "test", "--package", "tonnx-sys", "--package", "tonnx")
    yield from step("cargo build of load-dynamic", context, base, "build", "--package", "tonnx-examples")
    program = context.build / "cargo-loaded" / "debug" / "custom_operator"
    yield from context.example([program])
    folder, nowhere, beside = (context.build / name for name in ("only-soname", "no-library", "beside"))
    for path in folder, nowhere, beside:
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
    for link in folder / "libtonnx.so.0", beside / "libtonnx.so.0":
        link.symlink_to(context.library)
    copy = shutil.copy(program, beside)
    unset = {name: value for name, value in context.env.items() if name != "TONNX_LIBRARY"}
    # Meson adds the folder of the library.
    searched = {name: value for name, value in unset.items() if name != "LD_LIBRARY_PATH"}
    for name, command, settings, message in (
        ("a folder with libtonnx.so.0 alone", program, dict(unset, TONNX_LIBRARY=str(folder)), None),
        ("a library beside the executable", copy, unset, None),
        ("a folder without a library", program, dict(unset, TONNX_LIBRARY=str(nowhere)), "the folder has no libtonnx.so"),
        ("no library", program, searched, "Set TONNX_LIBRARY to the library"),
    ):
        try:
            context.scenario([command], context.build / "loaded.onnx", env=settings)
        except Exception as error:
            is_expected = message is not None and message in str(error) and "panicked" not in str(error)
            yield name, is_expected, "" if is_expected else str(error)
        else:
            yield name, message is None, "the program did not fail" if message else ""


def build_script(context, env):
    """Where the feature `linked` of tonnx-sys looks for the library, and what it says when there is none."""
    nowhere, found = context.build / "nowhere", context.build / "pkgconfig"
    for folder in nowhere, found:
        folder.mkdir(exist_ok=True)
    manifest = (context.root / "bindings" / "rust" / "Cargo.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.*)"', manifest, re.MULTILINE)[1]
    (found / "tonnx.pc").write_text(f"libdir={context.library.parent}\nName: tonnx\nDescription: tonnx\n"
                                    f"Version: {version}\nLibs: -L${{libdir}} -ltonnx\n", encoding="utf-8")
    base = dict(env, CARGO_TARGET_DIR=str(context.build / "cargo-sys"))
    del base["TONNX_DIR"]
    unset = dict(base, PKG_CONFIG_PATH="", PKG_CONFIG_LIBDIR=str(nowhere))
    cases = (
        ("an empty TONNX_DIR is an error", dict(base, TONNX_DIR=str(nowhere)), "libtonnx.so is in none of these"),
        ("no TONNX_DIR and no tonnx.pc is an error", unset, "libtonnx was not found. Set TONNX_DIR to"),
        ("tonnx.pc is found", dict(unset, PKG_CONFIG_LIBDIR=str(found)), None),
        ("documentation needs no library", dict(unset, DOCS_RS="1"), None),
    )
    for name, settings, message in cases:
        try:
            # What links is run, too.
            cargo(context, settings, "check" if message or "DOCS_RS" in settings else "test", "--package", "tonnx-sys",
                  "--features", "linked")
            if message is None and "DOCS_RS" not in settings:
                cargo(context, settings, "check", "--package", "tonnx", "--no-default-features", "--features", "linked")
        except Exception as error:
            is_reported = message is not None and message in str(error)
            yield name, is_reported, "" if is_reported else str(error)
        else:
            yield name, message is None, "the build did not fail" if message else ""
