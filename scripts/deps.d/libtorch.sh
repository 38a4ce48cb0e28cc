# LibTorch for the CPU, out of the torch wheel: torch/ beside nvidia/, as the wheel's own library paths expect.
# libtorch_cpu.so of that wheel names two small CUDA run-time libraries; the GPU libraries stay away.
unpack_libtorch "$TORCH_VERSION"
# For programs that link with -ltorch, as tch does: libtorch.so of the wheel needs the GPU libraries.
echo 'INPUT(-ltorch_cpu -lc10)' >"$out/torch/lib/libtorch.so"
if [[ $(uname -m) == x86_64 ]]; then
  install_wheels "$out" --no-deps "nvidia-cuda-runtime==$CUDA_RUNTIME_VERSION" "nvidia-cuda-cupti==$CUDA_CUPTI_VERSION"
fi
