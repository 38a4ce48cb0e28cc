#include "export/verify_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "backend/backend_files.h"
#include "export/exported_axes.h"
#include "export/fixed_numbers.h"
#include "export/model_inputs.h"
#include "export/resize.h"
#include "export/sequence_inputs.h"
#include "export/trace_sizes.h"
#include "ir/complex.h"
#include "ir/dependency_error.h"
#include "ir/device_copy.h"
#include "ir/error.h"
#include "ir/observer.h"
#include "ir/text.h"
#include "onnx/temporary_model.h"
#include "program/traces/choose_sizes.h"
#include "verify/compare.h"
#include "verify/runtime.h"

namespace tonnx::exporting {

ir::DType loosest_dtype(const ir::Graph& model, const std::vector<ir::Tensor>& inputs) {
  ir::DType dtype = ir::DType::Undefined;
  const auto see = [&](const ir::Value* value) { dtype = verify::looser(dtype, value->facts().dtype); };
  for (const ir::Value* value : model.weights()) see(value);
  for (const ir::Value* value : model.inputs()) see(value);
  ir::for_each_node(model.block(), [&](ir::Node* node) {
    for (const ir::Value* value : node->outputs()) see(value);
  });
  const auto is_elsewhere = [](const ir::Tensor& tensor) { return !ir::device_of(tensor).empty(); };
  if (dtype == ir::DType::Float32 && std::ranges::any_of(inputs, is_elsewhere)) return ir::DType::Float16;
  return dtype;
}

verify::SessionOptions session_options(const VerifyOptions& options) {
  // The operators of LibTorch that an export has left in the model.
  return {.provider = options.provider,
          .libraries = options.runtime_libraries,
          .spare_library = backend::file_beside("libtonnx_ort_aten.so")};
}

verify::SessionOptions session_options(const VerifyOptions& options, std::uint64_t model_bytes,
                                       std::span<const ir::Tensor> inputs) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;  // bytes
  std::uint64_t input_bytes = 0;
  for (const ir::Tensor& tensor : inputs) input_bytes += tensor.bytes();
  verify::SessionOptions chosen = session_options(options);
  chosen.one_thread = model_bytes < kSmall && input_bytes < kSmall;
  return chosen;
}

verify::Tolerance tolerance(const VerifyOptions& options, ir::DType loosest) {
  const auto refuse = [](const std::string& text) { throw ir::Error(ir::Code::Argument, text); };
  if (std::isnan(options.rtol) || std::isnan(options.atol)) refuse("a tolerance is NaN");
  if (!(options.accepted_share <= 1))
    refuse("accepted_share must be at most 1; it is " + ir::format_float(options.accepted_share));
  return {.rtol = options.rtol,
          .atol = options.atol,
          .loosest = loosest,
          .accepted_share = std::max(0.0, options.accepted_share),
          .check_dtype = options.check_dtype,
          .check_shape = options.check_shape};
}

namespace {

// An overload's own limits precede those of all overloads, and an operator's those of its form in place.
const verify::Limits* limits_of(const OperatorTolerances& tolerances, const std::string& full_name) {
  const std::string name = full_name.substr(0, full_name.find('.'));
  for (const std::string& key : {full_name, name, name + '_'})
    if (const auto found = tolerances.find(key); found != tolerances.end()) return &found->second;
  return nullptr;
}

}  // namespace

std::vector<verify::Limits> limits_of(const VerifyOptions& options,
                                      std::span<const std::vector<std::string>> operators) {
  std::vector<verify::Limits> limits;
  for (const std::vector<std::string>& names : operators) {
    const verify::Limits* found = nullptr;
    for (const std::string& name : names)
      if (!found) found = limits_of(options.operator_tolerances, name);
    limits.push_back(found ? *found : verify::Limits());
  }
  return limits;
}

namespace {

using ir::Code;
using ir::Error;
using ir::Tensor;
using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kAny = -1;

bool is_empty(const ir::Arguments& arguments) { return arguments.positional.empty() && arguments.keywords.empty(); }

std::vector<Tensor> numbers_in(const Tensor& vector) {
  const Tensor dense = vector.contiguous();
  const std::size_t size = ir::size_of(dense.dtype);
  std::vector<Tensor> numbers;
  for (std::size_t at = 0; at < dense.bytes(); at += size)
    numbers.push_back(Tensor::from_bytes(dense.dtype, {}, dense.data() + at, size));
  return numbers;
}

// Reorders results: the program returns a list item by item, but the model has one output for each part of the items.
std::vector<Tensor> in_order_of_items(std::vector<Tensor> results, const std::vector<std::size_t>& counts,
                                      const Model& model) {
  const std::vector<program::ListPart>& parts = model.list_parts;
  if (parts.size() != counts.size()) return results;
  std::vector<Tensor> ordered;
  for (std::size_t i = 0, at = 0; i < parts.size();) {
    std::map<std::int64_t, std::vector<Tensor>> held;  // by part
    const std::int64_t list = parts[i].list;
    do {
      auto& of_part = held[parts[i].part];
      const bool is_vector = list >= 0 && !model.graph->outputs()[i]->type().is(ir::Type::Kind::List);
      for (std::size_t k = 0; k < counts[i]; ++k, ++at) {
        const std::vector<Tensor> items = is_vector ? numbers_in(results[at]) : std::vector{results[at]};
        of_part.insert(of_part.end(), items.begin(), items.end());
      }
      ++i;
    } while (list >= 0 && i < parts.size() && parts[i].list == list);
    std::size_t items = 0;
    for (const auto& [part, tensors] : held) items = std::max(items, tensors.size());
    for (std::size_t item = 0; item < items; ++item)
      for (const auto& [part, tensors] : held)
        if (item < tensors.size()) ordered.push_back(tensors[item]);
  }
  return ordered;
}

class Verifier {
 public:
  Verifier(const Model& model, const LoadedProgram& source, const ir::Arguments& arguments,
           const VerifyOptions& options)
      : model_(model),
        source_(source),
        arguments_(with_own_storages(is_empty(arguments) ? source.examples(model.method) : arguments)),
        options_(options),
        symbols_(symbols_of(model.axes)) {
    static_cast<void>(tolerance(options, ir::DType::Undefined));  // throws if they are wrong
  }

  // `compared`, if not null, receives the values of the last comparison.
  std::vector<std::string> run(const onnx::TemporaryModel& file, Compared* compared = nullptr) {
    compared_ = compared;
    const ir::RawProgram program = source_.described(model_.method, arguments_, model_.training);
    inputs_ = program.inputs;
    if (inputs_.empty() && is_empty(arguments_) && !program.graph->inputs().empty())
      throw Error(Code::Argument, "the archive has no example inputs to verify with; specify some");
    if (!model_.fixed_sizes.empty()) fix_sizes(program);
    if (model_.sequence_inputs) counts_ = item_counts(program.lists, inputs_.size());
    axes_ = counts_.empty() ? model_.axes : axes_of_items(model_.axes, counts_);
    require_fitting_inputs(*model_.graph, ir::with_parts(inputs_), counts_);
    const std::vector<Tensor> expected = source_.run(model_.method, arguments_, model_.training, model_.state_outputs);
    // After LibTorch's run: it refuses integer division by zero, which would end the process in ONNX Runtime.
    open(file, expected);
    compare(inputs_, expected);
    wanted_ = wanted();
    std::vector<std::string> warnings = compare_other_sizes();
    if (!compared_) warn_of_unused_tolerances(warnings);  // a search uses them for its parts, too
    if (compared_) *compared_ = {{}, inputs_, expected, warnings};
    return warnings;
  }

 private:
  void open(const onnx::TemporaryModel& file, const std::vector<Tensor>& expected) {
    try {
      session_.emplace(file.path(), session_options(options_, file.bytes(), inputs_));
    } catch (const Error& error) {
      if (compared_ && error.code() == Code::Verification) *compared_ = {{}, inputs_, expected, {}};
      throw;
    }
  }

  // Applies the sizes that the model has fixed to the example. Number arguments are then not inputs.
  void fix_sizes(const ir::RawProgram& program) {
    const std::vector<InputAxis> axes = sized_axes(*program.graph);
    std::vector<std::string> symbols;
    Sizes sizes;
    for (const auto& [symbol, size] : model_.fixed_sizes) symbols.push_back(symbol), sizes.push_back(size);
    const Sizes example = sizes_in(inputs_, axes);
    for (std::size_t k = 0; k < example.size(); ++k)
      if (!model_.fixed_sizes.contains(symbols_of(axes)[k]))
        symbols.push_back(symbols_of(axes)[k]), sizes.push_back(example[k]);
    std::vector<Tensor> inputs = inputs_;
    for (const InputAxis& axis : axes)
      if (const auto size = axis.size().value(symbols, sizes))
        inputs[axis.input] =
            ir::copied_from(ir::device_of(inputs[axis.input]), resized(inputs[axis.input], axis.axis, *size));
    arguments_ = replaced(arguments_, inputs_, inputs);
    for (const auto& [name, number] : program.numbers)
      if (const auto fixed = number.value(symbols, sizes)) arguments_.keywords.emplace_back(name, ir::Constant{*fixed});
    inputs_ = source_.with_sizes(model_.fixed_sizes)->described(model_.method, arguments_, model_.training).inputs;
  }

  std::vector<std::string> compare_other_sizes() const {
    if (model_.axes.empty() || !options_.other_sizes) return {};
    if (const TracedProgram* traced = source_.traced()) {
      compare_recorded(*traced);
      return {};
    }
    return compare_resized();
  }

  void compare(const std::vector<Tensor>& inputs, const std::vector<Tensor>& expected) const {
    ir::advance(1);
    if (compared_) *compared_ = {{}, inputs, expected, {}};
    std::vector<std::size_t> given;
    std::vector<Tensor> results = session_->run(ir::with_parts(inputs), counts_, &given);
    results = in_order_of_items(std::move(results), given, model_);
    verify::compare(ir::with_parts(expected), results, session_->output_names(),
                    tolerance(options_, loosest_dtype(*model_.graph, inputs)), limits(given));
  }

  // Of each result; `counts` results belong to one output. Items that are reordered have none.
  std::vector<verify::Limits> limits(const std::vector<std::size_t>& counts) const {
    if (!model_.list_parts.empty()) return {};
    std::vector<std::vector<std::string>> operators;
    for (std::size_t i = 0; i < counts.size() && i < model_.output_operators.size(); ++i)
      operators.insert(operators.end(), counts[i], model_.output_operators[i]);
    return limits_of(options_, operators);
  }

  void warn_of_unused_tolerances(std::vector<std::string>& warnings) const {
    for (const auto& tolerance : options_.operator_tolerances) {
      const OperatorTolerances alone{tolerance};
      const auto applies = [&](const std::vector<std::string>& names) {
        return std::ranges::any_of(names, [&](const std::string& name) { return limits_of(alone, name); });
      };
      if (std::ranges::none_of(model_.output_operators, applies))
        ir::warn(warnings, ir::Category::Verification,
                 "the tolerance of operator '" + tolerance.first +
                     "' was not used, because no output of the model is the operator's result");
    }
  }

  void compare_at(const std::string& sizes, const std::vector<Tensor>& inputs,
                  const std::vector<Tensor>& expected) const {
    try {
      compare(inputs, expected);
    } catch (const Error& error) {
      if (error.code() != Code::Verification) throw;
      throw Error(Code::Verification, "at " + sizes + ", which is not the example's size: " + error.what());
    }
  }

  // Sizes that the caller specified, by symbol of the axes; kAny for the others.
  Sizes wanted() const {
    Sizes sizes(symbols_.size(), kAny);
    for (const auto& [name, size] : options_.sizes) {
      const auto related =
          std::ranges::find_if(model_.axes, [&](const InputAxis& axis) { return axis.symbol == name && axis.follows; });
      if (related != model_.axes.end())
        throw Error(Code::Argument, "size of '" + name + "': it is " + related->follows->text() +
                                        "; specify the sizes of these symbols");
      const auto same = model_.same_size.find(name);
      const std::string& symbol = same == model_.same_size.end() ? name : same->second;
      const auto found = std::find(symbols_.begin(), symbols_.end(), symbol);
      if (found == symbols_.end())
        throw Error(Code::Argument,
                    "size of '" + name + "': no input of the model has a dynamic axis with this symbol");
      if (size < 0) throw Error(Code::Argument, "size " + std::to_string(size) + " of '" + name + "' is negative");
      if (const ir::SizeRange range = range_of(symbol); size < range.min || size > range.max)
        throw Error(Code::Argument, "size " + std::to_string(size) + " of '" + name + "': the program accepts " +
                                        std::to_string(range.min) + " to " + std::to_string(range.max));
      sizes[static_cast<std::size_t>(found - symbols_.begin())] = size;
    }
    return sizes;
  }

  // True if the run has another size along an axis of the trace that the model fixes.
  bool changes_fixed_axis(const TracedProgram& traced, const TracedProgram::Run& run) const {
    return std::ranges::any_of(traced.axes, [&](const InputAxis& axis) {
      const auto is_it = [&](const InputAxis& own) { return own.input == axis.input && own.axis == axis.axis; };
      return std::ranges::none_of(model_.axes, is_it) &&
             run.inputs[axis.input].dims[axis.axis] != traced.runs.front().inputs[axis.input].dims[axis.axis];
    });
  }

  // Without sizes of the caller: the last run, and those of size 1.
  void compare_recorded(const TracedProgram& traced) const {
    if (traced.runs.size() < 2 && options_.sizes.empty()) return;
    bool compared = false, plain = false, has_fixed_axes = false;
    for (auto run = traced.runs.rbegin(); run != traced.runs.rend(); ++run) {
      if (changes_fixed_axis(traced, *run)) {
        has_fixed_axes = true;
        continue;
      }
      const Sizes sizes = sizes_in(run->inputs, axes_);
      const bool is_wanted = std::equal(sizes.begin(), sizes.end(), wanted_.begin(),
                                        [](std::int64_t size, std::int64_t w) { return w == kAny || w == size; });
      if (!is_wanted || (options_.sizes.empty() && std::find(sizes.begin(), sizes.end(), 0) != sizes.end())) continue;
      compare_at(sizes_text(symbols_, sizes), run->inputs, run->results(model_.state_outputs));
      compared = true;
      plain |= !run->is_edge;
      if (plain || !options_.sizes.empty()) return;
    }
    if (compared || (has_fixed_axes && options_.sizes.empty())) return;
    std::string known;
    for (const TracedProgram::Run& run : traced.runs)
      known += (known.empty() ? "" : "; ") + sizes_text(symbols_, sizes_in(run.inputs, axes_));
    throw Error(Code::Argument, "the trace was not run at these sizes but at " + known +
                                    "; specify a size to verify when the trace is made");
  }

  std::vector<std::string> compare_resized() const {
    std::vector<std::string> warnings = compare_together();
    if (options_.sizes.empty()) compare_broadcast();
    return warnings;
  }

  // Changes all axes at once; if LibTorch runs at no such sizes, each axis alone.
  std::vector<std::string> compare_together() const {
    const Sizes example = sizes_in(inputs_, axes_);
    const std::vector<Sizes> alike = candidates();
    std::vector<std::string> refused;
    if (compare_first(alike, refused)) return {};
    std::vector<std::string> warnings;
    for (std::size_t k = 0; k < symbols_.size(); ++k) {
      if (model_.broadcast.contains(symbols_[k])) continue;
      if (symbols_.size() > 1) {
        std::vector<Sizes> alone;
        for (const Sizes& sizes : alike) {
          alone.push_back(example);
          for (std::size_t other = 0; other < symbols_.size(); ++other)
            if (leader_of(other) == k) alone.back()[other] = sizes[other];
        }
        refused.clear();
        if (compare_first(alone, refused)) continue;
      }
      std::string line =
          "dynamic axis " + symbols_[k] +
          " was verified only at the example's size, since the program does not run at the other sizes tried";
      for (const std::string& why : refused) line += "; " + why;
      ir::warn(warnings, ir::Category::Verification, std::move(line));
    }
    return warnings;
  }

  // Compares with each broadcast axis at size 1, if LibTorch runs at it.
  void compare_broadcast() const {
    if (model_.broadcast.empty()) return;
    const std::vector<Sizes> alike = candidates();
    for (std::size_t k = 0; k < symbols_.size(); ++k) {
      const auto is_beside = [&](const auto& pair) { return pair.first == symbols_[k] || pair.second == symbols_[k]; };
      if (std::ranges::none_of(model_.broadcast, is_beside)) continue;
      std::vector<Sizes> apart = alike;
      for (Sizes& sizes : apart) sizes[k] = 1;
      std::vector<std::string> refused;
      compare_first(apart, refused);
    }
  }

  // The symbol that determines the size of this one unless one of them is 1; the symbol itself if it is free.
  std::size_t leader_of(std::size_t symbol) const {
    const auto found = model_.broadcast.find(symbols_[symbol]);
    if (found == model_.broadcast.end()) return symbol;
    return static_cast<std::size_t>(std::ranges::find(symbols_, found->second) - symbols_.begin());
  }

  // Makes symbols that are broadcast with each other equal, unless the caller specified it.
  void unify_broadcast(Sizes& sizes) const {
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (wanted_[k] != kAny && wanted_[k] != 1 && wanted_[leader_of(k)] == kAny) sizes[leader_of(k)] = wanted_[k];
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (wanted_[k] == kAny) sizes[k] = sizes[leader_of(k)];
  }

  // Throws Error(Code::Argument) if the guards of a torch.export program exclude the sizes: its operators may run at
  // them, but on another path. Other errors are left to the run.
  void require_allowed(const Sizes& sizes) const {
    if (!source_.has_facts()) return;
    std::map<std::string, std::int64_t> all = model_.fixed_sizes;
    for (std::size_t k = 0; k < symbols_.size(); ++k) all.emplace(symbols_[k], sizes[k]);
    try {
      source_.with_sizes(all)->import(model_.method, {}, model_.training);
    } catch (const Error& error) {
      if (error.code() == Code::Argument) throw;
    }
  }

  // Compares at the first sizes at which LibTorch runs; returns false if there are none.
  bool compare_first(const std::vector<Sizes>& all, std::vector<std::string>& refused) const {
    for (const Sizes& sizes : all) {
      const std::string text = sizes_text(symbols_, sizes);
      std::vector<Tensor> inputs, expected;
      try {
        require_allowed(sizes);
        inputs = resized(inputs_, axes_, sizes);
        expected =
            source_.run(model_.method, replaced(arguments_, inputs_, inputs), model_.training, model_.state_outputs);
      } catch (const Error& error) {
        if (!options_.sizes.empty())
          throw Error(Code::Argument, "LibTorch does not run at " + text + ": " + ir::first_line(error.what()));
        refused.push_back("at " + text + ": " + ir::first_line(error.what()));
        ir::log(ir::Level::Debug, [&] { return "LibTorch does not run " + refused.back(); });
        continue;
      }
      compare_at(text, inputs, expected);
      return true;
    }
    return false;
  }

  ir::SizeRange range_of(const std::string& symbol) const {
    const auto found = model_.ranges.find(symbol);
    return found == model_.ranges.end() ? ir::SizeRange() : found->second;
  }

  void keep_in_range(Sizes& sizes) const {
    for (std::size_t k = 0; k < symbols_.size(); ++k) {
      const ir::SizeRange range = range_of(symbols_[k]);
      sizes[k] = std::clamp(sizes[k], range.min, std::max(range.min, range.max));
    }
  }

  // A size without special properties, a multiple of the example's for code that reshapes, and a size between them.
  std::vector<Sizes> candidates() const {
    program::ChosenSizes chosen{{sizes_in(inputs_, axes_)}, Sizes(symbols_.size(), 1), {}, {}};
    chosen.refused.resize(symbols_.size());
    for (const Tensor& input : inputs_) chosen.avoided.insert(input.dims.begin(), input.dims.end());
    Sizes asked = wanted_;
    std::replace(asked.begin(), asked.end(), kAny, std::int64_t{0});
    std::vector<Sizes> out = {choose_sizes(chosen, asked)};
    for (std::size_t k = 0; k < asked.size(); ++k)
      if (wanted_[k] == 0) out[0][k] = 0;
    keep_in_range(out[0]);
    unify_broadcast(out[0]);
    if (!options_.sizes.empty()) return out;
    out.push_back(chosen.runs[0]);
    for (std::int64_t& size : out.back()) size = std::max<std::int64_t>(2, 2 * size);
    chosen.runs.push_back(out[0]);
    out.push_back(choose_sizes(chosen));
    for (Sizes& sizes : out) {
      keep_in_range(sizes);
      unify_broadcast(sizes);
    }
    return out;
  }

  std::optional<verify::Session> session_;
  Compared* compared_ = nullptr;
  const Model& model_;
  const LoadedProgram& source_;
  ir::Arguments arguments_;
  const VerifyOptions options_;
  const std::vector<std::string> symbols_;
  std::vector<Tensor> inputs_;       // the example's
  std::vector<std::size_t> counts_;  // tensors per input of the model; empty: one each
  std::vector<InputAxis> axes_;      // axes of these tensors
  Sizes wanted_;
};

}  // namespace

namespace {

// A possible cause of a failed verification, for a model of another target.
constexpr const char* kOfTarget =
    "\nthe model was exported for target onnx: kernels that ONNX Runtime lacks, and its defects, are not worked "
    "around; "
    "verify an export with target onnxruntime (--target onnxruntime)";

std::vector<std::string> verify(const Model& model, const LoadedProgram& source, const ir::Arguments& arguments,
                                const VerifyOptions& options, Compared* compared) {
  if (!model.weights_stored)
    throw Error(
        Code::Argument,
        "a model whose weights are inputs cannot be verified: export it with its weights, verify, then export without");
  const ir::Stage stage("verification");
  const onnx::TemporaryModel file(*model.graph, model.info);
  const auto writing = model.written_outputs ? source.with_written_outputs() : nullptr;
  const LoadedProgram& own_or_writing = writing ? *writing : source;
  const auto fixed = model.fixed_numbers.empty() ? nullptr : with_fixed_numbers(own_or_writing, model.fixed_numbers);
  try {
    return Verifier(model, fixed ? *fixed : own_or_writing, arguments, options).run(file, compared);
  } catch (const ir::MissingKernelError& error) {
    if (model.info.target.is_onnxruntime()) throw;
    throw ir::MissingKernelError(std::string(error.what()) + kOfTarget);
  } catch (const Error& error) {
    if (model.info.target.is_onnxruntime() || error.code() != Code::Verification) throw;
    throw Error(error.code(), std::string(error.what()) + kOfTarget, error.reasons());
  }
}

}  // namespace

std::vector<std::string> verify_model(const Model& model, const LoadedProgram& source, const ir::Arguments& arguments,
                                      const VerifyOptions& options) {
  if (options.every_operator)
    throw Error(Code::Argument, "option every_operator is for tonnx_program_find_mismatch only");
  return verify(model, source, arguments, options, nullptr);
}

Compared compare_model(const Model& model, const LoadedProgram& source, const ir::Arguments& arguments,
                       const VerifyOptions& options) {
  Compared compared;
  try {
    verify(model, source, arguments, options, &compared);
  } catch (const Error& error) {
    if (error.code() != Code::Verification) throw;
    compared.error = error.what();
  }
  return compared;
}

}  // namespace tonnx::exporting
