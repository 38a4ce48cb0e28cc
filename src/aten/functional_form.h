#pragma once

#include <cstddef>
#include <vector>

#include "ir/schema.h"

namespace tonnx::aten {

// The operator that returns what a writing operator would write.
struct FunctionalForm {
  static constexpr auto kDefault = static_cast<std::size_t>(-1);

  ir::SchemaPtr schema;  // null: there is none
  // For each argument of the schema: the argument of the writing operator, or kDefault for its default value.
  std::vector<std::size_t> arguments = {};
};

// The functional form of an operator that writes only to its argument `written`: aten::add.Tensor for
// "aten::add_.Tensor" and "aten::add.out". It is the overload with the same arguments, else one that has them in
// another order (aten::polygamma) or has further ones with default values (aten::zeros for "aten::zeros.out"). If the
// table has none, a schema is derived from the writing one by LibTorch's naming rules, so that operators of other
// libraries have a functional form too.
FunctionalForm functional_form(const ir::Schema& schema, std::size_t written);

// The overload that returns the new values of an operator's last `written` arguments instead of writing to them:
// aten::sort for "aten::sort.values". Null if there is none.
ir::SchemaPtr functional_form_of_outs(const ir::Schema& schema, std::size_t written);

}  // namespace tonnx::aten
