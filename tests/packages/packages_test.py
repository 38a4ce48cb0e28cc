"""Installs each package as its user would, in a clean room, and uses it: packages_test.py BUILD."""

import hashlib
import json
import os
import pathlib
import pwd
import re
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

import room

sys.path.insert(0, str(room.ROOT / "packaging"))

from make import FORMATS  # noqa: E402

# Converts a .pt2 without LibTorch, is refused without one, converts and verifies source text with one.
USE = """
cp /mnt/user/net.py /mnt/net.pt2 .
tonnx --version
tonnx export net.pt2 -o net.pt2.onnx
tonnx check net.pt2.onnx
if tonnx export net.py -o none.onnx --input 'x=float32[2,3]' 2> refusal; then exit 9; fi
cat refusal
"""
VERIFY = """
tonnx export net.py -o net.onnx --input 'x=float32[2,3]' --dynamic-axes x:0=n --verify
tonnx export net.py -o traced.onnx --input 'x=float32[2,3]' --mode trace --verify
"""
# Each LibTorch for which the package, whose libraries are in $libraries, has a backend, beside that of the build.
LINES = """
for torch in /mnt/libtorch_*/torch; do
  line=${torch#/mnt/libtorch_} line=${line%/torch}
  test -f "$libraries/libtonnx_torch-$line.so" || continue
  TONNX_LIBTORCH=$torch/lib tonnx export net.py -o line.onnx --input 'x=float32[2,3]' --dynamic-axes x:0=n --verify
  TONNX_LIBTORCH=$torch/lib tonnx export net.py -o line.onnx --input 'x=float32[2,3]' --mode trace --verify
  echo "LibTorch $line is used"
done
"""
# LibTorch of the line $1 where the program of the user looks for it, if the package has a backend for it.
OF_LINE = """
of_line() {
  line=$1; shift
  test -d /mnt/libtorch_$line && echo "$backends" | grep -q "libtonnx_torch-$line.so" || return 0
  mount --bind /mnt/libtorch_$line /mnt/site
  "$@"
  umount /mnt/site
  echo "LibTorch $line is used"
}
"""
DEBIAN = """
# A root of its own for the package database and the files, over those of the machine.
for folder in usr var; do
  mkdir -p upper/$folder work/$folder
  mount -t overlay overlay -o lowerdir=/$folder,upperdir=upper/$folder,workdir=work/$folder /$folder || exit 77
done
hide_again
dpkg -i /mnt/dist/libtonnx0_*.deb /mnt/dist/libtonnx-dev_*.deb /mnt/dist/tonnx_*.deb
"""


def make(build, out, *formats):
    command = [sys.executable, room.ROOT / "packaging" / "make.py", "--build", build, "--out", out, *formats]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def output(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout.strip()


def vendored_crates(dist, folder):
    """The crates of dist/ and their dependencies, as a replacement for crates.io."""
    output("cargo", "vendor", "--quiet", "--locked", "--versioned-dirs", "--manifest-path",
           room.ROOT / "bindings" / "rust" / "Cargo.toml", folder)
    for crate in dist.glob("*.crate"):
        output("tar", "xf", crate, "-C", folder)
        checksums = {"files": {}, "package": digest(crate)}
        (folder / crate.stem / ".cargo-checksum.json").write_text(json.dumps(checksums))
    return folder


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


ROOMS = ["tarball", "debian", "wheel", "maven", "nuget", "go", "crates"]


class Packages(unittest.TestCase):
    build = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.dist = cls.folder / "dist"
        print(make(cls.build, cls.dist))
        cls.room = room.Room(cls.build, {
            "dist": cls.dist,
            "user": pathlib.Path(__file__).resolve().parent / "user",
            "dotnet": room.dependency("dotnet"),
            "m2": pathlib.Path(pwd.getpwuid(os.getuid()).pw_dir) / ".m2" / "repository",  # Java does not ask HOME
            "vendor": vendored_crates(cls.dist, cls.folder / "vendor"),
            "go": pathlib.Path(output("go", "env", "GOROOT")),
            "rust": pathlib.Path(output("rustc", "--print", "sysroot")),
            "net.pt2": room.ROOT / "tests" / "exported" / "torch-2.9.1.pt2",
            "site": room.dependency("libtorch"),
            "onnxruntime": room.dependency("onnxruntime"),
            "cmake": room.dependency("tools").resolve() / "site" / "cmake" / "data",
            **{folder.name: folder for folder in room.dependency("").glob("libtorch_*")},
        })

    def setUp(self):
        # In a slice of `make test` one room of three; each takes its turn.
        part = os.environ.get("TONNX_SLICE")
        name = self._testMethodName.removeprefix("test_")
        if part and name in ROOMS and (ROOMS.index(name) + int(part)) % 3:
            self.skipTest("`make test-packages` runs all rooms")
        self.begin = time.monotonic()

    def tearDown(self):
        print(f"{time.monotonic() - self.begin:6.1f} s  {self._testMethodName}", flush=True)

    def lines(self):
        """The lines of LibTorch that are there and have a backend, beside that of the build."""
        built = {re.fullmatch(r"libtonnx_torch-(.*)\.so", file.name)[1] for file in self.build.glob("libtonnx_torch-*.so")}
        there = {name.removeprefix("libtorch_") for name in self.room.items if name.startswith("libtorch_")}
        return built & there

    def expect_lines(self, output, lines=None):
        expected = self.lines() if lines is None else self.lines() & lines
        self.assertEqual(set(re.findall(r"LibTorch (\S+) is used", output)), expected)

    def expect_use(self, output):
        self.assertIn("the ONNX checker found no errors", output)
        self.assertRegex(output, "LibTorch is needed")
        self.assertRegex(output, r"agrees")

    def test_tarball(self):
        output = self.room.run("""
tar xf /mnt/dist/tonnx-*.tar.gz
mv tonnx-* 'a folder'
export PATH="$PWD/a folder/bin:$PATH"
""" + USE + """
export TONNX_LIBTORCH=/mnt/site/torch/lib TONNX_ONNXRUNTIME=/mnt/onnxruntime/lib/libonnxruntime.so
""" + VERIFY + """
libraries="$PWD/a folder/lib"
""" + LINES + """
export PKG_CONFIG_PATH="$PWD/a folder/lib/pkgconfig"
eval cc /mnt/user/user.c -o user $(pkg-config --cflags --libs tonnx)
LD_LIBRARY_PATH="$PWD/a folder/lib" ./user
mkdir source
cp /mnt/user/user.c /mnt/user/CMakeLists.txt source
/mnt/cmake/bin/cmake -S source -B out -DCMAKE_PREFIX_PATH="$PWD/a folder"
/mnt/cmake/bin/cmake --build out
out/user
mkdir fetching
cp /mnt/user/user.c /mnt/user/fetched/CMakeLists.txt fetching
/mnt/cmake/bin/cmake -S fetching -B fetched -DTONNX_URL=$(ls /mnt/dist/tonnx-*.tar.gz)
/mnt/cmake/bin/cmake --build fetched
fetched/user
torch=/mnt/site/torch
eval c++ -std=c++20 /mnt/user/trace.cpp -o trace $(pkg-config --cflags --libs tonnx) -isystem$torch/include \
  -isystem$torch/include/torch/csrc/api/include -L$torch/lib -ltorch_cpu -lc10
LD_LIBRARY_PATH="$PWD/a folder/lib:$torch/lib" ./trace
zcat 'a folder/share/man/man1/tonnx-export.1.gz' | grep -c opset
source 'a folder/share/bash-completion/completions/tonnx'
COMP_WORDS=(tonnx export --ops) COMP_CWORD=2
_tonnx
echo "completes ${COMPREPLY[*]}"
""", tools=["cc", "c++", "pkg-config"])
        self.expect_use(output)
        self.expect_lines(output)
        self.assertIn("the trace agrees", output)
        self.assertIn("completes --opset", output)

    def test_debian(self):
        output = self.room.run(DEBIAN + USE + """
export TONNX_LIBTORCH=/mnt/site/torch/lib TONNX_ONNXRUNTIME=/mnt/onnxruntime/lib/libonnxruntime.so
""" + VERIFY + """
libraries=$(dirname "$(dpkg -L libtonnx0 | grep libtonnx_torch- | head -1)")
""" + LINES + """
cc /mnt/user/user.c -o user $(pkg-config --cflags --libs tonnx)
./user
mkdir source
cp /mnt/user/user.c /mnt/user/CMakeLists.txt source
/mnt/cmake/bin/cmake -S source -B out
/mnt/cmake/bin/cmake --build out
out/user
# A later libtonnx1 can be installed beside libtonnx0: all files have a number in their path.
for file in $(dpkg -L libtonnx0); do test -d $file || case $file in (*libtonnx0/*|*tonnx-0/*|*.so.0*) ;; (*) echo "shared $file" ;; esac; done
dpkg -r tonnx libtonnx-dev libtonnx0
hash -r
! command -v tonnx
""", tools=["dpkg", "cc", "pkg-config"])
        self.expect_use(output)
        self.expect_lines(output)
        self.assertNotIn("shared /", output)

    def test_wheel(self):
        output = self.room.run("""
python3 -m venv venv
source venv/bin/activate
pip install --quiet --no-index /mnt/dist/tonnx-*.whl
""" + USE + """
site=$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
ln -s /mnt/site/torch /mnt/site/nvidia "$site"
mkdir -p "$site/onnxruntime/capi"
cp -L /mnt/onnxruntime/lib/libonnxruntime.so "$site/onnxruntime/capi/libonnxruntime.so.1"
""" + VERIFY + """
libraries=$site/tonnx/lib
""" + LINES + """
python -m tonnx --version
test -s "$(python -c 'import tonnx; print(tonnx.folder())')/reference.html"
# A torch of another version does no harm to a .pt2.
mkdir -p other/torch/lib
touch other/torch/lib/libtorch_cpu.so other/torch/__init__.py
PYTHONPATH=$PWD/other tonnx export net.pt2 -o again.onnx
cc /mnt/user/user.c -o user -I "$(python -c 'import tonnx; print(tonnx.folder())')/include" "$site/tonnx/lib/libtonnx.so.0"
LD_LIBRARY_PATH="$site/tonnx/lib" ./user
pip uninstall --quiet --yes tonnx
hash -r
! command -v tonnx
""", tools=["python3", "cc"])
        self.expect_use(output)
        self.expect_lines(output)

    def test_maven(self):
        output = self.room.run(OF_LINE + """
mkdir -p src/main/java
cp /mnt/net.pt2 /mnt/user/pom.xml .
cp /mnt/user/*.java src/main/java
# Maven's plugins are there; tonnx comes from the repository in the project.
cp -r /mnt/m2 m2
rm -rf m2/org/tonnx
mvn -q -B -Dmaven.repo.local=/srv/m2 compile
classpath=target/classes:m2/org/tonnx/tonnx/0.1.0/tonnx-0.1.0.jar
export TONNX_ONNXRUNTIME=/mnt/onnxruntime/lib/libonnxruntime.so
for cache in /srv/home/.cache /dev/null; do
  XDG_CACHE_HOME=$cache java -cp $classpath User "$(cat /mnt/user/net.py)"
done
# The LibTorch of DJL.
backends=$(python3 -m zipfile -l m2/org/tonnx/tonnx/0.1.0/tonnx-0.1.0.jar)
of_line 2.7 java -cp $classpath User "$(cat /mnt/user/net.py)"
# The libraries of another package, which has no libtonnx.so.
python3 -m zipfile -e /mnt/dist/tonnx-*.whl wheel
TONNX_LIBRARY=$PWD/wheel/tonnx/lib java -cp $classpath User "$(cat /mnt/user/net.py)"
ls /srv/home/.cache/tonnx/java-*
test -z "$(compgen -G '/tmp/tonnx*')"
java -cp target/classes TwoLoaders m2/org/tonnx/tonnx/0.1.0/tonnx-0.1.0.jar
""", tools=["mvn", "java"])
        self.expect_lines(output, {"2.7"})
        runs = 3 + output.count("LibTorch 2.7 is used")
        self.assertEqual(output.count("agrees"), runs, output)
        self.assertEqual(output.count("FILE LibTorch is needed"), runs, output)
        self.assertEqual(output.count("version 0.1.0"), 2, output)
        self.assertIn("libtonnx.so.0", output)

    def test_nuget(self):
        output = self.room.run(OF_LINE + """
cp /mnt/net.pt2 .
# Unpacks the package as NuGet does, and copies the files that a build without a runtime identifier puts next to the program.
python3 -m zipfile -e /mnt/dist/Tonnx.*.nupkg home/.nuget/packages/tonnx/0.1.0
package=home/.nuget/packages/tonnx/0.1.0
mkdir bin
cp $package/lib/netstandard2.0/Tonnx.dll bin
cp -r $package/runtimes bin
mcs -r:bin/Tonnx.dll -out:bin/User.exe /mnt/user/User.cs
echo '{"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"},
  "configProperties": {"System.Globalization.Invariant": true}}}' > bin/User.runtimeconfig.json
export TONNX_ONNXRUNTIME=/mnt/onnxruntime/lib/libonnxruntime.so
mono bin/User.exe "$(cat /mnt/user/net.py)"
# The LibTorch of TorchSharp.
backends=$(ls $package/runtimes/linux-x64/native)
of_line 2.10 mono bin/User.exe "$(cat /mnt/user/net.py)"
/mnt/dotnet/dotnet exec bin/User.exe "$(cat /mnt/user/net.py)"
# The libraries of another package, which has no libtonnx.so.
python3 -m zipfile -e /mnt/dist/tonnx-*.whl wheel
TONNX_LIBRARY=$PWD/wheel/tonnx/lib mono bin/User.exe "$(cat /mnt/user/net.py)"
# From the package's own folder.
mkdir other
cp bin/User.exe other
MONO_PATH=$PWD/$package/lib/netstandard2.0 mono other/User.exe "$(cat /mnt/user/net.py)"
""", tools=["mono", "mcs"])
        self.expect_lines(output, {"2.10"})
        runs = 4 + output.count("LibTorch 2.10 is used")
        self.assertEqual(output.count("agrees"), runs, output)
        self.assertEqual(output.count("File LibTorch is needed"), runs, output)

    def test_go(self):
        output = self.room.run(DEBIAN + """
# Go ignores a module in the folder of temporary files itself.
mkdir program
cp /mnt/net.pt2 /mnt/user/user.go program
cd program
export PATH=/mnt/go/bin:$PATH GOPROXY=file:///mnt/dist/go GONOSUMDB='*' GOFLAGS=-mod=mod GOTOOLCHAIN=local
go mod init user
go get github.com/tonnx/tonnx/bindings/go@latest
go build -o user .
TONNX_ONNXRUNTIME=/mnt/onnxruntime/lib/libonnxruntime.so ./user "$(cat /mnt/user/net.py)"
""", tools=["dpkg", "cc", "pkg-config"])
        self.assertIn("LibTorch is needed", output)
        self.assertIn("agrees", output)

    def test_crates(self):
        output = self.room.run("""
export PATH=/mnt/rust/bin:$PATH CARGO_HOME=/srv/cargo TONNX_ONNXRUNTIME=/mnt/onnxruntime/lib/libonnxruntime.so
mkdir cargo
printf '[source.crates-io]\nreplace-with = "vendor"\n[source.vendor]\ndirectory = "/mnt/vendor"\n' > cargo/config.toml
cargo new --quiet --vcs none program
cp /mnt/user/main.rs program/src
cp /mnt/user/net.py /mnt/net.pt2 program
cd program
# The default loads the library at run time; what is built needs none.
cargo add --quiet tonnx
cargo build --quiet
if cargo run --quiet 2> refusal; then exit 9; fi
cat refusal
python3 -m zipfile -e /mnt/dist/tonnx-*.whl wheel
TONNX_LIBRARY=wheel/tonnx/lib cargo run --quiet
cargo add --quiet tonnx --features bundled
cargo run --quiet
cd ..
""" + DEBIAN + """
cd program
cargo add --quiet tonnx --no-default-features --features linked
cargo run --quiet
""", tools=["dpkg", "cc", "pkg-config"])
        self.assertIn("Set TONNX_LIBRARY to the library", output)
        self.assertNotIn("panicked", output)
        self.assertEqual(output.count("LibTorch is needed"), 3, output)
        self.assertEqual(output.count("agrees"), 3, output)

    def test_the_same_bytes_twice(self):
        again = self.folder / "again"
        # In a slice of `make test` one format; each takes its turn.
        part = os.environ.get("TONNX_SLICE")
        make(self.build, again, *([FORMATS[int(part) % len(FORMATS)]] if part else []))
        for file in (path for path in again.rglob("*") if path.is_file()):
            self.assertEqual(digest(file), digest(self.dist / file.relative_to(again)), file.name)

    def test_the_reference_has_each_function(self):
        page = (self.unpacked("reference") / "share/doc/tonnx/reference.html").read_text(encoding="utf-8")
        names, links = re.findall(r'id="([^"]+)"', page), re.findall(r'href="#([^"]+)"', page)
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(set(links) - set(names), set())
        symbols = (room.ROOT / "capi" / "symbols.txt").read_text(encoding="utf-8").splitlines()
        functions = {line.split()[0] for line in symbols if line.strip() and not line.startswith("#")}
        self.assertEqual(functions - set(names), set())
        headers = "".join(file.read_text(encoding="utf-8") for file in (room.ROOT / "capi" / "tonnx").glob("*.h"))
        types = set(re.findall(r"\btypedef [^;{]*?(?:\*|\b)(tonnx_\w+)(?:\)\([^;]*)?;", headers))
        self.assertLessEqual({"tonnx_status", "tonnx_model", "tonnx_write_fn"}, types)
        self.assertEqual(types - set(names), set())
        self.assertIn("TONNX_STATUS_WARNING", names)
        self.assertNotRegex(page, "(?m)_H$|_DECLS|/\\*[^*]*<pre")

    def unpacked(self, name):
        """The content of the tarball, in a new folder."""
        folder = self.folder / name
        folder.mkdir()
        subprocess.run(["tar", "xf", *self.dist.glob("*.tar.gz"), "-C", folder, "--strip-components=1"], check=True)
        return folder

    def test_libraries_fit_the_tags(self):
        """No symbol of glibc after 2.34 or of libstdc++ after GCC 12, no folder of this machine, and at most 15 MB."""
        unpacked = self.unpacked("unpacked")
        for archive in [*self.dist.rglob("tonnx-?.?.?.jar"), *self.dist.glob("*.nupkg")]:
            zipfile.ZipFile(archive).extractall(unpacked / archive.name)
        files = [path for path in unpacked.rglob("*") if path.is_file() and not path.is_symlink()]
        libraries = [path for path in files if path.read_bytes()[:4] == b"\x7fELF"]
        # The command line and two libraries, and again with a binding's own for Java and C#.
        self.assertGreaterEqual(len(libraries), 9)
        for library in libraries:
            symbols = subprocess.run(["readelf", "--version-info", "--wide", library], capture_output=True, text=True).stdout
            self.assertIn("Name: GLIBC_", symbols)
            for name, newest in ("GLIBC", (2, 34)), ("GLIBCXX", (3, 4, 30)), ("CXXABI", (1, 3, 13)):
                for version in set(re.findall(rf"Name: {name}_([0-9.]+)", symbols)):
                    self.assertLessEqual(tuple(map(int, version.split("."))), newest, f"{library.name}: {name}_{version}")
            dynamic = subprocess.run(["readelf", "--dynamic", library], capture_output=True, text=True).stdout
            self.assertNotRegex(dynamic, r"R(UN)?PATH.*\[(?!\$ORIGIN[/\w.]*\])", library.name)
            self.assertIn("BIND_NOW", dynamic, library.name)
            segments = subprocess.run(["readelf", "--segments", "--wide", library], capture_output=True, text=True).stdout
            self.assertIn("GNU_RELRO", segments, library.name)
            self.assertLessEqual(library.stat().st_size, 15e6, library.name)
            content = library.read_bytes()
            for folder in self.room.hidden:
                self.assertFalse(f"{folder}/".encode() in content, f"{library.name} names {folder}")


if __name__ == "__main__":
    if not room.can_unshare():
        print("a clean room needs the right to unshare mounts and network (root)")
        sys.exit(77)
    Packages.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
