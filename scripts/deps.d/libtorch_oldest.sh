# The oldest LibTorch that tonnx may be built with, as the tests of its texts need it: headers and libraries for the CPU. What it
# defines of std::string has the C++ ABI from before C++11.
unpack_libtorch "$OLDEST_TORCH_VERSION"
install_wheels "$out" --no-deps "nvidia-cuda-runtime-cu12==$OLDEST_CUDA_VERSION" "nvidia-cuda-cupti-cu12==$OLDEST_CUDA_VERSION"
