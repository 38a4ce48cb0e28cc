#include "export/trace_sizes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/checksum.h"
#include "ir/error.h"
#include "ir/flat_inputs.h"
#include "ir/quantised_tensor.h"
#include "ir/text.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Constant;
using ir::Error;

namespace {

constexpr std::size_t kFewestRuns = 3;
constexpr std::size_t kMostRuns = 10;  // for one symbol; one more for each further symbol

constexpr const char* kBound =
    "; if the model is used only at smaller sizes, set the trace's option largest_size to the largest one";

std::uint64_t checksum_of(const ir::Tensor& weight) {
  const ir::Tensor dense = weight.on_host().contiguous();
  return ir::checksum({dense.data(), dense.bytes()});
}

void collect_integers(const Constant& constant, std::set<std::int64_t>& integers) {
  if (const auto* value = constant.get<std::int64_t>()) integers.insert(*value);
  if (const auto* list = constant.get<Constant::List>())
    for (const Constant& item : list->items) collect_integers(item, integers);
}

}  // namespace

TraceSizes::TraceSizes(const ir::Arguments& arguments, const TraceOptions& options, RunGraph run_graph)
    : run_graph_(std::move(run_graph)),
      example_(copied(arguments)),
      options_(options),
      spread_(options.largest_size),
      arguments_(example_) {
  for (const ir::FlatInput& input : ir::flat_inputs(example_)) {
    inputs_.push_back(input.example);
    names_.push_back(input.name);
  }
  bind_axes();
  require_fixed_channels();
  all_axes_ = axes_;
  bind_sizes();
}

void TraceSizes::bind_axes() {
  for (const TraceAxis& declared : options_.dynamic_axes) {
    const std::string what =
        "dynamic axis " + std::to_string(declared.axis) + " of input " + std::to_string(declared.input);
    if (declared.input >= inputs_.size())
      throw Error(Code::Argument,
                  what + ": the arguments have only " + std::to_string(inputs_.size()) + " tensors and numbers");
    const std::int64_t rank = inputs_[declared.input].rank();
    if (declared.axis < -rank || declared.axis >= rank)
      throw Error(Code::Argument, what + " is out of range: its rank is " + std::to_string(rank));
    const auto axis = static_cast<std::size_t>(declared.axis < 0 ? declared.axis + rank : declared.axis);
    for (const InputAxis& other : axes_)
      if (other.input == declared.input && other.axis == axis)
        throw Error(Code::Argument, what + " is specified twice");
    const std::string own = names_[declared.input] + "_axis_" + std::to_string(axis);
    axes_.push_back({declared.input, axis, declared.symbol.empty() ? own : declared.symbol});
  }
  symbols_ = symbols_of(axes_);
  sizes_ = sizes_in(inputs_, axes_);
  for (const InputAxis& axis : axes_) {
    const auto k = std::find(symbols_.begin(), symbols_.end(), axis.symbol) - symbols_.begin();
    const std::int64_t size = inputs_[axis.input].dims[axis.axis];
    if (const std::int64_t first = sizes_[static_cast<std::size_t>(k)]; first != size)
      throw Error(Code::Argument, "dynamic axis '" + axis.symbol + "' is " + std::to_string(first) +
                                      " in one input but " + std::to_string(size) + " in '" + names_[axis.input] +
                                      "'; axes with the same symbol must have the same size");
  }
}

void TraceSizes::require_fixed_channels() const {
  for (const InputAxis& axis : axes_) {
    const ir::Tensor& input = inputs_[axis.input];
    if (ir::is_quantised(input) && ir::quantisation_of(input).axis == static_cast<std::int64_t>(axis.axis))
      throw Error(Code::Unsupported,
                  "dynamic axis " + axis.symbol + " (axis " + std::to_string(axis.axis) + " of '" + names_[axis.input] +
                      "') is the channel axis of a quantised tensor, whose number of scales is fixed; remove it from "
                      "the dynamic axes, or quantise the tensor in the recorded code");
  }
}

std::vector<InputAxis> TraceSizes::graph_axes(std::vector<InputAxis> axes) const {
  constexpr std::size_t kParts = 2;  // scale and zero point, after the integers
  for (InputAxis& axis : axes)
    axis.input +=
        kParts * static_cast<std::size_t>(std::count_if(
                     inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(axis.input), ir::is_quantised));
  return axes;
}

void TraceSizes::bind_sizes() {
  chosen_.runs = {sizes_};
  chosen_.multiples.assign(symbols_.size(), 1);
  chosen_.refused.assign(symbols_.size(), {});
  if (options_.largest_size > 1) chosen_.largest = options_.largest_size;
  for (const ir::Tensor& input : inputs_) chosen_.avoided.insert(input.dims.begin(), input.dims.end());
  for (const auto& [symbol, sizes] : options_.sizes) {
    const auto k = static_cast<std::size_t>(std::find(symbols_.begin(), symbols_.end(), symbol) - symbols_.begin());
    const auto is_its = [&, name = symbol](const InputAxis& axis) { return axis.symbol == name; };
    if (k == symbols_.size() && std::any_of(all_axes_.begin(), all_axes_.end(), is_its)) continue;  // fixed
    if (k == symbols_.size()) throw Error(Code::Argument, "sizes of '" + symbol + "': no dynamic axis has this symbol");
    std::size_t count = 0;
    for (const std::int64_t size : sizes) {
      if (size < 0) throw Error(Code::Argument, "size " + std::to_string(size) + " of '" + symbol + "' is negative");
      if (size == 0) {
        edges_.push_back(sizes_);
        edges_.back()[k] = 0;
        continue;
      }
      if (asked_.size() <= count) asked_.resize(count + 1, Sizes(symbols_.size(), 0));
      asked_[count++][k] = size;
    }
  }
  for (std::size_t k = 0; k < symbols_.size(); ++k) {
    edges_.push_back(sizes_);
    edges_.back()[k] = 1;
  }
}

void TraceSizes::add(backend::Traced traced) {
  if (runs_.empty()) late_weights_ = traced.late_weights;
  require_same_late_weights(traced.late_weights);
  if (values_) {
    values_->add(runs_[0].traced, traced, changed_weight(*traced.program.graph));
    return go_on_with_values();
  }
  check_weights(*traced.program.graph);
  if (is_edge_) {
    edge_runs_.push_back({sizes_, std::move(traced)});
    return go_on();
  }
  const SpreadSizes::Cost cost = SpreadSizes::cost_of(*traced.program.graph);
  if (is_spread_) {
    traced.outputs.clear();
    traced.state.clear();
    traced.program.inputs.clear();
    spread_.ran(cost);
  } else {
    spread_.ran_near(cost);
  }
  runs_.push_back({sizes_, std::move(traced), sketch_.has_value(), is_spread_});
  if (runs_.size() > 1) {
    chosen_.runs.push_back(sizes_);
    return is_spread_ && begin_spread() ? void() : go_on();
  }
  for_each_node(runs_[0].traced.program.graph->block(), [&](const ir::Node* node) {
    if (node->is("prim::Constant") && node->output()->constant())
      collect_integers(*node->output()->constant(), chosen_.avoided);
  });
  warn_reads(runs_[0].traced.fixed_reads);
  if (!wants_values()) {
    warn_reads(runs_[0].traced.reads);
    warn_pointers();
    warn_data_sizes({});
    return go_on();
  }
  values_.emplace(ir::flat_inputs(example_), runs_[0].traced);
  go_on_with_values();
}

// Code that creates its weights in its first run only records other operators from then on.
void TraceSizes::require_same_late_weights(const std::vector<std::string>& late) const {
  if (late == late_weights_) return;
  const std::vector<std::string>& names = late_weights_.empty() ? late : late_weights_;
  throw Error(Code::Unsupported, "weight '" + names.front() + "'" +
                                     (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "") +
                                     " appeared while the code ran, but not in each run, so its runs at several sizes "
                                     "cannot be compared; run the code once before it is traced");
}

// Returns the name of a weight whose elements differ from the run that first had it, or "". Captured numbers are also
// compared with the other numbers of the runs.
std::string TraceSizes::changed_weight(const ir::Graph& graph, bool with_numbers) const {
  for (const ir::Value* value : graph.weights()) {
    const auto known = weights_.find(value->name());
    if (!with_numbers && program::is_captured_numbers(*value)) continue;
    if (known != weights_.end() && known->second.first == value->weight()->dims &&
        known->second.second != checksum_of(*value->weight()))
      return value->name();
  }
  return {};
}

// Checks that each run starts from the same weights.
void TraceSizes::check_weights(const ir::Graph& graph) {
  if (axes_.empty() && !wants_values()) return;
  if (const std::string name = changed_weight(graph, !wants_values()); !name.empty())
    throw Error(Code::Unsupported,
                "weight '" + name + "' differs at " + sizes_text(symbols_, sizes_) +
                    " from the run before: the code writes to it, as a layer in training does, or computed it outside "
                    "of the recording, from sizes, elements that it read, random numbers or results of another thread; "
                    "restore it before each run, compute it with tensor operators, or leave the axis fixed");
  for (const ir::Value* value : graph.weights())
    if (!weights_.contains(value->name()))
      weights_[value->name()] = {value->weight()->dims, checksum_of(*value->weight())};
}

void TraceSizes::go_on() {
  try {
    advance();
  } catch (const Error& error) {
    if (!options_.allow_fixed_axes || error.code() != Code::Unsupported) throw;
    fix_one(error.what());
  }
}

void TraceSizes::advance() {
  if (axes_.empty() || options_.single_run) {
    program::forget_sizes(*runs_[0].traced.program.graph);
    return finish();
  }
  is_edge_ = is_spread_ = false;
  is_asked_ = !asked_.empty();
  if (is_asked_) return begin(choose_sizes(chosen_, std::exchange(asked_, {asked_.begin() + 1, asked_.end()}).front()));
  if (!alone_.empty()) return begin(std::exchange(alone_, {alone_.begin() + 1, alone_.end()}).front());
  // If no number follows the sizes, fewer runs are enough.
  const std::size_t joint = joint_runs();
  if (joint < kFewestRuns) return begin(choose_sizes(chosen_));
  if (joint < std::max<std::size_t>(4, symbols_.size() + 2) && near_runs() == runs_.size() &&
      program::numbers_differ(traced_runs()))
    return begin(choose_sizes(chosen_));
  if (begin_at_edge()) return;
  unify();
}

// Tries sizes at which code most often behaves differently: a batch of one, a single step, or none.
bool TraceSizes::begin_at_edge() {
  while (!edges_.empty()) {
    Sizes sizes = std::move(edges_.back());
    edges_.pop_back();
    const auto k = static_cast<std::size_t>(std::mismatch(sizes.begin(), sizes.end(), chosen_.runs[0].begin()).first -
                                            sizes.begin());
    if (k == sizes.size()) continue;
    const auto is_there = [&](const Sizes& run) { return run[k] == sizes[k]; };
    if (sizes[k] == 1 && (chosen_.multiples[k] > 1 || std::any_of(chosen_.runs.begin(), chosen_.runs.end(), is_there)))
      continue;
    is_edge_ = true;
    begin(std::move(sizes));
    return true;
  }
  return false;
}

// Number of runs that change several symbols, to find how they are related.
std::size_t TraceSizes::joint_runs() const {
  const auto is_joint = [&](const Run& run) {
    return !run.is_spread && (symbols_.size() == 1 || changed(run.sizes) != 1);
  };
  return static_cast<std::size_t>(std::count_if(runs_.begin(), runs_.end(), is_joint));
}

// Begins a run at sizes over orders of magnitude, once the runs near the example are merged. Returns false if none is
// left.
bool TraceSizes::begin_spread() {
  while (const auto sizes = spread_.next(chosen_)) {
    is_spread_ = true;
    try {
      begin(*sizes);
      return true;
    } catch (const std::exception&) {
      spread_.failed();  // the host has no inputs of these sizes
    }
  }
  is_spread_ = false;
  return false;
}

void TraceSizes::begin(Sizes sizes) {
  sizes_ = std::move(sizes);
  make_arguments();
  plan_sketch();
}

void TraceSizes::make_arguments() {
  if (options_.resize) {
    std::map<std::string, std::int64_t> by_symbol;
    for (std::size_t k = 0; k < symbols_.size(); ++k) by_symbol[symbols_[k]] = sizes_[k];
    arguments_ = options_.resize(by_symbol);
    check_made();
  } else {
    arguments_ = replaced(example_, inputs_, resized(inputs_, axes_, sizes_));
  }
}

// If no read of elements is known, only one run at other sizes computes results, for the verification.
void TraceSizes::plan_sketch() {
  constexpr std::size_t kComputed = 2;  // index of a small run among the runs at several sizes
  sketch_.reset();
  if (sketch_failed_ || runs_[0].traced.read_count > 0 || is_asked_ || is_edge_) return;
  if (values_)
    sketch_ = values_->sketch();
  else if (runs_.size() != kComputed)
    sketch_ = true;
}

// Checks that the callback's arguments are like the example's, at these sizes.
void TraceSizes::check_made() const {
  const std::vector<ir::FlatInput> made = ir::flat_inputs(arguments_);
  const std::string what = "the inputs created for " + sizes_text(symbols_, sizes_);
  if (made.size() != inputs_.size())
    throw Error(Code::Argument, what + " have " + std::to_string(made.size()) +
                                    " tensors and numbers, but the example has " + std::to_string(inputs_.size()));
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i].name != names_[i])
      throw Error(Code::Argument, what + " have '" + made[i].name + "' instead of '" + names_[i] + "'");
    std::vector<std::int64_t> dims = inputs_[i].dims;
    for (const InputAxis& axis : axes_)
      if (axis.input == i)
        dims[axis.axis] = sizes_[static_cast<std::size_t>(std::find(symbols_.begin(), symbols_.end(), axis.symbol) -
                                                          symbols_.begin())];
    if (made[i].example.dtype != inputs_[i].dtype || made[i].example.dims != dims)
      throw Error(Code::Argument, what + " have '" + names_[i] + "' as " +
                                      ir::format_type(made[i].example.dtype, made[i].example.dims) +
                                      ", which must be " + ir::format_type(inputs_[i].dtype, dims));
    if (ir::is_quantised(inputs_[i]) &&
        ir::quantisation_of(made[i].example).axis != ir::quantisation_of(inputs_[i]).axis)
      throw Error(Code::Argument, what + " have '" + names_[i] + "' with scales of another axis than the example");
  }
}

// Number of symbols whose size differs from the example.
std::size_t TraceSizes::changed(const Sizes& sizes) const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) count += sizes[k] != chosen_.runs[0][k];
  return count;
}

std::size_t TraceSizes::near_runs() const {
  const auto is_near = [](const Run& run) { return !run.is_spread; };
  return static_cast<std::size_t>(std::count_if(runs_.begin(), runs_.end(), is_near));
}

program::TracedRuns TraceSizes::traced_runs(bool with_edges) const {
  program::TracedRuns all{{}, symbols_, {}, {}, chosen_.multiples, chosen_.refused, chosen_.largest};
  for (const Run& run : runs_) {
    all.graphs.push_back(run.traced.program.graph.get());
    all.sizes.push_back(run.sizes);
  }
  for (std::size_t i = 0; i < edge_runs_.size() && with_edges; ++i) {
    all.graphs.push_back(edge_runs_[i].traced.program.graph.get());
    all.sizes.push_back(edge_runs_[i].sizes);
  }
  all.axes = graph_axes(axes_);
  return all;
}

program::UnifiedTrace TraceSizes::unified(bool with_edges, bool may_ask) const {
  program::UnifiedTrace unified = program::unify_traces(traced_runs(with_edges), may_ask);
  // Weights as they were in the first run.
  const auto first = runs_[0].traced.program.graph->weights();
  for (std::size_t i = 0; unified.graph && i < unified.graph->weights().size(); ++i)
    for (const ir::Value* other : first)
      if (ir::Value* weight = unified.graph->weights()[i]; other->name() == weight->name())
        weight->set_weight(*other->weight());
  return unified;
}

std::optional<Error> TraceSizes::fault_at_edges(const ir::Graph& program) const {
  try {
    for (const Run& run : edge_runs_) check_results(program, run.traced, sizes_text(symbols_, run.sizes), run_graph_);
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

// Runs at edge sizes are used only if the others are not sufficient, since code most often behaves differently there.
program::UnifiedTrace TraceSizes::solve() const {
  program::UnifiedTrace result;
  std::optional<Error> refusal;
  try {
    result = unified(edge_fault_.has_value(), near_runs() < kMostRuns + symbols_.size());
    if (result.graph) return result;
  } catch (const Error& error) {
    if (edge_fault_) throw *edge_fault_;
    if (error.code() != Code::Unsupported) throw;
    refusal = error;
  }
  if (!edge_fault_ && !edge_runs_.empty()) {
    try {
      program::UnifiedTrace with_edges = unified(true, false);
      if (with_edges.graph) return with_edges;
    } catch (const Error& error) {
      if (error.code() != Code::Unsupported) throw;
    }
  }
  if (!refusal) return result;
  if (near_runs() == runs_.size()) throw *refusal;
  throw Error(Code::Unsupported, std::string(refusal->what()) + kBound, refusal->reasons());
}

void TraceSizes::unify() {
  for (const Run& run : edge_runs_)
    if (std::find(run.sizes.begin(), run.sizes.end(), 0) == run.sizes.end())
      check_path(*runs_[0].traced.program.graph, sizes_text(symbols_, runs_[0].sizes), run.traced,
                 sizes_text(symbols_, run.sizes));
  program::UnifiedTrace result = solve();
  if (!result.graph) return begin(choose_sizes(chosen_, result.wanted));
  if (const auto fault = fault_at_edges(*result.graph)) {
    if (edge_fault_) throw *edge_fault_;
    // Other arithmetic may explain the edges as well; one more run is needed to decide.
    edge_fault_ = fault;
    return begin(choose_sizes(chosen_));
  }
  if (begin_spread()) return;
  runs_[0].traced.program.graph = std::move(result.graph);
  finish();
}

std::vector<ir::Tensor> TracedProgram::Run::results(std::span<const ir::StateWrite> writes) const {
  std::vector<ir::Tensor> all = outputs;
  for (const ir::StateWrite& write : writes) {
    if (write.kind == ir::StateWrite::Kind::Attribute) continue;  // the recording already has an output for it
    const auto held = std::ranges::find_if(
        state, [&](const auto& known) { return known.kind == write.kind && known.name == write.name; });
    if (held == state.end()) throw Error(Code::Internal, "the recording has no final value of '" + write.name + "'");
    all.push_back(held->value);
  }
  return all;
}

std::vector<TracedProgram::Range> TraceSizes::ranges() const {
  std::vector<TracedProgram::Range> result;
  for (std::size_t k = 0; k < symbols_.size() && !options_.single_run; ++k) {
    std::vector<std::int64_t> sizes;
    for (const Run& run : runs_) sizes.push_back(run.sizes[k]);
    for (const Run& run : edge_runs_) sizes.push_back(run.sizes[k]);
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    result.push_back({symbols_[k], *least, *most});
  }
  return result;
}

TracedProgram TraceSizes::take() {
  TracedProgram result{{}, graph_axes(axes_), graph_axes(fixed_axes_), {}, ranges(), options_.single_run};
  const auto add = [&](Run& run, bool is_edge) {
    result.runs.push_back(
        {run.sizes, run.traced.program.inputs, std::move(run.traced.outputs), is_edge, std::move(run.traced.state)});
  };
  for (Run& run : runs_)
    if (!run.is_sketch && !run.is_spread) add(run, false);
  for (Run& run : edge_runs_) add(run, true);
  result.program = std::move(runs_[0].traced.program);
  return result;
}

}  // namespace tonnx::exporting
