#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tonnx.hpp"

namespace tonnx::cli {

// Adds the keyword argument that an --input option describes: NAME=float32[1,3,224,224] with random elements (floats
// from the standard normal distribution, integers from [0, 10), random bools; reproducible for a seed); NAME=file.npy;
// a number, NAME=3, NAME=0.5, NAME=true; a string in quotes, NAME="text"; or NAME=none. Throws Error
// (TONNX_STATUS_ARGUMENT) if the text has none of these forms, Error (TONNX_STATUS_FILE) if a file cannot be read.
void add_input(Args& args, const std::string& text, std::uint64_t seed);

// Bytes of a tensor with these non-negative sizes; nullopt if they do not fit in 63 bits.
std::optional<std::size_t> byte_count(const std::vector<std::int64_t>& dims, tonnx_dtype dtype);

// Reads a NumPy .npy file: format 1.0 to 3.0, C or Fortran order, little-endian. Throws Error (TONNX_STATUS_FILE),
// which names the file and the problem.
Tensor read_npy(const std::string& path);

}  // namespace tonnx::cli
