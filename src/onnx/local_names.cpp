#include "onnx/local_names.h"

#include "ir/error.h"

namespace tonnx::onnx {
namespace {

void add_names_read(const pb::GraphProto& graph, std::vector<std::string>& names) {
  std::unordered_set<std::string> own;
  for (const pb::ValueInfoProto& input : graph.input()) own.insert(input.name());
  const auto add = [&](const std::string& name) {
    if (!own.contains(name)) names.push_back(name);
  };
  for (const pb::NodeProto& node : graph.node()) {
    for (const std::string& name : names_read(node)) add(name);
    own.insert(node.output().begin(), node.output().end());
  }
  for (const pb::ValueInfoProto& output : graph.output()) add(output.name());
}

}  // namespace

std::vector<std::string> names_read(const pb::NodeProto& node) {
  std::vector<std::string> names;
  for (const std::string& input : node.input())
    if (!input.empty()) names.push_back(input);
  for (const pb::AttributeProto& attribute : node.attribute())
    if (attribute.has_g()) add_names_read(attribute.g(), names);
  return names;
}

const std::string& LocalNames::define(const std::string& outer, const std::string& wanted) {
  std::string name = wanted;
  while (!taken_.insert(name).second) name = wanted + "_" + std::to_string(++next_[wanted]);
  return names_[outer] = name;
}

const std::string& LocalNames::of(const std::string& outer) const {
  static const std::string none;
  if (outer.empty()) return none;
  const auto found = names_.find(outer);
  if (found == names_.end())
    throw ir::Error(ir::Code::Internal, "a function uses " + outer + ", which is not one of its inputs");
  return found->second;
}

void LocalNames::apply(pb::NodeProto& node) {
  for (std::string& input : *node.mutable_input()) input = of(input);
  for (pb::AttributeProto& attribute : *node.mutable_attribute())
    if (attribute.has_g()) apply(*attribute.mutable_g());
  for (std::string& output : *node.mutable_output())
    if (!output.empty()) output = define(output, node.op_type().substr(0, node.op_type().find('#')) + "_output");
  node.clear_name();
}

void LocalNames::apply(pb::GraphProto& graph) {
  for (pb::ValueInfoProto& input : *graph.mutable_input()) input.set_name(define(input.name(), "in"));
  for (pb::NodeProto& node : *graph.mutable_node()) apply(node);
  for (pb::ValueInfoProto& output : *graph.mutable_output()) output.set_name(of(output.name()));
  for (pb::ValueInfoProto& info : *graph.mutable_value_info()) info.set_name(of(info.name()));
}

}  // namespace tonnx::onnx
