# clang-tidy, whose findings differ by version. Only `make lint` needs it.
install_wheels "$out/site" "clang-tidy==$CLANG_TIDY_VERSION"
mkdir "$out/bin"
ln -s ../site/clang_tidy/data/bin/clang-tidy "$out/bin/clang-tidy"
"$out/bin/clang-tidy" --version
