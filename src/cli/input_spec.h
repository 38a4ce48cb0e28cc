#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tonnx.hpp"

namespace tonnx::cli {

// Adds what one --input option describes as the keyword argument that it names: NAME=float32[1,3,224,224], filled at
// random (floats from the standard normal distribution, integers from [0, 10), bools by a coin; the same numbers in
// every run for one seed); NAME=file.npy; or a number, NAME=3, NAME=0.5, NAME=true. Throws Error (TONNX_ARGUMENT) for a
// text that is none of these, Error (TONNX_FILE) for a file that cannot be read.
void add_input(Args& args, const std::string& text, std::uint64_t seed);

// The bytes of a tensor of these sizes, none of them negative; nothing where they do not fit in 63 bits.
std::optional<std::size_t> byte_count(const std::vector<std::int64_t>& dims, tonnx_dtype dtype);

// A NumPy .npy file, format 1.0 to 3.0, C or Fortran order, little-endian. Throws Error (TONNX_FILE), which names the
// file and what is wrong with it.
Tensor read_npy(const std::string& path);

}  // namespace tonnx::cli
