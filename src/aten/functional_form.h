#pragma once

#include <cstddef>

#include "ir/schema.h"

namespace tonnx::aten {

// The operator that gives what a writing operator would write.
struct FunctionalForm {
  ir::SchemaPtr schema;       // null: there is none
  std::size_t arguments = 0;  // how many of the writing operator's it takes, counted without an out= argument
};

// The functional form of an operator that writes to its argument `written` alone: "aten::add_.Tensor" and
// "aten::add.out" have aten::add.Tensor. It is the overload of the same arguments; where the table has none, a schema
// is made of the writing one by LibTorch's rules of naming, so that operators of other libraries have one, too.
FunctionalForm functional_form(const ir::Schema& schema, std::size_t written);

// The overload that gives as results what an operator would write to the last of its arguments, `written` in number,
// each of which it returns: "aten::sort.values" has aten::sort. Null: there is none.
ir::SchemaPtr functional_form_of_outs(const ir::Schema& schema, std::size_t written);

}  // namespace tonnx::aten
