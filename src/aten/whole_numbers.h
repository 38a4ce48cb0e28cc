#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tonnx::aten {

// The result of an operator ("aten::add") on integers and bools (0 or 1): sums, products, comparisons, logic. Nullopt
// for other operators. The caller must exclude operands beyond 32 bits. Thread-safe.
std::optional<std::int64_t> whole_number(std::string_view kind, std::span<const std::int64_t> operands);

}  // namespace tonnx::aten
