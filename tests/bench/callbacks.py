"""Measures a callback and a call from each language: callbacks.py BUILD OUT [LANGUAGE...]

A callback is a symbolic that declines: an export of 2000 nodes with 17 of them is compared with one with a single one, best of nine
runs each, in processor time of the thread. A call is tonnx_node_output_count, a million times inside of a callback. Prints nanoseconds, and those beyond C's.
BUILD is a build with the bindings' tests, OUT a folder for what is compiled here. Needs what the bindings' tests need.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCES = HERE / "callbacks"
sys.path.insert(0, str(ROOT / "tests" / "bindings"))

from csharp import DOTNET_CONFIGURATION  # noqa: E402


def output(command, **kwargs):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **kwargs)
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def c(build, out):
    output(["cc", "-O2", f"-I{ROOT / 'capi'}", SOURCES / "callbacks.c", "-o", out / "callbacks", f"-L{build}", "-ltonnx",
            f"-Wl,-rpath,{build}"])
    return output([out / "callbacks"])


def rust(build, out):
    env = dict(os.environ, TONNX_DIR=str(build), TONNX_LIBRARY=str(build / "libtonnx.so"), CARGO_TARGET_DIR=str(out / "cargo"))
    command = ["cargo", "bench", "--locked", "-q", "-p", "tonnx", "--bench", "callbacks"]
    return output(command, cwd=ROOT / "bindings" / "rust", env=env)


def go(build, out):
    path = os.pathsep.join([str(build / "meson-uninstalled"), os.environ.get("PKG_CONFIG_PATH", "")])
    env = dict(os.environ, PKG_CONFIG_PATH=path, CGO_LDFLAGS=f"-Wl,-rpath,{build}", GOPROXY="off", GOTOOLCHAIN="local")
    text = output(["go", "test", "-run", "^$", "-bench", "Callback", "-benchtime", "1x"], cwd=ROOT / "bindings" / "go", env=env)
    return " ".join(re.search(rf"([0-9.e+-]+) ns/{unit}\b", text)[1] for unit in ("callback", "call"))


def java(build, out):
    classes = next((build / "bindings" / "java" / "maven").glob("tonnx-*.jar"))
    output(["javac", "-cp", classes, "-d", out, SOURCES / "Callbacks.java"])
    return output(["java", "-cp", f"{classes}:{out}", "Callbacks"], env=dict(os.environ, TONNX_LIBRARY=str(build / "libtonnx.so")))


def csharp(host, name):
    def run(build, out):
        folder = out / "csharp"
        folder.mkdir(exist_ok=True)
        made = build / "bindings" / "csharp" / "csharp"
        for file in ("Tonnx.dll", "libtonnx_csharp.so"):
            (folder / file).unlink(missing_ok=True)
            (folder / file).symlink_to(made / file)
        output(["mcs", "-langversion:7.2", "-optimize+", f"-r:{made / 'Tonnx.dll'}", f"-out:{folder / (name + '.exe')}",
                SOURCES / f"{name}.cs"])
        (folder / f"{name}.runtimeconfig.json").write_text(json.dumps(DOTNET_CONFIGURATION), encoding="utf-8")
        command = ["mono", "-O=all"] if host == "mono" else [ROOT / ".deps" / "dotnet" / "dotnet", "exec"]
        return output([*command, folder / f"{name}.exe"], env=dict(os.environ, LD_LIBRARY_PATH=str(build)))
    return run


LANGUAGES = {
    "C": c, "Rust": rust, "Go": go, "Java": java,
    "C# (Mono)": csharp("mono", "Callbacks"), "C# (.NET)": csharp("dotnet", "Callbacks"),
    "P/Invoke (Mono)": csharp("mono", "PInvoke"), "P/Invoke (.NET)": csharp("dotnet", "PInvoke"),
}


def main(build, out, *languages):
    build, out = pathlib.Path(build).resolve(), pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    base = None
    for name in languages or LANGUAGES:
        callback, call = (float(number) for number in LANGUAGES[name](build, out).split()[-2:])
        base = base if base is not None else callback
        print(f"{name}: {callback:.0f} ns a callback ({callback - base:+.0f}), {call:.0f} ns a call", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
