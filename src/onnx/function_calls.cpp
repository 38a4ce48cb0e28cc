#include "onnx/function_calls.h"

#include <algorithm>
#include <set>

#include "ir/error.h"
#include "ir/invalid_node.h"
#include "ir/text.h"
#include "onnx/infer.h"
#include "onnx/read_functions.h"

namespace tonnx::onnx {
namespace {

using Kind = ir::Function::Kind;

[[noreturn]] void refuse_call(const ir::Node& node, const std::string& reason) {
  throw ir::InvalidNode(reason + ": " + describe(node));
}

bool is_of_kind(const ir::Attribute& value, Kind kind) {
  switch (kind) {
    case Kind::Int: return std::holds_alternative<std::int64_t>(value);
    case Kind::Float: return std::holds_alternative<double>(value);
    case Kind::String: return std::holds_alternative<std::string>(value);
    case Kind::Ints: return std::holds_alternative<std::vector<std::int64_t>>(value);
    case Kind::Floats: return std::holds_alternative<std::vector<double>>(value);
    case Kind::Strings: return std::holds_alternative<std::vector<std::string>>(value);
    case Kind::Tensor: return std::holds_alternative<ir::Tensor>(value);
    case Kind::Any: return true;
    case Kind::Other: return false;
  }
  return false;
}

void check_call(const ir::Node& node, const ir::Function& function) {
  const std::string whose = "the function " + function.full_name() + " ";
  if (node.input_count() > function.inputs.size())
    refuse_call(node, whose + "takes " + ir::counted(function.inputs.size(), "input") + ", not " +
                          std::to_string(node.input_count()));
  if (node.output_count() > function.outputs.size())
    refuse_call(node, whose + "returns " + ir::counted(function.outputs.size(), "output") + ", not " +
                          std::to_string(node.output_count()));
  if (!node.blocks().empty()) refuse_call(node, whose + "takes no sub-graphs");
  for (const ir::NamedAttribute& given : node.attributes()) {
    const auto known = std::ranges::find(function.parameters, given.name, &ir::Function::Parameter::name);
    if (known == function.parameters.end()) refuse_call(node, whose + "has no attribute '" + given.name + "'");
    if (!is_of_kind(given.value, known->kind))
      refuse_call(node, whose + "needs its attribute '" + given.name + "' as another type");
  }
  for (const ir::Function::Parameter& parameter : function.parameters)
    if (!parameter.has_default && !node.attribute(parameter.name))
      refuse_call(node, whose + "needs the attribute '" + parameter.name + "'");
}

void clear_symbols(google::protobuf::RepeatedPtrField<pb::ValueInfoProto>& values) {
  for (pb::ValueInfoProto& value : values) {
    if (!value.type().tensor_type().has_shape()) continue;
    for (auto& dim : *value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
      if (dim.has_dim_param()) dim.Clear();
  }
}

// The symbols of the sub-graphs are not those of the model.
void clear_symbols(pb::FunctionProto& function) {
  change_nodes(*function.mutable_node(), [](pb::NodeProto& node) {
    for (pb::AttributeProto& attribute : *node.mutable_attribute()) {
      if (!attribute.has_g()) continue;
      pb::GraphProto& graph = *attribute.mutable_g();
      for (auto* values : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
        clear_symbols(*values);
    }
  });
}

}  // namespace

void set_opset(pb::FunctionProto& function, int opset) {
  for (pb::OperatorSetIdProto& import : *function.mutable_opset_import())
    if (import.domain().empty()) import.set_version(opset);
}

FunctionCalls::FunctionCalls(const ir::Functions& functions, int opset) {
  for (const auto& [name, function] : functions) {
    Entry& entry = entries_[name];
    entry.function = function;
    entry.body.ParseFromString(function->message);
    set_opset(entry.body, opset);
    clear_symbols(entry.body);
    by_id_[function->domain + ":" + function->name] = &entry.body;
  }
  std::set<std::string> seen;
  for (auto& [name, entry] : entries_) find_if_closed(name, seen);
}

bool FunctionCalls::find_if_closed(const std::string& name, std::set<std::string>& seen) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  if (seen.insert(name).second)
    for (const std::string& called : entry.function->operators)
      entry.is_closed = find_if_closed(called, seen) && entry.is_closed;
  return entry.is_closed;
}

bool FunctionCalls::infer(ir::Node& node, const ir::Opset& opset) const {
  const auto found = entries_.find(node.kind());
  if (found == entries_.end()) return false;
  const Entry& entry = found->second;
  if (const std::string why = misfit(*entry.function, opset.version()); !why.empty())
    throw ir::Error(ir::Code::Unsupported, why);
  check_call(node, *entry.function);
  while (node.output_count() < entry.function->outputs.size()) node.add_output();
  infer_call(node, entry.body, entry.is_closed, by_id_, opset);
  return true;
}

}  // namespace tonnx::onnx
