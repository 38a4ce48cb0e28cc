// Which dims of a result follow numbers and sizes that tensor data decide, where the data samples agree by chance:
// `y[i:i + 1]` has one row at every i that they show, and none where i is the last.
#include <algorithm>
#include <array>

#include "ir/error.h"
#include "ir/writes.h"
#include "program/fact_inference.h"

namespace tonnx::program {

using ir::Constant;
using ir::DatumPtr;
using ir::Facts;
using ir::Node;
using ir::Type;

namespace {

using Sizes = std::vector<std::int64_t>;

// What else a number may be that is `value` in a sample. A negative one has another meaning in many places.
std::array<std::int64_t, 3> alternatives(std::int64_t value) { return {0, value + 1, value + 7}; }

bool is_data_number(const Sampled& in, std::size_t item) {
  return in.depends_on_data && (item < in.items.size() ? in.items[item] != 0 : in.varies);
}

}  // namespace

// The sizes of each tensor that the node gives, in order; nothing where it fails on these arguments.
std::optional<std::vector<Sizes>> FactInference::result_sizes(const Node& node, const std::vector<DatumPtr>& arguments) {
  std::vector<DatumPtr> results;
  try {
    if (evaluator_.evaluate(node, arguments, results) == ir::Evaluator::Outcome::NoRule) return std::nullopt;
  } catch (const ir::Error& error) {
    if (error.code() != ir::Code::Program) throw;
    return std::nullopt;
  }
  std::vector<Sizes> sizes;
  for (const DatumPtr& result : results)
    sizes.push_back(result ? evaluator_.describe(*result, 0).fixed_dims().value_or(Sizes()) : Sizes());
  return sizes;
}

// The arguments of a sample, one of them with each other value that a number in it may have.
std::vector<std::vector<DatumPtr>> FactInference::other_numbers(const std::vector<DatumPtr>& arguments, std::size_t place,
                                                                const Sampled& in, std::size_t item) {
  std::vector<std::vector<DatumPtr>> variants;
  const Facts facts = evaluator_.describe(*arguments[place]);
  if (!facts.constant) return variants;
  const auto* list = facts.constant->get<Constant::List>();
  const auto* number = list ? list->items.at(item).get<std::int64_t>() : facts.constant->get<std::int64_t>();
  if (!number || !is_data_number(in, item)) return variants;
  for (const std::int64_t other : alternatives(*number)) {
    Constant changed = *facts.constant;
    (list ? std::get<Constant::List>(changed.value).items.at(item) : changed) = Constant{other};
    variants.push_back(arguments);
    variants.back()[place] = evaluator_.constant(changed);
  }
  return variants;
}

// The arguments of a sample, a tensor with few elements along the axes whose sizes data decide.
std::vector<std::vector<DatumPtr>> FactInference::other_sizes(const std::vector<DatumPtr>& arguments, std::size_t place,
                                                              const Sampled& in) {
  std::vector<std::vector<DatumPtr>> variants;
  const Facts facts = evaluator_.describe(*arguments[place], 0);
  const auto example = evaluator_.describe(*in.samples.front(), 0).fixed_dims();
  const auto sizes = facts.fixed_dims();
  if (!sizes || !example || example->size() != sizes->size() || example == sizes) return variants;
  for (const std::int64_t few : {0, 1}) {
    Sizes fewer = *sizes;
    for (std::size_t d = 0; d < fewer.size(); ++d)
      if ((*example)[d] != fewer[d]) fewer[d] = few;
    variants.push_back(arguments);
    variants.back()[place] = evaluator_.meta(facts.dtype, fewer);
  }
  return variants;
}

void FactInference::open_what_data_decide(const Node& node, const std::vector<const Sampled*>& inputs,
                                          std::vector<Sampled>& outputs) {
  if (!data_count_ || writes(node)) return;
  const bool gives_tensors = std::all_of(node.outputs().begin(), node.outputs().end(), [](const ir::Value* out) {
    return out->type().is(Type::Kind::Tensor);
  });
  if (!gives_tensors || outputs.empty()) return;
  std::vector<DatumPtr> arguments;
  for (const Sampled* in : inputs) arguments.push_back(in->samples.back());  // a data sample tells all numbers
  std::vector<std::vector<std::vector<DatumPtr>>> changes;  // for each thing that may change, its variants
  std::size_t tensors = 0, tensor = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type& type = node.input(i)->type();
    if (type.is(Type::Kind::Tensor)) {
      ++tensors;
      tensor = i;
    } else if (inputs[i]->depends_on_data) {
      const Facts facts = evaluator_.describe(*arguments[i]);
      const auto* list = facts.constant ? facts.constant->get<Constant::List>() : nullptr;
      for (std::size_t item = 0; item < (list ? list->items.size() : 1); ++item)
        changes.push_back(other_numbers(arguments, i, *inputs[i], item));
    }
  }
  if (tensors == 1) changes.push_back(other_sizes(arguments, tensor, *inputs[tensor]));
  std::erase_if(changes, [](const auto& variants) { return variants.empty(); });
  if (changes.empty()) return;
  const auto base = result_sizes(node, arguments);
  if (!base) return;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (!outputs[o].known()) continue;
    std::vector<bool> open((*base)[o].size(), false);
    for (const auto& variants : changes)
      for (const auto& variant : variants) {
        const auto sizes = result_sizes(node, variant);
        if (!sizes || (*sizes)[o].size() != open.size()) continue;
        for (std::size_t d = 0; d < open.size(); ++d) open[d] = open[d] || (*sizes)[o][d] != (*base)[o][d];
      }
    const auto example = evaluator_.describe(*outputs[o].samples.front(), 0).fixed_dims();
    for (std::size_t sample = count_ - data_count_; sample < count_; ++sample) {
      const auto shown = evaluator_.describe(*outputs[o].samples[sample], 0).fixed_dims();
      const bool comparable = example && shown && example->size() == open.size() && shown->size() == open.size();
      for (std::size_t d = 0; d < open.size(); ++d) open[d] = open[d] && comparable && (*shown)[d] == (*example)[d];
    }
    perturb(outputs[o], open);
  }
}

}  // namespace tonnx::program
