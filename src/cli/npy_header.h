#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tonnx::cli {

// What a .npy file says of its array.
struct NpyHeader {
  std::string descr;  // the dtype as NumPy writes it: "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t end = 0;  // offset of the data in the file
};

// What is wrong with a .npy file, without its name.
struct NpyFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads the header of a .npy file of format 1.0 to 3.0 from the file's bytes. The sizes are not negative. Throws
// NpyFault where the bytes are not such a file, the header has more than 64 KiB, a dtype has fields, or a size does not
// fit in 64 bits.
NpyHeader parse_npy_header(std::string_view file);

}  // namespace tonnx::cli
