#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace tonnx::ir {

// Copies elements [begin, end), in row-major order, of the strided array whose element 0 is at `source` to `out`,
// contiguously. Strides count elements of `element_size` bytes. Contiguous runs are copied whole, transposed layouts in
// tiles. Neither address needs alignment.
//
// If `done` is not null, it is called for each span of the source that was read, a few MB each; a span may be read
// again later. With it, the caller can release pages of a mapped file and bound the memory used.
using Done = std::function<void(const std::byte* begin, const std::byte* end)>;
void gather(const std::byte* source, std::size_t element_size, std::span<const std::int64_t> dims,
            std::span<const std::int64_t> strides, std::int64_t begin, std::int64_t end, std::byte* out,
            const Done& done = {});

}  // namespace tonnx::ir
