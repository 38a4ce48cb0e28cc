"""Runs one build of tonnx over each LibTorch for which it has a backend: lines_test.py ROOT DEPS LIBRARY OPS_TEST FOLDER

LIBRARY is libtonnx.so, with the backends of `make backends` beside it. For each of them, the LibTorch of its line is preloaded, and
OPS_TEST exports archives and compares them with PyTorch; then a host program, compiled for that LibTorch in FOLDER, exports traces.
"""

import os
import pathlib
import re
import subprocess
import sys

ARCHIVES = {"Operators": 40, "Programs": 20}
SKIPPED = 77


def lines(root, library, deps):
    """The line and the folder of each LibTorch with a backend."""
    folders = {"libtorch": None} | {folder.name: folder.name.split("_")[1] for folder in deps.glob("libtorch_*")}
    backends = {re.search(r"-([\d.]+)\.so", path.name)[1] for path in library.parent.glob("libtonnx_torch-*.so")}
    own = re.search(r"^TORCH_VERSION=(\d+\.\d+)", (root / "scripts/versions").read_text(), re.MULTILINE)[1]
    for name, line in folders.items():
        if (line or own) in backends and (deps / name).exists():
            yield line or own, (deps / name / "torch").resolve()


def run(command, torch, **more):
    environment = os.environ | {"LD_PRELOAD": str(torch / "lib/libtorch_cpu.so"), "LD_LIBRARY_PATH": str(torch / "lib")} | more
    return subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True, errors="replace", timeout=1800)


def chosen(ops_test):
    """The names of some cases, the same ones in each run, from the whole list."""
    listing = subprocess.run([ops_test, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    suite, names = None, {}
    for line in listing.splitlines():
        if not line.startswith(" "):
            suite = line.strip()
        else:
            names.setdefault(suite, []).append(line.split()[0])
    for group, count in ARCHIVES.items():
        cases = names[f"Samples/{group}."]
        for i in range(count):
            yield f"Samples/{group}.{cases[i * len(cases) // count]}"


def archives(ops_test, torch):
    names = list(chosen(ops_test))
    done = run([ops_test, "--gtest_filter=" + ":".join(names)], torch)
    passed = re.search(r"\[  PASSED  \] (\d+) test", done.stdout)
    failed = sorted(set(re.findall(r"\[  FAILED  \] (\S+)", done.stdout)))
    print(f"  {passed[1] if passed else 0} of {len(names)} archives are right")
    if done.returncode:
        print(done.stdout[-6000:] if not passed else "\n".join(failed), done.stderr[-2000:])
    return done.returncode == 0


def host(root, torch, library, folder):
    program = folder / "trace_host"
    subprocess.run(
        ["g++", "-std=c++20", "-O0", "-w", "-DNDEBUG", f"-I{root / 'capi'}", "-isystem", torch / "include", "-isystem",
         torch / "include/torch/csrc/api/include", root / "tests/libtorch/trace_host.cpp", f"-L{library.parent}", "-ltonnx",
         f"-L{torch / 'lib'}", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{library.parent}:{torch / 'lib'},--allow-shlib-undefined",
         "-o", program], check=True)
    done = run([program], torch, LD_PRELOAD="")
    print(f"  {done.stdout.count('ok ')} traces of a host are right")
    if done.returncode:
        print(*(line for line in done.stdout.splitlines() if not line.startswith("ok ")), done.stderr[-2000:], done.returncode, sep="\n")
    return done.returncode == 0


def main(root, deps, library, ops_test, folder):
    root, deps, library, folder = (pathlib.Path(path) for path in (root, deps, library, folder))
    found = sorted(lines(root, library, deps), key=lambda item: [int(part) for part in item[0].split(".")])
    if len(found) < 2:
        print("the build has one backend: run make backends first")
        return SKIPPED
    right = True
    for line, torch in found:
        print(f"LibTorch {line} in {torch}", flush=True)
        (folder / line).mkdir(parents=True, exist_ok=True)
        right &= archives(ops_test, torch)
        right &= host(root, torch, library, folder / line)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
