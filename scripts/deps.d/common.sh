# Functions for the recipes. Sourced by scripts/deps.

say() { printf 'deps: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# provide NAME VERSION REVISION [RECIPE]: links .deps/NAME to the dependency; builds it first if the cache lacks it.
# The recipe scripts/deps.d/RECIPE.sh (default: NAME.sh) runs in an empty folder; the content of its subfolder `out` is the dependency.
provide() {
  local name=$1 made=$cache/$1-$2-$3 recipe=${4:-$1}
  mkdir -p "$cache" "$root/.deps"
  if [[ ! -e $made/.stamp ]]; then
    (
      flock 9
      [[ -e $made/.stamp ]] || make_dependency "$name" "$made" "$recipe"
    ) 9>"$cache/.$name.lock"
  fi
  ln -sfnT "$made" "$root/.deps/$name"
}

# report_progress NAME LOG: says every ten seconds how far the recipe is: the last "[12/345]" of its log, if it compiles.
report_progress() {
  local name=$1 log=$2 step
  SECONDS=0
  while sleep 10; do
    step=$(grep -aoE '^\[ *[0-9]+(/[0-9]+|%)\]' "$log" 2>/dev/null | tail -n 1) || true
    say "$name: $SECONDS s ${step:-(downloading or unpacking)}"
  done
}

make_dependency() {
  local name=$1 made=$2 recipe=$3 work status
  # Remains of an interrupted run; the caller holds the lock.
  rm -rf "$cache/.$name."??????
  work=$(mktemp -d "$cache/.$name.XXXXXX")
  say "making $name in $made"
  report_progress "$name" "$work/log" 9>&- &
  local reporter=$!
  # Not in a condition, where the shell would continue after a failed command.
  set +e
  (
    set -euo pipefail
    out=$work/out
    mkdir "$out"
    cd "$work"
    source "$recipes/$recipe.sh"
  ) >"$work/log" 2>&1 9>&-
  status=$?
  kill "$reporter" 2>/dev/null
  wait "$reporter" 2>/dev/null
  set -e
  if ((status)); then
    mv "$work/log" "$cache/$name.log"
    rm -rf "$work"
    tail -n 30 "$cache/$name.log" >&2
    fail "$name could not be made; the whole log is $cache/$name.log"
  fi
  touch "$work/out/.stamp"
  rm -rf "$made"
  mv -T "$work/out" "$made"
  rm -rf "$work"
  say "made $name"
}

# fetch_wheel REQUIREMENT: downloads one package's wheel for CPython 3.11 into the current folder, whatever the running Python's version is.
fetch_wheel() {
  "$python" -m pip download --quiet --no-cache-dir --no-deps --only-binary=:all: --implementation cp \
    --python-version 3.11 --abi cp311 --platform "manylinux_2_28_$(uname -m)" --platform "manylinux2014_$(uname -m)" \
    --dest . "$1"
}

# unpack_wheel WHEEL FOLDER PATTERN...: unpacks the members whose path matches one of the shell patterns.
unpack_wheel() {
  "$python" - "$@" <<'PYTHON'
import fnmatch, sys, zipfile
wheel, folder, *patterns = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            archive.extract(name, folder)
PYTHON
}

# without_folders: compiler flags that keep paths of this folder and the cache out of the binaries.
without_folders() { printf -- '-ffile-prefix-map=%s/= -ffile-prefix-map=%s/=' "$PWD" "$cache"; }

# unpack_libtorch VERSION: unpacks the parts of torch's wheel that a C++ program needs, to $out/torch.
unpack_libtorch() {
  fetch_wheel "torch==$1"
  unpack_wheel torch-*.whl "$out" 'torch/include/*' 'torch/lib/libtorch_cpu.so' 'torch/lib/libc10.so' \
    'torch/lib/libgomp*' 'torch/lib/libarm_compute*' 'torch/lib/libopenblas*' 'torch/lib/libgfortran*'
  rm torch-*.whl
}

# install_wheels FOLDER REQUIREMENT...: pip install into a separate folder; does not change the user's Python.
install_wheels() {
  local folder=$1
  shift
  "$python" -m pip install --quiet --no-cache-dir --root-user-action=ignore --no-warn-script-location --no-compile \
    --target "$folder" "$@"
}

# The Debian packages, each with a shell command that succeeds if the package is not needed.
core_packages=(
  'g++=command -v g++'
  'make=command -v make'
  'util-linux=command -v flock'
  'python3-pip="$python" -m pip --version'
  'golang-go=command -v go'
  'nlohmann-json3-dev=has_header nlohmann/json.hpp'
  'libcli11-dev=has_header CLI/CLI.hpp'
  'libxxhash-dev=has_header xxhash.h'
  'protobuf-compiler=[[ $(protoc --version) == "libprotoc $PROTOBUF_VERSION" ]]'
)
test_packages=(
  'libgtest-dev=has_header gtest/gtest.h'
  'libgmock-dev=has_header gmock/gmock.h'
  'help2man=command -v help2man'
  'pkg-config=command -v pkg-config'
  'python3-venv="$python" -c "import ensurepip"'
)

java_packages=(
  'swig=command -v swig'
  'openjdk-17-jdk-headless=command -v javac'
  'maven=command -v mvn'
)
csharp_packages=(
  'swig=command -v swig'
  'mono-mcs=command -v mcs'
  'mono-runtime=command -v mono'
)
go_packages=(
  'golang-go=command -v go'
  'pkg-config=command -v pkg-config'
)
rust_packages=(
  'rustc-web=command -v rustc'
  'cargo-web=command -v cargo'
  'pkg-config=command -v pkg-config'
)

has_header() { echo "#include <$1>" | g++ -std=c++20 -E -x c++ - ; }

require_debian_packages() {
  local entry missing=()
  for entry in "$@"; do
    eval "${entry#*=}" >/dev/null 2>&1 || missing+=("${entry%%=*}")
  done
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null || [[ $(id -u) != 0 ]]; then
    fail "missing: ${missing[*]}; install with: apt-get install ${missing[*]} (as root), then run this again"
  fi
  say "installing Debian packages: ${missing[*]}"
  install_debian_packages "${missing[@]}" || {
    apt-get -qq update || true
    install_debian_packages "${missing[@]}"
  } || fail "apt-get could not install: ${missing[*]}"
}

install_debian_packages() {
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "$@" </dev/null >/dev/null
}
