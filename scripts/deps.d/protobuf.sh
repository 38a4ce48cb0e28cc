# protobuf's library, static and position-independent, from Debian's source package: Debian's own libprotobuf.a is not
# position-independent, and a shared one would meet the older protobuf that LibTorch exports. The compiler is Debian's
# protoc of the same version. -O1: the library reads small messages once, so compile time counts more.
# apt works in folders of its own here: neither root nor a deb-src line in the system's sources is needed.

# Writes what the system's apt sources say about Debian itself, with deb for deb-src, into the folder given.
debian_source_lists() {
  "$python" - "$1" <<'PYTHON'
import glob, os, re, sys

folder = sys.argv[1]
release = dict(
    line.rstrip("\n").split("=", 1) for line in open("/etc/os-release") if "=" in line
).get("VERSION_CODENAME", "").strip('"')


def ours(suites, components):
    names = {release, "stable", "testing", "sid", "unstable"}
    return "main" in components and any(re.split(r"[-/]", suite)[0] in names for suite in suites)


lines, stanzas = [], []
for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*.list"))]:
    if not os.path.exists(path):
        continue
    for line in open(path):
        match = re.match(r"\s*deb(?:-src)?\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]*)", line)
        if match and ours([match[3]], match[4].split()):
            options = re.sub(r"arch=\S+", "", match[1] or "")
            lines.append(f"deb-src {options}{match[2]} {match[3]} {match[4].strip()}\n")
for path in sorted(glob.glob("/etc/apt/sources.list.d/*.sources")):
    text = "".join(line for line in open(path) if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", text):
        field = lambda name: (re.search(rf"(?mi)^{name}:(.*(?:\n[ \t].*)*)", stanza) or ["", ""])[1].split()
        if field("Enabled") != ["no"] and ours(field("Suites"), field("Components")):
            stanza = re.sub(r"(?mi)^Architectures:.*\n?", "", stanza.strip() + "\n")
            stanzas.append(re.sub(r"(?mi)^Types:.*", "Types: deb-src", stanza))
if not lines and not stanzas:
    sys.exit("no apt source of Debian's own packages is set up on this machine")
open(os.path.join(folder, "source.list"), "w").writelines(dict.fromkeys(lines))
open(os.path.join(folder, "source.sources"), "w").write("\n".join(stanzas))
PYTHON
}

command -v apt-get >/dev/null || fail "protobuf's source comes by apt-get, which is not here"
mkdir -p apt/lists/partial apt/cache/archives/partial apt/sources source build
debian_source_lists apt/sources
private_apt() {
  apt-get -o "Dir::State::lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt/cache" \
    -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$PWD/apt/sources" \
    -o "APT::Sandbox::User=$(id -un)" "$@"
}
private_apt update || true
private_apt source --download-only protobuf
archive=protobuf_$PROTOBUF_VERSION.orig.tar.gz
[[ -e $archive ]] || fail "this Debian's protobuf is $(echo protobuf_*.orig.tar.*), not $PROTOBUF_VERSION"
tar -xzf "$archive" -C source --strip-components=1
tools=$root/.deps/tools/bin
"$tools/cmake" -S source -B build -G Ninja -DCMAKE_MAKE_PROGRAM="$tools/ninja" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS="$(without_folders)" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
  -DCMAKE_INSTALL_PREFIX="$out" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON \
  -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_BUILD_PROTOC_BINARIES=OFF -Dprotobuf_WITH_ZLIB=OFF -Dprotobuf_BUILD_SHARED_LIBS=OFF
"$tools/cmake" --build build --target libprotobuf
for part in libprotobuf protobuf-headers; do "$tools/cmake" --install build --component "$part"; done
mkdir "$out/bin"
ln -s "$(command -v protoc)" "$out/bin/protoc"
