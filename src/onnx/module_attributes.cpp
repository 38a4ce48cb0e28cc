#include "onnx/module_attributes.h"

#include <algorithm>
#include <string_view>

#include "ir/class_name.h"

namespace tonnx::onnx {
namespace {

constexpr const char* kInferred = "inferred::";

// The attributes of all nodes of a body in which calls may differ, nested ones included, in the order of the nodes.
std::vector<pb::AttributeProto*> open_attributes(pb::FunctionProto& function) {
  using Proto = pb::AttributeProto;
  static const std::set<int> kTypes{Proto::FLOAT,  Proto::INT,  Proto::STRING, Proto::TENSOR,
                                    Proto::FLOATS, Proto::INTS, Proto::STRINGS};
  std::vector<pb::AttributeProto*> attributes;
  change_nodes(*function.mutable_node(), [&](pb::NodeProto& node) {
    for (pb::AttributeProto& attribute : *node.mutable_attribute())
      if (kTypes.contains(attribute.type())) attributes.push_back(&attribute);
  });
  return attributes;
}

// Removes the value, but not its type: the dtype and shape of a tensor, or that the attribute is a list.
void clear_value(pb::AttributeProto& attribute) {
  pb::AttributeProto cleared;
  cleared.set_name(attribute.name());
  cleared.set_type(attribute.type());
  if (attribute.has_t()) {
    cleared.mutable_t()->set_data_type(attribute.t().data_type());
    *cleared.mutable_t()->mutable_dims() = attribute.t().dims();
  }
  attribute = std::move(cleared);
}

// The form of a function: equal for calls that can share it.
std::string form_of(pb::FunctionProto function) {
  for (pb::AttributeProto* attribute : open_attributes(function)) clear_value(*attribute);
  return function.SerializeAsString();
}

// True for domains of ONNX and ONNX Runtime, whose operators a function would hide.
bool is_reserved(std::string_view domain) {
  constexpr std::string_view kReserved[] = {"ai.onnx", "com.microsoft", "com.ms", "onnx", "org.pytorch.aten", "prim"};
  return std::ranges::any_of(kReserved, [&](std::string_view reserved) {
    return domain.starts_with(reserved) && (domain.size() == reserved.size() || domain[reserved.size()] == '.');
  });
}

std::string call_text(const std::string& type, std::size_t index) { return type + "#" + std::to_string(index); }

std::size_t index_in(const pb::NodeProto& call) {
  return std::stoul(call.op_type().substr(call.op_type().rfind('#') + 1));
}

}  // namespace

std::string CallFunctions::add(pb::FunctionProto function, const std::string& type,
                               std::vector<pb::AttributeProto> attributes) {
  Call& call = calls_.emplace_back();
  visit_nodes(function.node(), [&](const pb::NodeProto& node) {
    if (node.domain() == kModuleDomain) call.height = std::max(call.height, called_by(node).height + 1);
  });
  call.function = std::move(function);
  call.function.set_domain(kModuleDomain);
  call.type = type;
  for (const pb::AttributeProto& attribute : attributes) call.function.add_attribute(attribute.name());
  call.arguments = std::move(attributes);
  return call_text(type, calls_.size() - 1);
}

CallFunctions::Call& CallFunctions::called_by(const pb::NodeProto& node) { return calls_.at(index_in(node)); }

// Sets the group of the function that a call calls, and its attributes.
void CallFunctions::complete(pb::NodeProto& node) {
  if (node.domain() != kModuleDomain) return;
  const Call& called = called_by(node);
  node.set_op_type(call_text(called.type, called.group));
  for (const pb::AttributeProto& argument : called.arguments) *node.add_attribute() = argument;
}

void CallFunctions::group_calls(std::size_t height) {
  const std::size_t first = groups_.size();
  std::map<std::pair<std::string, std::string>, std::size_t> by_form;  // class and form -> group
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Call& call = calls_[i];
    if (call.height != height) continue;
    change_nodes(*call.function.mutable_node(), [&](pb::NodeProto& node) { complete(node); });
    const auto [known, is_new] = by_form.try_emplace({call.type, form_of(call.function)}, groups_.size());
    if (is_new) groups_.emplace_back();
    call.group = known->second;
    groups_[call.group].calls.push_back(i);
  }
  for (std::size_t i = first; i < groups_.size(); ++i) find_attributes(groups_[i]);
}

// Replaces the values in which the calls differ by attributes of the first call's function.
void CallFunctions::find_attributes(const Group& group) {
  std::vector<std::vector<pb::AttributeProto*>> values;  // of each call
  for (const std::size_t i : group.calls) values.push_back(open_attributes(calls_[i].function));
  std::map<std::vector<std::string>, std::string> known;  // values of an attribute in all calls -> name
  std::set<std::string> used;
  for (std::size_t at = 0; at < values.front().size(); ++at) {
    std::vector<std::string> texts;
    for (const auto& of_call : values) texts.push_back(of_call[at]->SerializeAsString());
    if (std::ranges::all_of(texts, [&](const std::string& text) { return text == texts.front(); })) continue;
    pb::AttributeProto& first = *values.front()[at];
    std::string& name = known[texts];
    if (name.empty()) {
      const std::string wanted = first.name().starts_with(kInferred) ? first.name() : kInferred + first.name();
      name = wanted;
      for (std::size_t times = 1; !used.insert(name).second; ++times) name = wanted + "_" + std::to_string(times);
      for (std::size_t i = 0; i < group.calls.size(); ++i) {
        pb::AttributeProto& argument = calls_[group.calls[i]].arguments.emplace_back(*values[i][at]);
        argument.set_name(name);
      }
      calls_[group.calls.front()].function.add_attribute(name);
    }
    pb::AttributeProto reference;
    reference.set_name(first.name());
    reference.set_type(first.type());
    reference.set_ref_attr_name(name);
    first = std::move(reference);
  }
}

// The class in the domain of its Python module, and a number if several groups are of one class, or an operator of the
// model has this name.
void CallFunctions::name_groups(const pb::ModelProto& model) {
  std::set<std::pair<std::string, std::string>> names;
  const auto add = [&](const pb::NodeProto& node) { names.insert({node.domain(), node.op_type()}); };
  visit_nodes(model.graph().node(), add);
  for (const Call& call : calls_) visit_nodes(call.function.node(), add);
  for (const pb::FunctionProto& function : model.functions()) names.insert({function.domain(), function.name()});
  std::map<std::string, std::size_t> variants;
  for (Group& group : groups_) {
    const std::string& type = calls_[group.calls.front()].type;
    std::string name(ir::class_name(type));
    if (name.empty()) name = type;
    group.domain = ir::python_module(type);
    if (group.domain.empty() || is_reserved(group.domain)) group.domain = kModuleDomain;
    for (group.name = name; !names.insert({group.domain, group.name}).second;)
      group.name = name + "_" + std::to_string(++variants[type] + 1);
  }
}

// Replaces the import of the calls' common domain by those of the functions that are called.
void CallFunctions::import_domains(pb::FunctionProto& function) const {
  auto& imports = *function.mutable_opset_import();
  std::set<std::string> known, called;
  imports.erase(std::remove_if(imports.begin(), imports.end(),
                               [](const pb::OperatorSetIdProto& import) { return import.domain() == kModuleDomain; }),
                imports.end());
  for (const pb::OperatorSetIdProto& import : imports) known.insert(import.domain());
  visit_nodes(function.node(), [&](const pb::NodeProto& node) { called.insert(node.domain()); });
  for (const std::string& domain : called)
    if (!known.contains(domain)) add_opset(domain, 1, function);
}

void CallFunctions::merge(pb::ModelProto& model) {
  std::size_t highest = 0;
  for (const Call& call : calls_) highest = std::max(highest, call.height);
  for (std::size_t height = 0; height <= highest; ++height) group_calls(height);
  std::vector<std::size_t> order(groups_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return groups_[i].calls.front(); });
  std::vector<Group> sorted;
  std::vector<std::size_t> place(groups_.size());
  for (const std::size_t i : order) {
    place[i] = sorted.size();
    sorted.push_back(groups_[i]);
  }
  change_nodes(*model.mutable_graph()->mutable_node(), [&](pb::NodeProto& node) { complete(node); });
  groups_ = std::move(sorted);
  name_groups(model);
  std::set<std::string> imported;
  for (const pb::OperatorSetIdProto& import : model.opset_import()) imported.insert(import.domain());
  const auto set_name = [&](pb::NodeProto& node) {
    if (node.domain() != kModuleDomain) return;
    const Group& group = groups_[place[index_in(node)]];
    node.set_op_type(group.name);
    node.set_domain(group.domain);
  };
  change_nodes(*model.mutable_graph()->mutable_node(), set_name);
  for (const Group& group : groups_) {
    pb::FunctionProto& function = calls_[group.calls.front()].function;
    change_nodes(*function.mutable_node(), set_name);
    function.set_name(group.name);
    function.set_domain(group.domain);
    import_domains(function);
    *model.add_functions() = std::move(function);
    if (imported.insert(group.domain).second) add_opset(group.domain, 1, model);
  }
}

}  // namespace tonnx::onnx
