#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tonnx::cli {

// The header of a .npy file.
struct NpyHeader {
  std::string descr;  // the dtype in NumPy's notation: "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t end = 0;  // offset of the data in the file
};

// A problem of a .npy file, without its name.
struct NpyFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Parses the header of a .npy file of format 1.0 to 3.0. Sizes are not negative. Throws NpyFault if the bytes are not
// such a file, the header exceeds 64 KiB, a dtype has fields, or a size does not fit in 64 bits.
NpyHeader parse_npy_header(std::string_view file);

}  // namespace tonnx::cli
