#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tonnx.hpp"

namespace tonnx::cli {

// Writes named arrays as NumPy's .npz: an uncompressed zip file with an entry NAME.npy for each. It is written under a
// temporary name and then renamed, so that a failure leaves an existing file unchanged. Throws Error(TONNX_STATUS_FILE)
// if the file cannot be written, and Error(TONNX_STATUS_UNSUPPORTED) for a dtype that NumPy lacks, more than 65535
// arrays, a name of more than 65531 bytes, or more than 4 GiB.
void write_npz(const std::string& path, const std::vector<std::pair<std::string, Tensor>>& arrays);

// A dtype in NumPy's notation, "<f4"; "" if NumPy lacks it.
std::string npy_descr(tonnx_dtype dtype);

}  // namespace tonnx::cli
