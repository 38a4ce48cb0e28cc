#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tonnx::aten {

// What an operator ("aten::add") gives of whole numbers and of bools, which are 0 or 1: sums, products, comparisons,
// logic. Empty for others. Operands beyond 32 bits are the caller's to leave out. Thread-safe.
std::optional<std::int64_t> whole_number(std::string_view kind, std::span<const std::int64_t> operands);

}  // namespace tonnx::aten
