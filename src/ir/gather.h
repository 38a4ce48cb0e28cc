#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tonnx::ir {

// Copies elements [begin, end), in row-major order, of the strided array whose element 0 lies at `source` to `out`,
// contiguously. Strides count elements of `element_size` bytes. Contiguous runs are copied whole, transposed layouts in
// tiles. No alignment is asked of either address.
void gather(const std::byte* source, std::size_t element_size, std::span<const std::int64_t> dims,
            std::span<const std::int64_t> strides, std::int64_t begin, std::int64_t end, std::byte* out);

}  // namespace tonnx::ir
