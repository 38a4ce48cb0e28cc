// The functional twins of writing tensor operators.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

#include "program/memory.h"

namespace tonnx::program {

using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Schema;
using ir::Type;
using ir::Value;

namespace {

using Names = std::unordered_set<std::string_view>;

// Twins whose result has self's dtype whatever the other operands are.
const Names kKeepsDtype = {
    "aten::masked_fill",  "aten::masked_scatter", "aten::index_put",   "aten::index_fill",   "aten::index_add",
    "aten::index_copy",   "aten::index_reduce",   "aten::scatter",     "aten::scatter_add",  "aten::scatter_reduce",
    "aten::relu",         "aten::relu6",          "aten::hardtanh",    "aten::leaky_relu",   "aten::elu",
    "aten::dropout",      "aten::tril",           "aten::triu",        "aten::uniform",      "aten::bernoulli",
    "aten::normal_functional", "aten::random",    "aten::exponential", "aten::put",          "aten::fill_diagonal"};
const Names kComparisons = {"aten::eq", "aten::ne", "aten::lt", "aten::le", "aten::gt", "aten::ge",
                            "aten::logical_and", "aten::logical_or", "aten::logical_xor", "aten::logical_not"};

constexpr std::string_view kTo = "aten::to.dtype";
constexpr std::string_view kToOther = "aten::to.other";
constexpr std::string_view kFullLike = "aten::full_like";
constexpr std::string_view kZerosLike = "aten::zeros_like";
constexpr std::string_view kExpandAs = "aten::expand_as";

// `value` as self's dtype; `self` is what self reads now.
Value* cast(Inserter& insert, Value* value, DType dtype, Value* self) {
  if (dtype != DType::Undefined) return insert.call(kTo, {value, insert.integer(static_cast<std::int64_t>(dtype))});
  return insert.call(kToOther, {value, self});
}

bool same_dims(const Facts& a, const Facts& b) {
  return a.dims && b.dims && a.dims->size() == b.dims->size() &&
         std::equal(a.dims->begin(), a.dims->end(), b.dims->begin(),
                    [](const ir::Dim& x, const ir::Dim& y) { return x.same(y); });
}

Value* as_content_of(Inserter& insert, Value* value, const Facts& facts, const Facts& self_facts, Value* self) {
  if (facts.dtype == DType::Undefined || facts.dtype != self_facts.dtype)
    value = cast(insert, value, self_facts.dtype, self);
  return same_dims(facts, self_facts) ? value : insert.call(kExpandAs, {value, self});
}

std::string twin_name(const Node& node) {
  static const std::unordered_map<std::string_view, std::string_view> special = {
      {"aten::normal_", "aten::normal_functional"}, {"aten::_index_put_impl_", "aten::index_put"}};
  const std::string& kind = node.kind();
  if (const auto found = special.find(kind); found != special.end()) return std::string(found->second);
  const std::size_t colon = kind.find("::") + 2;
  const std::string_view op = node.op();
  if (op.starts_with("__i") && op.ends_with("__")) return kind.substr(0, colon) + "__" + std::string(op.substr(3));
  if (op.ends_with("_") && !op.ends_with("__")) return kind.substr(0, kind.size() - 1);
  return {};
}

// The overload of the functional form of an out= operator.
std::string functional_overload(const Schema& schema) {
  const std::string& overload = schema.overload;
  if (overload.ends_with("_out")) return overload.substr(0, overload.size() - 4);
  const int other = schema.index_of("other");
  const bool binary = schema.name == "aten::add" || schema.name == "aten::sub" || schema.name == "aten::mul" ||
                      schema.name == "aten::div";
  return other >= 0 && binary ? "Tensor" : "";
}

// May the twin's result have another dtype than self?
bool may_promote(const Node& node, std::size_t written, const std::string& name) {
  const DType self = node.input(written)->facts().dtype;
  if (kKeepsDtype.contains(name)) return false;
  if (kComparisons.contains(name)) return self != DType::Bool;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (i == written) continue;
    const Value* in = node.input(i);
    const bool holds_tensor = in->type().is(Type::Kind::Tensor) || in->type().is(Type::Kind::List) ||
                              in->type().is(Type::Kind::Optional);
    if (!holds_tensor || (in->constant() && in->constant()->is_none())) continue;
    if (!in->type().is(Type::Kind::Tensor)) {
      if (in->type().is(Type::Kind::List) && !in->type().is_tensor_list()) continue;
      return true;
    }
    if (self == DType::Undefined || in->facts().dtype != self) return true;
  }
  return false;
}

}  // namespace

bool changes_shape_only(const Node& node) {
  static const Names names = {"aten::squeeze_",  "aten::unsqueeze_", "aten::t_", "aten::transpose_",
                              "aten::swapaxes_", "aten::swapdims_"};
  return names.contains(node.kind());
}

bool is_identity_write(const Node& node) {
  return node.is("aten::detach_") || node.is("aten::requires_grad_") || node.is("aten::rename_");
}

Value* functional_twin(Node& node, std::size_t written, std::vector<Value*> inputs, Inserter& insert) {
  const Facts self_facts = node.input(written)->facts();
  Value* self = inputs[written];
  const std::string& kind = node.kind();
  if (kind == "aten::copy_" || (kind == "aten::fill_" && node.input(1)->type().is(Type::Kind::Tensor))) {
    if (node.input(1)->type().is(Type::Kind::Tensor))
      return as_content_of(insert, inputs[1], node.input(1)->facts(), self_facts, self);
    return insert.call(kFullLike, {self, inputs[1]});
  }
  if (kind == "aten::fill_") return insert.call(kFullLike, {self, inputs[1]});
  if (kind == "aten::zero_") return insert.call(kZerosLike, {self});
  static const Names refused = {"aten::set_", "aten::resize_", "aten::resize_as_", "aten::as_strided_",
                                "aten::swap_", "aten::sparse_resize_"};
  if (refused.contains(kind)) throw refusal(node, "changes the memory behind a tensor, which has no ONNX form");

  const Schema& schema = *node.schema();
  const bool is_out = schema.arguments[written].name == "out";
  const std::string name = is_out ? kind : twin_name(node);
  if (name.empty() || (!is_out && written != 0))
    throw refusal(node, "writes to its argument " + schema.arguments[written].name + " and has no functional form");
  auto twin_schema = std::make_shared<Schema>(schema);
  twin_schema->name = name;
  if (is_out) {
    twin_schema->overload = functional_overload(schema);
    twin_schema->arguments.erase(twin_schema->arguments.begin() + static_cast<std::ptrdiff_t>(written));
    inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(written));
  } else if (name == "aten::bernoulli" && schema.overload == "float") {
    twin_schema->overload = "p";
  } else if (name == "aten::pow" || name == "aten::float_power") {
    twin_schema->overload = "Tensor_" + schema.overload;  // aten::pow.Scalar is a number to the power of a tensor
  }
  if (kind == "aten::_index_put_impl_" && inputs.size() == 5) {
    twin_schema->arguments.pop_back();
    inputs.pop_back();
  }
  for (ir::Argument& argument : twin_schema->arguments)
    if (argument.is_write || argument.alias_set != "*") argument.is_write = false, argument.alias_set.clear();
  for (ir::Argument& result : twin_schema->returns) {
    result.is_write = false;
    result.alias_set.clear();
  }
  Node* twin = node.graph().create(name, inputs, 1);
  twin->set_schema(std::move(twin_schema));
  twin->output()->set_type(Type::of(Type::Kind::Tensor));
  insert.insert(twin);
  Value* now = twin->output();
  return may_promote(node, written, name) ? cast(insert, now, self_facts.dtype, self) : now;
}

}  // namespace tonnx::program
