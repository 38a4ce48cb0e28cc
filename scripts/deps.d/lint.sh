# clang-tidy, whose findings differ by version. `make lint` and the tests style_lint and style_lint_all need it.
install_wheels "$out/site" "clang-tidy==$CLANG_TIDY_VERSION"
mkdir "$out/bin"
ln -s ../site/clang_tidy/data/bin/clang-tidy "$out/bin/clang-tidy"
"$out/bin/clang-tidy" --version
