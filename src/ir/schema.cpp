#include "ir/schema.h"

#include <string_view>

namespace tonnx::ir {

int Schema::index_of(std::string_view argument) const {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == argument) return static_cast<int>(i);
  return -1;
}

}  // namespace tonnx::ir
