#include "ir/open_ranks.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tonnx::ir {
namespace {

constexpr const char* kOpenRanks = "open_ranks";  // attribute of the end of the graph

}  // namespace

void set_open_rank(Block& block, std::size_t output) {
  const auto* known = block.return_node()->attribute_as<std::vector<std::int64_t>>(kOpenRanks);
  std::vector<std::int64_t> outputs = known ? *known : std::vector<std::int64_t>();
  outputs.push_back(static_cast<std::int64_t>(output));
  block.return_node()->set_attribute(kOpenRanks, std::move(outputs));
}

bool has_open_rank(const Block& block, std::size_t output) {
  const auto* known = block.return_node()->attribute_as<std::vector<std::int64_t>>(kOpenRanks);
  return known && std::ranges::find(*known, static_cast<std::int64_t>(output)) != known->end();
}

}  // namespace tonnx::ir
