#include "exported/leaf_values.h"

#include "exported/graph_reader.h"
#include "exported/tree.h"
#include "ir/dtype.h"
#include "ir/error.h"
#include "ir/text.h"

namespace tonnx::exported {

using ir::Code;
using ir::Constant;
using ir::Error;
using ir::Type;

std::string text_of(const ir::Facts& facts) {
  if (!facts.dims) return std::string(ir::name_of(facts.dtype));
  return std::string(ir::name_of(facts.dtype)) + "[" +
         ir::comma_list(*facts.dims, [](const ir::Dim& dim) { return ir::text_of(dim); }) + "]";
}

namespace {

ir::Facts facts_of(const ir::Tensor& tensor) {
  ir::Facts facts;
  facts.dtype = tensor.dtype;
  facts.dims.emplace(tensor.dims.begin(), tensor.dims.end());
  return facts;
}

bool fits(const ir::Tensor& tensor, const ir::Facts& facts) {
  if (tensor.dtype != facts.dtype) return false;
  if (!facts.dims) return true;
  if (tensor.dims.size() != facts.dims->size()) return false;
  for (std::size_t d = 0; d < tensor.dims.size(); ++d)
    if ((*facts.dims)[d].is_fixed() && (*facts.dims)[d].size() != tensor.dims[d]) return false;
  return true;
}

ir::Tensor as_tensor(const Constant& given, const Leaf& leaf, const std::string& what) {
  const auto* tensor = given.get<ir::Tensor>();
  switch (leaf.type.kind) {
    case Type::Kind::Int:
      if (const auto* number = given.get<std::int64_t>()) return ir::Tensor::scalar(ir::DType::Int64, *number);
      break;
    case Type::Kind::Bool:
      if (const auto* flag = given.get<bool>()) return ir::Tensor::scalar(ir::DType::Bool, std::int64_t{*flag});
      break;
    case Type::Kind::Float:
      if (given.get<double>() || given.get<std::int64_t>())
        return ir::Tensor::scalar(ir::DType::Float64, given.as_double());
      break;
    default:
      if (tensor && fits(*tensor, leaf.facts)) return *tensor;
  }
  if (tensor && leaf.type.is_scalar() && tensor->dims.empty() && tensor->dtype == leaf.facts.dtype) return *tensor;
  throw Error(Code::Argument, what + "'" + leaf.name + "' is " +
                                  (tensor ? text_of(facts_of(*tensor)) : ir::to_string(given)) +
                                  ", but the program has " + text_of(leaf.facts));
}

void check_fixed(const Constant& given, const Leaf& leaf, const std::string& what) {
  const std::string fixed = ir::to_string(constant_of(leaf.value.root()));
  if (ir::to_string(given) == fixed) return;
  throw Error(Code::Argument, what + "'" + leaf.name + "' is " + ir::to_string(given) +
                                  ", but the program was exported with the fixed value " + fixed +
                                  "; export it with the new value");
}

}  // namespace

std::vector<ir::Tensor> tensors_of(const std::vector<Leaf>& leaves, const std::vector<const Constant*>& given,
                                   const std::string& what) {
  std::vector<ir::Tensor> tensors;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Leaf& leaf = leaves[i];
    if (leaf.fixed) {
      if (given[i]) check_fixed(*given[i], leaf, what);
      continue;
    }
    if (!given[i]) throw Error(Code::Argument, what + "'" + leaf.name + "' is missing");
    tensors.push_back(as_tensor(*given[i], leaf, what));
  }
  return tensors;
}

void LeafWriter::write(const Json& node) {
  const Json& type = node.at("type");
  if (type.is_null()) return write(leaves_.at(leaf_++));
  constexpr std::string_view kBuiltin = "builtins.";
  std::string kind = type.get<std::string>();
  if (kind.starts_with(kBuiltin)) kind = kind.substr(kBuiltin.size());
  const Json& children = node.at("children_spec");
  std::vector<std::string> keys = child_names(node);
  const std::vector<std::string> absent = absent_names(node);
  keys.insert(keys.end(), absent.begin(), absent.end());
  writer_.begin_object().member("kind", kind);
  if (!keys.empty() || (children.empty() && kind != "tuple" && kind != "list")) writer_.member("names", keys);
  writer_.key("items").begin_array();
  for (const Json& child : children) write(child);
  for (std::size_t i = 0; i < absent.size(); ++i) writer_.begin_object().member("fixed", nullptr).end_object();
  writer_.end_array().end_object();
}

void LeafWriter::write(const Leaf& leaf) {
  writer_.begin_object();
  if (leaf.fixed) {
    const Tagged value = tagged(leaf.value.root());
    writer_.key("fixed");
    if (value.is("as_none"))
      writer_.value(nullptr);
    else
      writer_.value(*value.value);
  } else {
    writer_.member(key_, names_.at(value_++));
    if (ir::is_complex(leaf.facts.dtype)) writer_.member("complex", true);
  }
  writer_.end_object();
}

}  // namespace tonnx::exported
