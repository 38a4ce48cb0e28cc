#include "export/trace_values.h"

#include <algorithm>

#include "export/other_values.h"
#include "ir/refusal.h"
#include "program/operand.h"
#include "program/same_trace.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Error;
using ir::FlatInput;

namespace {

constexpr const char* kOfValues =
    "the code read elements of a tensor outside of the recorded operators (item(), an accessor, data_ptr(), another thread), "
    "and a model would keep what it made of those of one run; compute with tensor operators (torch::where, index_select), "
    "or tell the trace not to look at other values, if they do not matter";
constexpr const char* kEachTime =
    "the code does not do the same each time it runs, also on the same values: it draws random numbers of its own, keeps "
    "something from call to call, or depends on other threads; use LibTorch's random operators, fill what it keeps before the "
    "trace, or tell the trace not to look at other values";

Error changed_weight(const std::string& name) {
  return Error(Code::Unsupported, "weight '" + name + "' holds other elements in another run");
}

std::optional<Error> difference(const ir::Graph& first, const ir::Graph& other) {
  const auto found = program::first_difference(first, other);
  if (!found) return std::nullopt;
  if (found->input)
    return program::refusal(program::operand_of(*found->node, *found->input),
                            "is " + found->first + ", and " + found->other + " in another run");
  return ir::refusal(*found->node, "runs where " + found->other + " runs in another run");
}

}  // namespace

TraceValues::TraceValues(std::vector<FlatInput> inputs) : inputs_(std::move(inputs)) { begin(Step::All); }

void TraceValues::begin(Step step) {
  step_ = step;
  std::vector<ir::Tensor> tensors;
  for (const FlatInput& input : inputs_) tensors.push_back(input.example);
  if (step != Step::Again) tensors = other_values(tensors, step == Step::All ? Values::All : Values::Floating);
  arguments_ = {};
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    arguments_.keywords.emplace_back(inputs_[i].name, ir::Constant{tensors[i]});
}

std::string TraceValues::description() const {
  return step_ == Step::Again ? "the example's values" : "other values of the inputs";
}

void TraceValues::add(const backend::Traced& first, const backend::Traced& run, const std::string& weight) {
  auto found = weight.empty() ? difference(*first.program.graph, *run.program.graph) : changed_weight(weight);
  if (step_ == Step::Again) refuse(found ? *found : *difference_, found ? kEachTime : kOfValues);
  if (!found) {
    step_ = Step::Done;
    return;
  }
  difference_ = std::move(found);
  begin(Step::Again);
}

void TraceValues::fail(const std::string& reason) {
  if (step_ == Step::Again) refuse(*difference_, kEachTime);
  const auto floating = [](const FlatInput& input) { return ir::is_floating(input.example.dtype); };
  const bool milder = step_ == Step::All && !std::all_of(inputs_.begin(), inputs_.end(), floating) &&
                      std::any_of(inputs_.begin(), inputs_.end(), floating);
  if (milder) return begin(Step::Floating);
  step_ = Step::Done;
  warning_ = "the code does not run on other values than the example's, so it is not known whether the model keeps some of "
             "them: " + reason;
}

void TraceValues::refuse(const Error& difference, const std::string& reason) const {
  throw Error(Code::Unsupported, std::string(difference.what()) + ": " + reason, difference.reasons());
}

}  // namespace tonnx::exporting
