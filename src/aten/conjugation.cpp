#include "aten/conjugation.h"

#include "aten/traits.h"
#include "ir/dtype.h"

namespace tonnx::aten {

std::optional<bool> gives_itself(const ir::Node& node) {
  if (node.is("aten::conj_physical")) return !ir::is_complex(node.input()->facts().dtype);
  if (!node.is("aten::resolve_conj") && !node.is("aten::resolve_neg")) return true;
  for (const ir::Node* at = &node; at && at->schema() && at->input_count() > 0; at = at->input()->node())
    if (ir::is_complex(at->input()->facts().dtype)) return std::nullopt;
  return true;
}

}  // namespace tonnx::aten
