#include "exported/call_spec.h"

#include <algorithm>
#include <optional>
#include <span>

#include "exported/document_error.h"
#include "exported/leaf_values.h"
#include "exported/tree.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Code;
using ir::Constant;
using ir::Error;

namespace {

const std::string kInputs = "the example inputs do not fit the program: ";
const std::string kOutputs = "the results do not fit the program: ";

[[noreturn]] void misfit(const std::string& text) { throw Error(Code::Argument, kInputs + text); }

// The name of a value of the program; null for a fixed argument.
const Json* name_of(const Json& argument) {
  const Tagged kind = tagged(argument);
  for (const char* key : {"name", "as_name"})
    if (kind.value->is_object())
      if (const Json* found = kind.value->find(key)) return found;
  return nullptr;
}

const Json& signature_of(const Json& module) {
  for (const Json& entry : module.at("module_call_graph"))
    if (entry.at("fqn") == kRootModule && !entry.at("signature").is_null()) return entry.at("signature");
  throw DocumentError("the argument trees are missing");
}

JsonDocument tree_in(const Json& signature, const char* key) { return JsonDocument(signature.at(key).string()); }

void take(Leaf& leaf, std::span<ir::Value* const> values, std::size_t index) {
  if (index >= values.size()) throw DocumentError("the argument trees do not match the inputs and outputs");
  leaf.type = values[index]->type();
  leaf.facts = values[index]->facts();
}

std::optional<std::int64_t> fixed_number(const ir::RawProgram& program, const std::string& name) {
  const auto found = program.numbers.find(name);
  return found == program.numbers.end() ? std::nullopt : found->second.constant();
}

// Reads the members of all nodes, which throws JsonError if one is missing: they are read again when values are placed.
void check_members(const Json& node) {
  if (node.at("type").is_null()) return;
  static_cast<void>(child_names(node));
  static_cast<void>(absent_names(node));
  for (const Json& child : node.at("children_spec")) check_members(child);
}

void check(const LeafTree& tree) {
  check_members(tree.root());
  if (leaf_count(tree.root()) != tree.leaves.size())
    throw DocumentError("the argument trees do not match the inputs and outputs");
}

}  // namespace

CallSpec::CallSpec(const Json& module, const ir::RawProgram& program) {
  read_inputs(module, program);
  read_outputs(module, *program.graph);
}

void CallSpec::read_inputs(const Json& module, const ir::RawProgram& program) {
  const Json& signature = signature_of(module);
  inputs_.text = tree_in(signature, "in_spec");
  if (const Json* names = signature.find("forward_arg_names"); names && names->is_array())
    parameters_ = names->get<std::vector<std::string>>();
  std::size_t values = 0;
  for (const Json& spec : module.at("signature").at("input_specs")) {
    const Tagged t = tagged(spec);
    Leaf leaf;
    if (t.is("constant_input")) {
      leaf = {t.value->at("name").get<std::string>(), true, JsonDocument(t.value->at("value")), {}, {}};
    } else if (t.is("user_input")) {
      const Json& argument = t.value->at("arg");
      if (const Json* name = name_of(argument)) {
        leaf.name = name->get<std::string>();
        const auto number = fixed_number(program, leaf.name);
        leaf.fixed = number.has_value();
        if (number)
          leaf.value = JsonDocument("{\"as_int\": " + std::to_string(*number) + "}");
        else
          take(leaf, program.graph->inputs(), values++);
      } else {
        leaf.fixed = true;
        leaf.value = JsonDocument(argument);
      }
    } else {
      continue;
    }
    inputs_.leaves.push_back(std::move(leaf));
  }
  check(inputs_);
  if (inputs_.root().at("children_spec").size() != 2)
    throw DocumentError("the argument trees are not those of positional and keyword arguments");
}

void CallSpec::read_outputs(const Json& module, const ir::Graph& program) {
  outputs_.text = tree_in(signature_of(module), "out_spec");
  std::size_t values = 0;
  for (const Json& spec : module.at("signature").at("output_specs")) {
    const Tagged t = tagged(spec);
    if (!t.is("user_output") && !t.is("loss_output")) continue;
    const Json& argument = t.value->at("arg");
    const Tagged kind = tagged(argument);
    Leaf leaf;
    leaf.name = std::to_string(outputs_.leaves.size());
    leaf.fixed = t.is("user_output") && (kind.is("as_none") || kind.is("as_string"));
    if (leaf.fixed)
      leaf.value = JsonDocument(argument);
    else
      take(leaf, program.outputs(), values++);
    outputs_.leaves.push_back(std::move(leaf));
  }
  check(outputs_);
}

void CallSpec::assign(const ir::Arguments& arguments, Given& given) const {
  const Json& children = inputs_.root().at("children_spec").at(0).at("children_spec");
  if (arguments.positional.size() > children.size())
    misfit(std::to_string(arguments.positional.size()) + " positional arguments, but the program takes " +
           std::to_string(children.size()));
  Given found;
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    if (!flatten(children[i], arguments.positional[i], found))
      misfit("argument " + std::to_string(i) + " has another structure than in the exported program");
  std::copy(found.begin(), found.end(), given.begin());
  for (const auto& [name, value] : arguments.keywords) place_keyword(name, value, given);
}

void CallSpec::place_keyword(const std::string& name, const Constant& value, Given& given) const {
  const Json& positional = inputs_.root().at("children_spec").at(0).at("children_spec");
  const Json& dict = inputs_.root().at("children_spec").at(1);
  const Json& keywords = dict.at("children_spec");
  const std::vector<std::string> keys = child_names(dict);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < positional.size() + keywords.size(); ++i) {
    const bool is_keyword = i >= positional.size();
    const Json& tree = is_keyword ? keywords[i - positional.size()] : positional[i];
    const std::string* own = is_keyword && i - positional.size() < keys.size() ? &keys[i - positional.size()]
                             : i < parameters_.size()                          ? &parameters_[i]
                                                                               : nullptr;
    const std::size_t count = leaf_count(tree);
    if (own && *own == name) {
      Given found;
      if (!flatten(tree, value, found)) misfit("'" + name + "' has another structure than in the exported program");
      std::copy(found.begin(), found.end(), given.begin() + static_cast<std::ptrdiff_t>(begin));
      return;
    }
    begin += count;
  }
  const auto leaf =
      std::find_if(inputs_.leaves.begin(), inputs_.leaves.end(), [&](const Leaf& l) { return l.name == name; });
  if (leaf != inputs_.leaves.end()) {
    given[static_cast<std::size_t>(leaf - inputs_.leaves.begin())] = &value;
    return;
  }
  std::string known;
  for (const Leaf& l : inputs_.leaves)
    if (!l.name.empty()) known += (known.empty() ? "'" : ", '") + l.name + "'";
  misfit("it has no input '" + name + "', only " + (known.empty() ? "inputs without names" : known));
}

std::vector<ir::Tensor> CallSpec::inputs(const ir::Arguments& arguments) const {
  Given given(inputs_.leaves.size());
  assign(arguments, given);
  return tensors_of(inputs_.leaves, given, kInputs);
}

std::vector<ir::Tensor> CallSpec::outputs(const Constant& result) const {
  Given given;
  if (!flatten(outputs_.root(), result, given))
    throw Error(Code::Argument, kOutputs + "their structure differs from that of the program's results");
  return tensors_of(outputs_.leaves, given, kOutputs);
}

std::string CallSpec::json(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) const {
  JsonWriter writer;
  LeafWriter given(inputs_, inputs, "input", writer);
  const Json& both = inputs_.root().at("children_spec");
  writer.begin_object().key("positional");
  given.write(both.at(0));
  writer.key("keywords");
  given.write(both.at(1));
  writer.key("result");
  LeafWriter(outputs_, outputs, "output", writer).write(outputs_.root());
  if (!parameters_.empty()) writer.member("parameters", parameters_);
  return writer.end_object().text();
}

}  // namespace tonnx::exported
