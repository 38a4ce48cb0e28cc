#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace tonnx::ir {

// Copies elements [begin, end), in row-major order, of the strided array whose element 0 lies at `source` to `out`,
// contiguously. Strides count elements of `element_size` bytes. Contiguous runs are copied whole, transposed layouts in
// tiles. No alignment is asked of either address.
//
// `done`, if there is one, is told each span of the source that was read and the reading of which moves on: a few MB
// each, though it may come back to them. So memory stays bounded when the source is a mapped file.
using Done = std::function<void(const std::byte* begin, const std::byte* end)>;
void gather(const std::byte* source, std::size_t element_size, std::span<const std::int64_t> dims,
            std::span<const std::int64_t> strides, std::int64_t begin, std::int64_t end, std::byte* out,
            const Done& done = {});

}  // namespace tonnx::ir
