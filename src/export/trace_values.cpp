#include "export/trace_values.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "export/other_values.h"
#include "ir/refusal.h"
#include "program/operand.h"
#include "program/traces/same_trace.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Error;
using ir::FlatInput;

namespace {

constexpr const char* kOfValues =
    "the code read elements of a tensor outside of the recorded operators (item(), an accessor, data_ptr(), another "
    "thread), or a size that depends on them (nonzero().size(0)); values computed from them in one run would be "
    "constants of the model; use tensor operators (torch::where, index_select, the sum of a mask), or set the trace's "
    "option other_values to false if they do not matter";
constexpr const char* kEachTime =
    "the code behaves differently in each run, even on the same values: it draws its own random numbers, keeps state "
    "between calls, or depends on other threads; use LibTorch's random operators, initialize the state before the "
    "trace, or set the trace's option other_values to false";

constexpr std::size_t kReadsPrinted = 3;

Error changed_weight(const std::string& name) {
  return Error(Code::Unsupported, "weight '" + name + "' has different elements in another run");
}

std::optional<Error> difference(const ir::Graph& first, const ir::Graph& other) {
  const auto found = program::first_difference(first, other);
  if (!found) return std::nullopt;
  if (found->input)
    return program::refusal(program::operand_of(*found->node, *found->input),
                            "is " + found->first + ", and " + found->other + " in another run");
  return ir::refusal(*found->node, "runs where " + found->other + " runs in another run");
}

bool is_floating(const FlatInput& input) { return ir::is_floating(input.example.dtype); }

}  // namespace

TraceValues::TraceValues(std::vector<FlatInput> inputs, const backend::Traced& first)
    : inputs_(std::move(inputs)),
      reads_(first.reads),
      read_count_(first.read_count),
      sizes_varied_(first.data_sizes.size(), false) {
  begin(Step::All);
}

void TraceValues::begin(Step step) {
  step_ = step;
  std::vector<ir::Tensor> tensors;
  for (const FlatInput& input : inputs_) tensors.push_back(input.example);
  constexpr std::pair<Step, Values> kValues[] = {{Step::All, Values::All},
                                                 {Step::Floating, Values::Floating},
                                                 {Step::Negative, Values::Negative},
                                                 {Step::Zero, Values::Zero}};
  for (const auto& [of, values] : kValues)
    if (of == step) tensors = other_values(tensors, values);
  arguments_ = {};
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    arguments_.keywords.emplace_back(inputs_[i].name, ir::Constant{tensors[i]});
}

backend::Reads TraceValues::reads() const {
  switch (step_) {
    case Step::LowReads: return backend::Reads::Low;
    case Step::HighReads: return backend::Reads::High;
    case Step::ZeroReads: return backend::Reads::Zero;
    default: return backend::Reads::True;
  }
}

std::optional<bool> TraceValues::sketch() const {
  if (step_ == Step::Negative || step_ == Step::Zero) return step_ == Step::Negative;
  return std::nullopt;
}

// Returns false for a step that can be skipped since the previous step found nothing.
bool TraceValues::is_needed(Step step) const {
  if (step != Step::Negative && step != Step::Zero) return step == Step::Done || !reads_.empty();
  return std::any_of(inputs_.begin(), inputs_.end(), [](const FlatInput& input) {
    return is_floating(input) || input.example.dtype == ir::DType::Bool;
  });
}

void TraceValues::go_on() {
  constexpr Step kSteps[] = {Step::Negative, Step::Zero, Step::LowReads, Step::HighReads, Step::ZeroReads, Step::Done};
  const Step* next = std::find(std::begin(kSteps), std::end(kSteps), step_);
  next = next == std::end(kSteps) ? std::begin(kSteps) : next + 1;
  while (!is_needed(*next)) ++next;
  begin(*next);
}

void TraceValues::add(const backend::Traced& first, const backend::Traced& run, const std::string& weight) {
  auto found = weight.empty() ? difference(*first.program.graph, *run.program.graph) : changed_weight(weight);
  if (step_ == Step::Again) refuse(found ? *found : *difference_, found ? kEachTime : kOfValues);
  if (found) {
    difference_ = std::move(found);
    return begin(Step::Again);
  }
  idle_ |= reads() != backend::Reads::True;
  for (std::size_t i = 0; i < sizes_varied_.size() && i < run.data_sizes.size(); ++i)
    if (run.data_sizes[i].sizes != first.data_sizes[i].sizes) sizes_varied_[i] = true;
  go_on();
}

void TraceValues::fail(const std::string& reason) {
  if (step_ == Step::Again) refuse(*difference_, kEachTime);
  const bool all = std::all_of(inputs_.begin(), inputs_.end(), is_floating);
  const bool any = std::any_of(inputs_.begin(), inputs_.end(), is_floating);
  if (step_ == Step::All && any && !all) return begin(Step::Floating);
  if (step_ == Step::All || step_ == Step::Floating)
    warning_ =
        "the code runs only on the example's values, so some of them may be constants of the model without notice: " +
        reason;
  go_on();
}

void TraceValues::refuse(const Error& difference, const std::string& reason) const {
  std::string text = std::string(difference.what()) + ": " + reason;
  for (std::size_t i = 0; i < reads_.size() && i < kReadsPrinted; ++i)
    text += (i ? ", " : "; read as numbers: ") + reads_[i];
  throw Error(Code::Unsupported, text, difference.reasons());
}

}  // namespace tonnx::exporting
