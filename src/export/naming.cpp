#include "export/naming.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "export/utf8.h"
#include "ir/error.h"
#include "ir/weight_order.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;
using ir::Value;

class Namer {
 public:
  // The wanted name, or the wanted name with the next free "_N".
  std::string unique(const std::string& wanted) {
    check_utf8(wanted, "the name");
    if (taken_.insert(wanted).second) return wanted;
    std::int64_t& n = next_[wanted];
    for (;;) {
      std::string candidate = wanted + "_" + std::to_string(++n);
      if (taken_.insert(candidate).second) return candidate;
    }
  }

  void claim(const std::string& name, const char* what) {
    if (name.empty()) throw Error(Code::Argument, std::string("an ") + what + " name is empty");
    check_utf8(name, what + std::string(" name"));
    if (!taken_.insert(name).second)
      throw Error(Code::Argument, std::string(what) + " name '" + name + "' is used twice");
    claimed_.insert(name);
  }
  bool is_claimed(const std::string& name) const { return claimed_.contains(name); }

 private:
  std::unordered_set<std::string> taken_, claimed_;
  std::unordered_map<std::string, std::int64_t> next_;
};

std::string operator_name(const ir::Node& node) {
  std::string path = node.location().module_path();
  for (char& c : path)
    if (c == '.') c = '/';
  return "/" + (path.empty() ? "" : path + "/") + std::string(node.op());
}

void name_block(const ir::Block& block, Namer& nodes, Namer& values) {
  for (ir::Node* node : block.nodes()) {
    if (node->name().empty()) node->set_name(nodes.unique(operator_name(*node)));
    for (Value* out : node->outputs())
      if (out->name().empty()) out->set_name(values.unique(node->name() + "_output_" + std::to_string(out->index())));
    for (const ir::Block* inner : node->blocks()) {
      for (Value* in : inner->inputs())
        in->set_name(values.unique(in->name().empty() ? node->name() + "_in_" + std::to_string(in->index())
                                                      : in->name()));
      name_block(*inner, nodes, values);
    }
  }
}

}  // namespace

void check_utf8(std::string_view text, const std::string& what) {
  if (!is_utf8(text)) throw Error(Code::Argument, what + " '" + as_utf8(text) + "' is no text in UTF-8, which ONNX wants");
}

std::vector<std::string> wanted_names(Side side, std::span<Value* const> values, const std::vector<std::string>& chosen,
                                      const std::vector<std::string>& own) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& given = i < own.size() && !own[i].empty() ? own[i] : values[i]->name();
    if (i < chosen.size()) {
      names.push_back(chosen[i]);
    } else if (!given.empty()) {
      names.push_back(given);
    } else if (side == Side::Output && values.size() == 1) {
      names.emplace_back("output");
    } else {
      names.push_back((side == Side::Input ? "input_" : "output_") + std::to_string(i));
    }
  }
  return names;
}

std::vector<std::string> name_model(ir::Graph& model, const Options& options) {
  const auto& input_names = options.input_names;
  const auto& output_names = options.output_names;
  const std::size_t inputs = model.inputs().size(), outputs = model.outputs().size();

  const std::vector<Value*> ordered = ir::weights_in_order(model);
  if (input_names.size() > inputs + ordered.size())
    throw Error(Code::Argument, std::to_string(input_names.size()) + " input names are given for " +
                                    std::to_string(inputs) + " inputs and " + std::to_string(ordered.size()) +
                                    " weights");
  if (output_names.size() > outputs)
    throw Error(Code::Argument, std::to_string(output_names.size()) + " output names are given for " +
                                    std::to_string(outputs) + " outputs");

  Namer nodes, values;
  for (const std::string& name : input_names) values.claim(name, "input");
  for (const std::string& name : output_names) values.claim(name, "output");
  for (std::size_t i = 0; i < input_names.size(); ++i)
    (i < inputs ? model.inputs()[i] : ordered[i - inputs])->set_name(input_names[i]);
  std::unordered_set<const Value*> named;
  for (std::size_t i = 0; i < input_names.size(); ++i)
    named.insert(i < inputs ? model.inputs()[i] : ordered[i - inputs]);

  std::vector<std::string> warnings;
  const auto moved = [&](const std::string& what, const std::string& wanted, const std::string& name) {
    if (values.is_claimed(wanted))
      warnings.push_back("the " + what + " '" + wanted + "' is called '" + name +
                         "' in the model: another value was given its name");
    return name;
  };
  const std::vector<std::string> wanted_inputs = wanted_names(Side::Input, model.inputs(), input_names);
  for (std::size_t i = input_names.size(); i < inputs; ++i) {
    if (std::ranges::find(output_names, wanted_inputs[i]) != output_names.end())
      throw Error(Code::Argument, "output name '" + wanted_inputs[i] + "' is that of an input; name the input as well (option input_names)");
    model.inputs()[i]->set_name(moved("input", wanted_inputs[i], values.unique(wanted_inputs[i])));
  }
  for (Value* w : model.weights())
    if (!named.contains(w)) {
      const std::string wanted = w->name().empty() ? "weight" : w->name();
      w->set_name(moved("weight", wanted, values.unique(wanted)), w->has_made_up_name());
    }
  const std::vector<std::string> wanted_outputs = wanted_names(Side::Output, model.outputs(), output_names);
  for (std::size_t i = 0; i < outputs; ++i)
    model.outputs()[i]->set_name(i < output_names.size() ? output_names[i] : values.unique(wanted_outputs[i]));
  name_block(model.block(), nodes, values);
  return warnings;
}

}  // namespace tonnx::exporting
