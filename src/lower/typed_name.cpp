#include "lower/typed_name.h"

#include "aten/containers.h"
#include "ir/dtype.h"

namespace tonnx::lower {
namespace {

constexpr std::string_view kComplex = "complex";

ir::DType dtype_of_first(const ir::Node& node) {
  for (const ir::Value* in : node.inputs()) {
    if (in->type().is(ir::Type::Kind::Tensor)) return in->facts().dtype;
    if (in->type().is_tensor_list() && in->node() && aten::acts_as(*in->node(), aten::Container::List) &&
        in->node()->input_count() > 0)
      return in->node()->input(0)->facts().dtype;
  }
  return ir::DType::Undefined;
}

}  // namespace

std::string_view dtype_in(std::string_view name) {
  const std::size_t open = name.find('<');
  if (open == std::string_view::npos || name.back() != '>') return {};
  return name.substr(open + 1, name.size() - open - 2);
}

bool is_dtype_text(std::string_view text) { return text == kComplex || ir::dtype_from_name(text).has_value(); }

bool serves(std::string_view name, const ir::Node& node) {
  const std::string_view wanted = dtype_in(name);
  if (wanted.empty()) return true;
  const ir::DType dtype = dtype_of_first(node);
  return wanted == kComplex ? ir::is_complex(dtype) : ir::dtype_from_name(wanted) == dtype;
}

}  // namespace tonnx::lower
