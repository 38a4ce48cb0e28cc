#include "export/axes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "export/naming.h"
#include "ir/error.h"
#include "ir/observer.h"
#include "ir/text.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;
using ir::Value;

// Names of inputs or outputs: the user's, or the program's own.
struct Names {
  std::vector<std::string> wanted;
  std::vector<std::string> own;

  Names(Side side, const ir::Graph& program, const std::vector<std::string>& chosen,
        const std::vector<std::string>& given)
      : Names(side, side == Side::Input ? program.inputs() : program.outputs(),
              side == Side::Input ? ir::input_parts(program) : ir::output_parts(program), chosen, given) {}

  // Returns the index of the value. The user's names take precedence over the program's, which they may repeat.
  std::optional<std::size_t> find(const std::string& name) const {
    const auto in = [&](const std::vector<std::string>& names) {
      return std::ranges::find(names, name) - names.begin();
    };
    std::size_t index = static_cast<std::size_t>(in(wanted));
    if (index == wanted.size()) index = static_cast<std::size_t>(in(own));
    return index < wanted.size() ? std::optional(index) : std::nullopt;
  }
  bool is_wanted(const std::string& name) const { return std::ranges::find(wanted, name) != wanted.end(); }

 private:
  Names(Side side, std::span<Value* const> values, const Parts& parts, const std::vector<std::string>& chosen,
        const std::vector<std::string>& given)
      : wanted(wanted_names(side, values, parts, chosen, given)), own(wanted_names(side, values, parts, {}, given)) {}
};

std::string known_names(const Names& inputs, const Names& outputs) {
  std::string text = "inputs";
  for (std::size_t i = 0; i < inputs.wanted.size(); ++i) text += (i ? ", " : " ") + inputs.wanted[i];
  text += "; outputs";
  for (std::size_t i = 0; i < outputs.wanted.size(); ++i) text += (i ? ", " : " ") + outputs.wanted[i];
  return text;
}

// True if the trace has fixed the axis. The trace's warnings say so.
bool is_fixed(const TracedProgram& traced, const BoundAxis& axis) {
  return std::ranges::any_of(traced.fixed, [&](const InputAxis& fixed) {
    return axis.is_input && fixed.input == axis.index && static_cast<std::int64_t>(fixed.axis) == axis.axis;
  });
}

constexpr auto kToCome =
    std::numeric_limits<std::size_t>::max();  // index of an output that the program passes create later

[[noreturn]] void unknown_name(const std::string& name, const Names& inputs, const Names& outputs) {
  throw Error(Code::Argument, "dynamic axis of '" + name + "': there is no input or output of that name (" +
                                  known_names(inputs, outputs) + ")");
}

// True if an output is a container, whose items become separate outputs in the program passes.
bool may_become_several(const ir::Graph& program) {
  return std::ranges::any_of(program.outputs(), [](const Value* out) { return !out->type().elements.empty(); });
}

// Adds the dynamic axes of the trace to the user's. The user may not name any other input axis.
void add_declared(const TracedProgram& traced, std::vector<BoundAxis>& bound, const Names& inputs) {
  std::map<std::string, std::string> renamed;
  std::set<std::pair<std::size_t, std::int64_t>> named;
  for (const BoundAxis& axis : bound) {
    if (!axis.is_input) continue;
    named.insert({axis.index, axis.axis});
    const auto is_it = [&](const InputAxis& declared) {
      return declared.input == axis.index && static_cast<std::int64_t>(declared.axis) == axis.axis;
    };
    const auto declared = std::find_if(traced.axes.begin(), traced.axes.end(), is_it);
    if (declared != traced.axes.end()) {
      const auto [first, fresh] = renamed.try_emplace(declared->symbol, axis.symbol);
      if (!fresh && first->second != axis.symbol)
        throw Error(Code::Argument, "dynamic axes '" + first->second + "' and '" + axis.symbol +
                                        "' have the same size in the trace; use the same symbol for both");
    } else if (is_fixed(traced, axis)) {
      continue;
    } else if (!traced.single_run) {
      throw Error(Code::Argument, "dynamic axis " + std::to_string(axis.axis) + " of '" + inputs.wanted[axis.index] +
                                      "' was not declared to the trace, so values that its code computes from the size "
                                      "would be constants; declare it in the trace's option dynamic_axis, or set the "
                                      "trace's option single_run if the code computes nothing from the size");
    }
  }
  std::erase_if(bound, [&](const BoundAxis& axis) { return is_fixed(traced, axis); });
  for (const InputAxis& declared : traced.axes) {
    const auto axis = static_cast<std::int64_t>(declared.axis);
    if (named.contains({declared.input, axis})) continue;
    const auto name = renamed.find(declared.symbol);
    bound.push_back({true, declared.input, axis, name == renamed.end() ? declared.symbol : name->second, {}});
  }
}

// Converts a negative axis to one counted from the front.
std::int64_t from_start(std::int64_t axis, std::int64_t rank, const std::string& name, const std::string& before) {
  if (axis < -rank || axis >= rank)
    throw Error(Code::Argument, before + "axis " + std::to_string(axis) + " of '" + name +
                                    "' is out of range: its rank is " + std::to_string(rank));
  return axis < 0 ? axis + rank : axis;
}

}  // namespace

std::pair<std::size_t, std::size_t> find_axis(const ir::Graph& program, const Options& options, const std::string& name,
                                              std::int64_t axis, const std::string& what) {
  const Names inputs(Side::Input, program, options.input_names, {});
  const auto input = inputs.find(name);
  if (!input)
    throw Error(Code::Argument, what + ": there is no input '" + name + "', only " + ir::comma_list(inputs.wanted));
  const ir::Facts& facts = program.inputs()[*input]->facts();
  return {*input, static_cast<std::size_t>(from_start(axis, facts.has_rank() ? facts.rank() : 0, name, what + ": "))};
}

std::vector<BoundAxis> bind_axes(const ir::Graph& program, const Options& options,
                                 const std::vector<std::string>& output_names, const TracedProgram* traced) {
  const Names inputs(Side::Input, program, options.input_names, {});
  const Names outputs(Side::Output, program, options.output_names, output_names);
  std::vector<BoundAxis> bound;
  std::map<std::string, std::int64_t> position;
  std::set<std::pair<std::string, std::int64_t>> given;
  std::map<std::string, std::pair<std::int64_t, std::string>> sizes;
  for (const DynamicAxis& axis : options.dynamic_axes) {
    BoundAxis b;
    const bool is_output = outputs.is_wanted(axis.value) && !inputs.is_wanted(axis.value);
    const auto input = is_output ? std::nullopt : inputs.find(axis.value);
    const auto output = outputs.find(axis.value);
    if (!input && !output && !may_become_several(program) && !options.written_outputs)
      unknown_name(axis.value, inputs, outputs);
    b.is_input = input.has_value();
    b.index = input ? *input : output.value_or(kToCome);
    const ir::Facts facts = input    ? program.inputs()[*input]->facts()
                            : output ? program.outputs()[*output]->facts()
                                     : ir::Facts();
    b.value = axis.value;
    b.axis = axis.axis;
    if (facts.has_rank()) b.axis = from_start(axis.axis, facts.rank(), axis.value, "dynamic ");
    if (!given.insert({axis.value, b.axis}).second)
      throw Error(Code::Argument,
                  "dynamic axis " + std::to_string(axis.axis) + " of '" + axis.value + "' is specified twice");
    const std::int64_t k = ++position[axis.value];
    b.symbol = axis.symbol.empty() ? axis.value + "_dynamic_axes_" + std::to_string(k) : axis.symbol;
    if (b.is_input && facts.has_rank()) {
      const std::int64_t size = (*facts.dims)[static_cast<std::size_t>(b.axis)].size();
      const auto [it, fresh] = sizes.try_emplace(b.symbol, size, axis.value);
      if (!fresh && it->second.first != size)
        throw Error(Code::Argument, "dynamic axis '" + b.symbol + "' is " + std::to_string(it->second.first) + " in '" +
                                        it->second.second + "' but " + std::to_string(size) + " in '" + axis.value +
                                        "'; axes with the same symbol must have the same size");
    }
    bound.push_back(std::move(b));
  }
  if (traced) add_declared(*traced, bound, inputs);
  for (const BoundAxis& b : bound) check_utf8(b.symbol, "dynamic axis");
  return bound;
}

void refuse_channel_axes(const ir::Graph& program, const std::vector<BoundAxis>& axes) {
  for (const BoundAxis& axis : axes) {
    if (!axis.is_input) continue;
    const Value& input = *program.inputs()[axis.index];
    const bool is_channel = std::ranges::any_of(input.uses(), [&](const ir::Use& use) {
      if (!use.node->is("aten::_make_per_channel_quantized_tensor") || use.index != 0) return false;
      const ir::Constant* channel = use.node->input(3)->constant();
      const auto* number = channel ? channel->get<std::int64_t>() : nullptr;
      return number && *number == axis.axis;
    });
    if (is_channel)
      throw Error(Code::Unsupported, "dynamic axis " + axis.symbol + " (axis " + std::to_string(axis.axis) + " of '" +
                                         input.name() +
                                         "') is the channel axis of a quantised tensor, whose number of scales is "
                                         "fixed; remove it from the dynamic axes, or quantise the tensor in the "
                                         "program");
  }
}

Options with_all_axes(const Options& options, const ir::Graph& program, const TracedProgram* traced, bool has_facts) {
  Options all = options;
  if (!options.all_axes_dynamic) return all;
  all.fixed_dynamic_axes = FixedDynamicAxes::Warn;
  if (traced && !traced->single_run) return all;  // the code ran at several sizes of the declared axes only
  const Names inputs(Side::Input, program, options.input_names, {});
  const Parts parts = ir::input_parts(program);
  std::set<std::pair<std::size_t, std::int64_t>> named;
  for (const DynamicAxis& axis : options.dynamic_axes)
    if (const auto input = inputs.find(axis.value); input && program.inputs()[*input]->facts().has_rank())
      named.insert({*input, axis.axis < 0 ? axis.axis + program.inputs()[*input]->facts().rank() : axis.axis});
  if (traced)
    for (const InputAxis& axis : traced->axes) named.insert({axis.input, static_cast<std::int64_t>(axis.axis)});
  // Equal symbols declare equal sizes.
  std::set<std::string> taken;
  for (const DynamicAxis& axis : options.dynamic_axes) taken.insert(axis.symbol);
  if (traced)
    for (const InputAxis& axis : traced->axes) taken.insert(axis.symbol);
  for (const ir::Value* input : program.inputs())
    if (input->facts().dims)
      for (const ir::Dim& dim : *input->facts().dims)
        if (dim.is_symbolic()) taken.insert(dim.text());
  for (std::size_t i = 0; i < program.inputs().size(); ++i) {
    const ir::Facts& facts = program.inputs()[i]->facts();
    const bool is_part = i < parts.size() && parts[i] != ir::Part::Whole;
    if (is_part || !facts.has_rank()) continue;
    for (std::int64_t axis = 0; axis < facts.rank(); ++axis) {
      const bool is_open = has_facts && !(*facts.dims)[static_cast<std::size_t>(axis)].is_fixed();
      if (is_open || named.contains({i, axis})) continue;
      std::string symbol = inputs.wanted[i] + "_axis_" + std::to_string(axis);
      while (!taken.insert(symbol).second) symbol += '_';
      all.dynamic_axes.push_back({inputs.wanted[i], axis, symbol});
    }
  }
  return all;
}

void find_outputs(std::vector<BoundAxis>& axes, const ir::Graph& program, const Options& options,
                  const std::vector<std::string>& output_names) {
  const Names inputs(Side::Input, program, options.input_names, {}),
      outputs(Side::Output, program, options.output_names, output_names);
  for (BoundAxis& axis : axes) {
    if (axis.is_input) continue;
    const auto output = outputs.find(axis.value);
    if (!output && axis.index == kToCome) unknown_name(axis.value, inputs, outputs);
    axis.index = output.value_or(axis.index);
  }
}

namespace {

// Names output axes whose size is that of an input axis derived from other axes.
void name_related(ir::Graph& model, const std::vector<BoundAxis>& axes) {
  for (const BoundAxis& a : axes) {
    if (!a.is_input) continue;
    const ir::Dim size = (*model.inputs()[a.index]->facts().dims)[static_cast<std::size_t>(a.axis)];
    const bool is_symbol =
        std::ranges::any_of(axes, [&](const BoundAxis& other) { return size.is_symbol(other.symbol); });
    if (!size.is_symbolic() || is_symbol) continue;
    for (ir::Value* output : model.outputs())
      if (output->facts().dims)
        for (ir::Dim& dim : *output->facts().dims)
          if (dim.same(size)) dim = ir::Dim::symbol(a.symbol);
  }
}

// Returns how the size of an output axis contradicts its symbol, or "" if it does not.
std::string contradiction(const ir::Dim& dim, const std::string& symbol, const std::map<std::string, ir::Dim>& known) {
  if (dim.is_fixed()) return "has the fixed size " + std::to_string(dim.size()) + " in the model";
  const auto found = known.find(symbol);
  if (dim.is_unknown() || dim.is_symbol(symbol) || found == known.end()) return {};
  if (found->second.is_unknown() || found->second.same(dim)) return {};
  return "has the size " + dim.text() + " in the model, not " + found->second.text();
}

}  // namespace

void apply_axes(ir::Graph& model, const std::vector<BoundAxis>& axes, bool warn, std::vector<std::string>& warnings) {
  name_related(model, axes);
  std::map<std::string, ir::Dim> known;  // dims of the model by symbol; an unknown one of an output, too
  for (const Value* input : model.inputs())
    if (input->facts().dims)
      for (const ir::Dim& dim : *input->facts().dims)
        if (dim.is_symbol(dim.text())) known.try_emplace(dim.text(), dim);
  for (const bool is_input : {true, false})
    for (const BoundAxis& a : axes) {
      if (a.is_input != is_input) continue;
      Value& value = *(is_input ? model.inputs() : model.outputs())[a.index];
      if (!value.facts().has_rank()) continue;
      const std::int64_t axis = from_start(a.axis, value.facts().rank(), value.name(), "dynamic ");
      ir::Dim& dim = (*value.facts().dims)[static_cast<std::size_t>(axis)];
      const std::string fault = is_input ? "" : contradiction(dim, a.symbol, known);
      if (!fault.empty()) {
        const std::string text =
            "dynamic axis " + std::to_string(axis) + " of output '" + value.name() + "', " + a.symbol + ", " + fault;
        if (!warn)
          throw Error(Code::Argument,
                      text + (dim.is_fixed() ? "; remove it from the dynamic axes" : "; use another symbol"));
        ir::warn(warnings, ir::Category::Options, text + ", so the symbol is ignored");
        continue;
      }
      const auto [other, fresh] = known.try_emplace(a.symbol, dim);
      if (!fresh && (dim.is_unknown() || other->second.is_unknown())) {
        ir::warn(warnings, ir::Category::Options,
                 "dynamic axis " + std::to_string(axis) + " of output '" + value.name() +
                     "' is declared to have the size " + a.symbol + ", which is also that of another axis; " +
                     (dim.is_unknown() ? "its" : "the other's") +
                     " size is known only at run time, so this is not checked");
      }
      dim = ir::Dim::symbol(a.symbol);
    }
}

}  // namespace tonnx::exporting
