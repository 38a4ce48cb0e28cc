# NVIDIA's CUDA compiler, for examples/cuda: out/nvidia/cu13. It needs no GPU. A newer libnvvm than ptxas would write code
# that ptxas refuses, so all are of one version.
install_wheels "$out" --no-deps "nvidia-cuda-nvcc==$CUDA_COMPILER_VERSION" "nvidia-nvvm==$CUDA_COMPILER_VERSION" \
  "nvidia-cuda-crt==$CUDA_COMPILER_VERSION" "nvidia-cuda-runtime==$CUDA_RUNTIME_VERSION"
"$out/nvidia/cu13/bin/nvcc" --version
