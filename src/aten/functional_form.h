#pragma once

#include <cstddef>

#include "ir/schema.h"

namespace tonnx::aten {

// The operator that returns what a writing operator would write.
struct FunctionalForm {
  ir::SchemaPtr schema;       // null: there is none
  std::size_t arguments = 0;  // how many arguments of the writing operator it takes, not counting an out= argument
};

// The functional form of an operator that writes only to its argument `written`: aten::add.Tensor for
// "aten::add_.Tensor" and "aten::add.out". It is the overload with the same arguments. If the table has none, a schema
// is derived from the writing one by LibTorch's naming rules, so that operators of other libraries have a functional
// form too.
FunctionalForm functional_form(const ir::Schema& schema, std::size_t written);

// The overload that returns the new values of an operator's last `written` arguments instead of writing to them:
// aten::sort for "aten::sort.values". Null if there is none.
ir::SchemaPtr functional_form_of_outs(const ir::Schema& schema, std::size_t written);

}  // namespace tonnx::aten
