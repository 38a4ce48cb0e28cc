#include "export/naming.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/error.h"
#include "ir/text.h"
#include "ir/utf8.h"
#include "ir/weight_order.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;
using ir::Value;

class Namer {
 public:
  // Returns the wanted name, or the wanted name with the next free "_N".
  std::string unique(const std::string& wanted) {
    check_utf8(wanted, "the name");
    if (taken_.insert(wanted).second) return wanted;
    std::int64_t& n = next_[wanted];
    for (;;) {
      std::string candidate = wanted + "_" + std::to_string(++n);
      if (taken_.insert(candidate).second) return candidate;
    }
  }

  // Reserves a name that the user chose.
  void claim(const std::string& name, const std::string& what) {
    check_utf8(name, what + " name");
    if (!taken_.insert(name).second) throw Error(Code::Argument, what + " name '" + name + "' is used twice");
    claimed_.insert(name);
  }
  // Reserves the name of a part of a quantised value whose name the user chose.
  void claim(const std::string& name, ir::Part part, const std::string& whole) {
    if (!taken_.insert(name).second)
      throw Error(Code::Argument, "name '" + name + "' is used twice: the " +
                                      (part == ir::Part::Scale ? "scale" : "zero point") + " of the quantised value '" +
                                      whole + "' has the same name; choose another one");
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
        in->set_name(
            values.unique(in->name().empty() ? node->name() + "_in_" + std::to_string(in->index()) : in->name()));
      name_block(*inner, nodes, values);
    }
  }
}

ir::Part part_of(const Parts& parts, std::size_t i) { return i < parts.size() ? parts[i] : ir::Part::Whole; }

std::size_t count_wholes(const Parts& parts, std::size_t values) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values; ++i) count += part_of(parts, i) == ir::Part::Whole;
  return count;
}

bool is_chosen(const std::vector<std::string>& chosen, std::size_t number) {
  return number < chosen.size() && !chosen[number].empty();
}

// For each value: true if its name, or that of the value it is a part of, was chosen by the user.
std::vector<bool> chosen_values(const Parts& parts, std::size_t values, const std::vector<std::string>& chosen) {
  std::vector<bool> are_chosen;
  for (std::size_t i = 0, number = 0; i < values; ++i)
    are_chosen.push_back(part_of(parts, i) == ir::Part::Whole ? is_chosen(chosen, number++) : are_chosen.back());
  return are_chosen;
}

}  // namespace

void check_utf8(std::string_view text, const std::string& what) {
  if (!ir::is_utf8(text))
    throw Error(Code::Argument, what + " '" + ir::as_utf8(text) + "' is not valid UTF-8; ONNX strings must be");
}

std::vector<std::string> wanted_names(Side side, std::span<Value* const> values, const Parts& parts,
                                      const std::vector<std::string>& chosen, const std::vector<std::string>& own) {
  const std::size_t count = count_wholes(parts, values.size());
  std::vector<std::string> names;
  std::size_t whole = 0, number = 0;  // index of the last value that is not a part; number of such values so far
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const ir::Part part = part_of(parts, i); part != ir::Part::Whole) {
      names.push_back(names[whole] + std::string(ir::ending_of(part)));
      continue;
    }
    const std::string& given = i < own.size() && !own[i].empty() ? own[i] : values[i]->name();
    if (is_chosen(chosen, number)) {
      names.push_back(chosen[number]);
    } else if (!given.empty()) {
      names.push_back(given);
    } else if (side == Side::Output && count == 1) {
      names.emplace_back("output");
    } else {
      names.push_back((side == Side::Input ? "input_" : "output_") + std::to_string(number));
    }
    whole = i;
    ++number;
  }
  return names;
}

namespace {

// Refuses more names than values. `weights`: weights that input names reach after the inputs.
void check_count(std::size_t given, Side side, std::span<Value* const> values, const Parts& parts,
                 std::size_t weights) {
  const std::string kind = side == Side::Input ? "input" : "output";
  const std::size_t count = count_wholes(parts, values.size());
  if (given <= count + weights) return;
  const std::vector<std::string> names = wanted_names(side, values, parts, {});
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (part_of(parts, i) == ir::Part::Whole) known += (known.empty() ? ": " : ", ") + names[i];
  throw Error(Code::Argument,
              ir::counted(given, kind + " name") + " for " + ir::counted(count, kind) +
                  (side == Side::Input ? " and " + ir::counted(weights, "weight") : "") + known +
                  (count < values.size() ? "; scale and zero point of a quantised value are named after it" : ""));
}

}  // namespace

std::vector<std::string> name_model(ir::Graph& model, const Options& options, const PartsOfModel& parts) {
  const auto& input_names = options.input_names;
  const auto& output_names = options.output_names;
  const std::vector<Value*> ordered = ir::weights_in_order(model);
  check_count(input_names.size(), Side::Input, model.inputs(), parts.inputs, ordered.size());
  check_count(output_names.size(), Side::Output, model.outputs(), parts.outputs, 0);

  Namer nodes, values;
  for (const std::string& name : input_names)
    if (!name.empty()) values.claim(name, "input");
  for (const std::string& name : output_names)
    if (!name.empty()) values.claim(name, "output");
  const std::vector<std::string> wanted_inputs = wanted_names(Side::Input, model.inputs(), parts.inputs, input_names);
  const std::vector<std::string> wanted_outputs =
      wanted_names(Side::Output, model.outputs(), parts.outputs, output_names);
  const std::vector<bool> chosen_inputs = chosen_values(parts.inputs, model.inputs().size(), input_names);
  const std::vector<bool> chosen_outputs = chosen_values(parts.outputs, model.outputs().size(), output_names);
  const auto claim_parts = [&](const Parts& of, const std::vector<bool>& chosen,
                               const std::vector<std::string>& names) {
    for (std::size_t i = 0, whole = 0; i < names.size(); ++i) {
      const ir::Part part = part_of(of, i);
      if (part == ir::Part::Whole)
        whole = i;
      else if (chosen[i])
        values.claim(names[i], part, names[whole]);
    }
  };
  claim_parts(parts.inputs, chosen_inputs, wanted_inputs);
  claim_parts(parts.outputs, chosen_outputs, wanted_outputs);

  std::vector<std::string> warnings;
  const auto moved = [&](const std::string& what, const std::string& wanted, const std::string& name) {
    if (values.is_claimed(wanted))
      warnings.push_back("the " + what + " '" + wanted + "' is called '" + name +
                         "' in the model, since another value has this name");
    return name;
  };
  // The name of a part is derived from the final name of its value.
  const auto own_name = [&](std::span<Value* const> all, const Parts& of, std::size_t i, const std::string& wanted) {
    const ir::Part part = part_of(of, i);
    return part == ir::Part::Whole ? wanted
                                   : all[i - static_cast<std::size_t>(part)]->name() + std::string(ir::ending_of(part));
  };
  std::unordered_set<std::string> of_outputs;
  for (std::size_t i = 0; i < wanted_outputs.size(); ++i)
    if (chosen_outputs[i]) of_outputs.insert(wanted_outputs[i]);
  for (std::size_t i = 0; i < wanted_inputs.size(); ++i) {
    if (chosen_inputs[i]) {
      model.inputs()[i]->set_name(wanted_inputs[i]);
      continue;
    }
    const std::string wanted = own_name(model.inputs(), parts.inputs, i, wanted_inputs[i]);
    if (of_outputs.contains(wanted))
      throw Error(Code::Argument, "output name '" + wanted +
                                      "' is the name of an input; rename the input as well (option input_names)");
    model.inputs()[i]->set_name(moved("input", wanted, values.unique(wanted)));
  }
  std::unordered_set<const Value*> named;
  const std::size_t inputs = count_wholes(parts.inputs, model.inputs().size());
  for (std::size_t i = inputs; i < input_names.size(); ++i)
    if (!input_names[i].empty()) {
      ordered[i - inputs]->set_name(input_names[i]);
      named.insert(ordered[i - inputs]);
    }
  std::unordered_map<const Value*, std::size_t> numbers;
  if (!options.weight_names)
    for (const Value* w : ir::weights_as_inputs(model)) numbers.emplace(w, numbers.size());
  for (Value* w : model.weights())
    if (!named.contains(w)) {
      const std::string own = w->name().empty() ? "weight" : w->name();
      const std::string wanted = options.weight_names ? own : "weight_" + std::to_string(numbers.at(w));
      w->set_name(moved("weight", wanted, values.unique(wanted)), w->has_made_up_name());
    }
  for (std::size_t i = 0; i < wanted_outputs.size(); ++i)
    model.outputs()[i]->set_name(chosen_outputs[i]
                                     ? wanted_outputs[i]
                                     : values.unique(own_name(model.outputs(), parts.outputs, i, wanted_outputs[i])));
  name_block(model.block(), nodes, values);
  return warnings;
}

}  // namespace tonnx::exporting
