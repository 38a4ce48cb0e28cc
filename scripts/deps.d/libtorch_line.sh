# LibTorch of another line: headers and libraries for the CPU, with the CUDA run-time libraries that its wheel names. The caller
# sets line_version and line_packages.
unpack_libtorch "$line_version"
if [[ $(uname -m) == x86_64 ]]; then
  # shellcheck disable=SC2086
  install_wheels "$out" --no-deps $line_packages
fi
