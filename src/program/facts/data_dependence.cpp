// Decides which results of a node are constant and which sizes depend on tensor data. Invalidates values after writes.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "aten/identity.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/facts/fact_inference.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Constant;
using ir::DType;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool any_open_dim(const Value& value) {
  if (!value.type().is(Type::Kind::Tensor)) return false;
  if (!value.facts().dims) return true;
  return std::any_of(value.facts().dims->begin(), value.facts().dims->end(),
                     [](const ir::Dim& d) { return !d.is_fixed(); });
}

bool any_varies(const Sampled& sampled) {
  return sampled.varies || std::find(sampled.items.begin(), sampled.items.end(), 1) != sampled.items.end();
}

bool item_varies(const Sampled& sampled, std::size_t item) {
  return item < sampled.items.size() ? sampled.items[item] != 0 : any_varies(sampled);
}

}  // namespace

bool is_made_beside(const Value& tensor, const Node& node) {
  const Node* producer = tensor.node();
  const ir::Schema* schema = producer && producer->parent() == node.parent() ? producer->schema() : nullptr;
  if (!schema || schema->returns.empty() || aten::traits_of(*producer).alias != aten::Alias::Marked) return false;
  return std::ranges::all_of(schema->returns, [](const ir::Argument& result) { return result.alias_set.empty(); }) &&
         aten::traits_of(*producer).container == Container::None;
}

bool resizes(const Node& node) {
  if (!writes_argument(node, 0) || !node.input()->type().is(Type::Kind::Tensor)) return false;
  const aten::Write write = aten::write_of(node);
  return write == aten::Write::Shape || write == aten::Write::Resize || write == aten::Write::Memory ||
         write == aten::Write::Layout;
}

namespace {

// True for a scalar, or a list of scalars or of such lists.
bool holds_numbers(const Type& type) {
  return type.is(Type::Kind::List) ? holds_numbers(type.elements.at(0)) : type.is_scalar();
}

bool holds_values(const Type& type) {
  return type.is(Type::Kind::List) || type.is(Type::Kind::Dict) || type.is(Type::Kind::Tuple);
}

// Adds the objects that a value may be, following copies and phis. Returns false if it may be an item of a container.
bool find_objects(const Value* value, std::unordered_set<const Value*>& objects) {
  std::unordered_set<const Value*> seen;
  std::vector<const Value*> open = {value};
  while (!open.empty()) {
    const Value* current = open.back();
    open.pop_back();
    const Node* producer = current->node();
    if (!seen.insert(current).second) continue;
    if (const std::vector<Value*> origins = handed_from(*current); !origins.empty()) {
      open.insert(open.end(), origins.begin(), origins.end());
    } else if (producer && aten::traits_of(*producer).alias == aten::Alias::Same) {
      open.push_back(producer->input());
    } else if (producer && aten::traits_of(*producer).container != Container::None) {
      return false;
    } else {
      objects.insert(current);
    }
  }
  return true;
}

// True if `is` between the two values is dynamic; otherwise the example decides. Later passes rebuild containers.
bool may_be_either(const Node& question) {
  const Value *a = question.input(0), *b = question.input(1);
  if (ir::is_none(a) || ir::is_none(b)) return false;
  if (holds_values(a->type()) || holds_values(b->type())) return true;
  if (a == b) return false;
  std::unordered_set<const Value*> one, other;
  if (!find_objects(a, one) || !find_objects(b, other)) return true;
  // A single object was created in the current iteration of all loops around it.
  if (one.size() == 1 && one == other) return false;
  return std::ranges::any_of(one, [&](const Value* object) { return other.contains(object); });
}

}  // namespace

// True if the node splits a tensor into the same number of pieces in every run.
bool FactInference::gives_fixed_count(const Node& node, const std::vector<const Sampled*>& inputs) const {
  if (inputs.size() > 1 && holds_values(node.input(1)->type()))
    return has_fixed_form(node.input(1)->type(), *inputs[1]);
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (any_varies(*inputs[i])) return false;
  if (aten::traits_of(node).inverse == aten::Inverse::Sections) return true;
  const auto& dims = node.input()->facts().dims;
  const auto axis = dims ? constant_index(node.input(node.input_count() - 1), dims->size()) : std::nullopt;
  return axis && (*dims)[*axis].is_fixed();
}

bool FactInference::has_fixed_form(const Type& type, const Sampled& sampled) const {
  return !holds_values(type) || (!forms_are_open_ && (sampled.fixed_form || !any_varies(sampled)));
}

// The dims of a tensor in the current iteration: its facts, or those of its abstract value if iterations differ in
// rank.
std::optional<std::vector<ir::Dim>> FactInference::dims_now(const Value* tensor) {
  if (tensor->facts().dims) return tensor->facts().dims;
  Sampled now = of(tensor);
  return facts_of(now).dims;
}

// True if the containers that a node returns have the same form in every run.
bool FactInference::gives_fixed_form(const Node& node, const std::vector<const Sampled*>& inputs) {
  const aten::Traits& traits = aten::traits_of(node);
  const Container form = traits.container;
  if (makes_dict_of_pairs(node) && node.output()->type().elements.at(0).is(Type::Kind::String))
    return inputs.empty() || has_fixed_form(node.input()->type(), *inputs[0]);
  if (traits.gives_sizes) return dims_now(node.input()).has_value();
  if (traits.alias == aten::Alias::Same) return has_fixed_form(node.input()->type(), *inputs[0]);
  switch (traits.inverse) {
    case aten::Inverse::Unbind:
    case aten::Inverse::Split:
    case aten::Inverse::Chunk:
    case aten::Inverse::Sections: return gives_fixed_count(node, inputs);
    default: break;
  }
  switch (form) {
    case Container::List:
    case Container::Tuple:
    case Container::Dict:
    case Container::ListUnpack:
    case Container::TupleUnpack:
    case Container::Item:
    case Container::Concat:
    case Container::Copy:
    case Container::Keys:
    case Container::Values:
    case Container::Items:
    case Container::Part: break;
    default: return false;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool selects =
        ((form == Container::Item || form == Container::Part) && i > 0) || (form == Container::Dict && i % 2 == 0);
    if (selects ? any_varies(*inputs[i]) : !has_fixed_form(node.input(i)->type(), *inputs[i])) return false;
  }
  return true;
}

// True if the written container has the same form in every run.
bool FactInference::keeps_form(const Node& node, const std::vector<const Sampled*>& inputs) const {
  const Container form = aten::traits_of(node).container;
  const bool is_dict = node.input()->type().is(Type::Kind::Dict);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_value = (form == Container::Append && i == 1) || (form == Container::SetItem && i == 2);
    const bool selects =
        i > 0 && !is_value && !holds_values(node.input(i)->type()) && !node.input(i)->type().is(Type::Kind::Tensor);
    if (selects && any_varies(*inputs[i])) return false;
    if (!has_fixed_form(node.input(i)->type(), *inputs[i])) return false;
  }
  switch (form) {
    case Container::Append:
    case Container::Extend:
    case Container::Insert:
    case Container::SetItem:
    case Container::Clear:
    case Container::Reverse:
    case Container::Pop:
    case Container::Delete: return true;
    case Container::SetDefault:
    case Container::Update: return is_dict;
    default: return false;
  }
}

void FactInference::mark_varying(const Node& node, const std::vector<const Sampled*>& inputs,
                                 std::vector<Sampled>& outputs) {
  bool varies = false;
  bool data = false;
  bool meta = false;
  for (const Sampled* in : inputs) {
    varies = varies || any_varies(*in);
    data = data || in->depends_on_data;
    meta = meta || in->meta;
  }
  bool open = false;
  const aten::Traits& traits = aten::traits_of(node);
  if (!traits.size_blind)
    for (const Value* in : node.inputs()) open = open || any_open_dim(*in);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    const Type& type = node.output(o)->type();
    const bool is_tensor = type.is(Type::Kind::Tensor);
    out.meta = (meta || out.meta) && !holds_numbers(type);
    // A tensor computed from scalars has data, even if it takes its device or dtype from a tensor without.
    if (is_tensor && out.meta && varies && out.known() && evaluator_.describe(*out.samples.front()).constant)
      out.meta = false;
    out.varies = out.varies || varies || open;
    out.depends_on_data = out.depends_on_data || data;
    if (is_tensor && out.meta) {
      out.varies = false;           // its data are unknown
      out.depends_on_data = false;  // facts_of() derives it from the sizes
    }
  }
  if (outputs.empty()) return;
  const bool fixed = gives_fixed_form(node, inputs);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    outputs[o].fixed_form = fixed && holds_values(node.output(o)->type());
  Sampled& out = outputs.front();
  if (const auto deciding = aten::deciding_bool(node.kind()); deciding && node.output()->type().is(Type::Kind::Bool)) {
    for (const Value* in : node.inputs())
      if (certain(in) == deciding) out.varies = out.depends_on_data = false;
  }
  if (traits.type_only && dims_now(node.input())) out.varies = out.depends_on_data = false;
  if (node.is("aten::is_contiguous") && names_plain_order(node) && !has_resizes_ && lies_in_order(*node.input()))
    out.varies = out.depends_on_data = false;
  if (aten::identity_of(node.kind()) != aten::Identity::None && may_be_either(node))
    out.varies = out.depends_on_data = true;
  if (traits.gives_sizes && !inputs.empty()) {
    const auto dims = dims_now(node.input());
    if (node.input_count() == 1) {
      out.varies = !dims;
      if (dims)
        for (const ir::Dim& dim : *dims) out.items.push_back(dim.is_fixed() ? 0 : 1);
      out.varies = any_varies(out);
    } else {
      const auto axis = dims ? constant_index(node.input(1), dims->size()) : std::nullopt;
      out.varies = any_varies(*inputs[1]) || (axis ? !(*dims)[*axis].is_fixed() : any_open_dim(*node.input()));
    }
    out.depends_on_data = inputs[0]->depends_on_data && out.varies;
  } else if (traits.container == Container::Length && node.input()->type().is(Type::Kind::Tensor)) {
    const auto dims = dims_now(node.input());
    out.varies = !dims || dims->empty() || !dims->front().is_fixed();
    out.depends_on_data = out.depends_on_data && out.varies;
  } else if (traits.container == Container::Length && holds_values(node.input()->type())) {
    out.varies = !has_fixed_form(node.input()->type(), *inputs[0]);
    out.depends_on_data = out.depends_on_data && out.varies;
  } else if (traits.container == Container::Contains && node.input()->type().is(Type::Kind::Dict)) {
    out.varies = !has_fixed_form(node.input()->type(), *inputs[0]) || any_varies(*inputs[1]);
    out.depends_on_data = out.depends_on_data && out.varies;
  } else if (traits.container == Container::Keys && has_fixed_form(node.input()->type(), *inputs[0])) {
    out.varies = out.depends_on_data = false;
  } else if (traits.container == Container::Items) {
    out.fixed_keys = has_fixed_form(node.input()->type(), *inputs[0]);
  } else if (traits.container == Container::List || traits.container == Container::Tuple) {
    for (const Sampled* in : inputs) out.items.push_back(any_varies(*in));
  } else if (traits.container == Container::ListUnpack || traits.container == Container::TupleUnpack) {
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (!outputs[o].meta || !node.output(o)->type().is(Type::Kind::Tensor))
        outputs[o].varies = item_varies(*inputs[0], o);
    if (inputs[0]->fixed_keys) out.varies = out.depends_on_data = false;
  } else if (traits.container == Container::Item && inputs[0]->fixed_keys &&
             node.output()->type().is(Type::Kind::Tuple)) {
    out.fixed_keys = !any_varies(*inputs[1]);
  } else if (traits.container == Container::Item && inputs.size() == 2 && !inputs[0]->items.empty() &&
             !any_varies(*inputs[1]) && !out.meta) {
    if (const auto item = constant_index(node.input(1), inputs[0]->items.size()))
      out.varies = item_varies(*inputs[0], *item);
  }
}

// A varying operand of a write makes the container vary, under all aliases.
void FactInference::note_container_writes(const Node& node, const std::vector<const Sampled*>& inputs,
                                          bool sets_entry) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!writes_argument(node, i) || node.input(i)->type().is(Type::Kind::Tensor)) continue;
    Sampled& written = values_[node.input(i)];
    if (uncertain_ > 0 && !sets_entry) uncertain_writes_.push_back(written.samples.front());
    bool varies = false;
    written.fixed_form = keeps_form(node, inputs);
    forms_are_open_ = forms_are_open_ || !written.fixed_form;
    for (const Sampled* in : inputs) {
      varies = varies || any_varies(*in);
      written.depends_on_data = written.depends_on_data || in->depends_on_data;
    }
    if (!varies) continue;
    written.varies = true;
    written.fixed_keys = false;
    written.items.clear();
    spoiled_.push_back({written.samples.front(), false});
  }
}

// Invalidates the writes of a block that may not run.
void FactInference::forget_uncertain_writes() {
  for (ir::DatumPtr& datum : uncertain_writes_) spoiled_.push_back({std::move(datum), true});
  uncertain_writes_.clear();
  for (Entry& entry : uncertain_entries_) spoil_entry(entry.dict, std::move(entry.key));
  uncertain_entries_.clear();
}

// Drops the content of tensors that are written to in a block that may not run, unless they were created in it.
void FactInference::forget_content_written(const Node& node, const std::vector<const Sampled*>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!writes_argument(node, i) || !node.input(i)->type().is(Type::Kind::Tensor) ||
        is_made_beside(*node.input(i), node))
      continue;
    forget_content(*inputs[i]);
  }
}

// Drops the content of tensors written to by a node that is not evaluated, or of all possible aliases of an unknown
// one.
void FactInference::forget_content_possibly_written(const Node& node, const std::vector<const Sampled*>& inputs,
                                                    bool is_evaluated) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!writes_argument(node, i) || !node.input(i)->type().is(Type::Kind::Tensor)) continue;
    if (inputs[i]->known() && !is_picked(node.input(i))) {
      if (!is_evaluated) forget_content(*inputs[i]);
      continue;
    }
    for (const auto& [value, sampled] : values_)
      if (sharing_->may_share(value, node.input(i))) forget_content(sampled);
  }
}

void FactInference::forget_content(const Sampled& sampled) {
  for (const ir::DatumPtr& sample : sampled.samples) evaluator_.forget_content(*sample);
}

// Drops the content of both operands of a phi whose storage may be written to.
void FactInference::forget_chosen(const Value* phi, const Sampled& a, const Sampled& b) {
  if (!sharing_ || a.unreachable || b.unreachable || a.samples == b.samples || !sharing_->is_written(phi)) return;
  forget_content(a);
  forget_content(b);
}

// Makes a tensor that is resized in a block that may not run unknown, with all its aliases.
void FactInference::forget_resized(Node& node) {
  forget_all_of(*node.input());
  for (Value* out : node.outputs()) record(out, Sampled{});
}

void FactInference::forget_all_of(const Value& resized) {
  const ir::DatumPtr datum = of(&resized).samples.front();
  for (auto& [value, sampled] : values_)
    if (sampled.known() && shares(*sampled.samples.front(), *datum)) sampled = Sampled{};
}

// Makes an `out` argument unknown, with all its aliases, if the operator resizes it.
void FactInference::forget_resized_out(const Node& node, const std::vector<Sampled>& outputs) {
  const ir::Schema* schema = node.schema();
  if (!has_writes_ || !schema || outputs.size() != 1) return;
  for (std::size_t i = 0; i < schema->arguments.size() && i < node.input_count(); ++i) {
    if (!schema->arguments[i].is_write || schema->arguments[i].name != "out") continue;
    const std::vector<ir::DatumPtr>&before = of(node.input(i)).samples, &after = outputs[0].samples;
    for (std::size_t sample = 0; sample < before.size() && sample < after.size(); ++sample)
      if (evaluator_.describe(*before[sample], 0).fixed_dims() != evaluator_.describe(*after[sample], 0).fixed_dims())
        return forget_all_of(*node.input(i));
  }
}

bool FactInference::shares(const ir::Datum& datum, const ir::Datum& other) {
  if (evaluator_.share_memory(datum, other)) return true;
  return std::ranges::any_of(evaluator_.items(datum), [&](const ir::DatumPtr& item) { return shares(*item, other); });
}

void FactInference::spoil(Sampled& sampled) const {
  for (const Spoiled& spoiled : spoiled_) {
    if (!sampled.known()) return;
    if (!evaluator_.share_memory(*sampled.samples.front(), *spoiled.datum)) continue;
    if (spoiled.unknown) {
      sampled = Sampled{};
    } else {
      sampled.varies = true;
      sampled.fixed_keys = false;
      sampled.items.clear();
    }
  }
}

// The dims of a data-dependent result that depend on the data.
std::vector<bool> FactInference::data_dims(const Node& node, std::size_t output,
                                           const std::vector<const Sampled*>& inputs, std::size_t rank) {
  using aten::DataDims;
  std::vector<bool> out(rank, false);
  if (rank == 0) return out;
  const DataDims which = aten::traits_of(node).data_dims;
  if (which == DataDims::FirstButInverse && output == 1) return out;
  if (which == DataDims::First || which == DataDims::FirstButInverse) {
    out[0] = true;
    return out;
  }
  if (which == DataDims::Indexed && inputs.size() == 2) {
    const auto indices = evaluator_.items(*inputs[1]->samples.front());
    std::size_t before = 0;
    std::size_t width = 0;
    std::size_t groups = 0;
    bool inside = false;
    for (const auto& index : indices) {
      const Facts facts = evaluator_.describe(*index, 0);
      const bool is_none = !facts.dims || (facts.constant && facts.constant->is_none());
      if (is_none) {
        before += groups == 0;
        inside = false;
        continue;
      }
      groups += !inside;
      inside = true;
      const bool mask = facts.dtype == DType::Bool || facts.dtype == DType::UInt8;
      width = std::max(width, mask ? 1 : facts.dims->size());
    }
    const std::size_t begin = groups > 1 ? 0 : before;
    for (std::size_t d = begin; d < begin + width && d < rank; ++d) out[d] = true;
    return out;
  }
  out.assign(rank, true);
  return out;
}

void FactInference::perturb_outputs(const Node& node, const std::vector<const Sampled*>& inputs,
                                    std::vector<Sampled>& outputs) {
  require_data_samples();
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Sampled& out = outputs[o];
    if (!out.known()) continue;
    const Facts facts = evaluator_.describe(*out.samples.front());
    if (node.output(o)->type().is(Type::Kind::Tensor) && facts.dims) {
      out.varies = false;
      out.meta = true;
      perturb(out, data_dims(node, o, inputs, facts.dims->size()));
      continue;
    }
    out.varies = out.depends_on_data = true;
    out.items.clear();
    if (const auto* v = facts.constant ? facts.constant->get<std::int64_t>() : nullptr) {
      out.samples[count_ - 2] = evaluator_.constant({*v + 1});
      out.samples[count_ - 1] = evaluator_.constant({2 * *v + 3});
      continue;
    }
    if (const auto* v = facts.constant ? facts.constant->get<double>() : nullptr) {
      out.samples[count_ - 2] = evaluator_.constant({*v + 1});
      out.samples[count_ - 1] = evaluator_.constant({2 * *v + 3});
      continue;
    }
    const auto items = evaluator_.items(*out.samples.front());
    if (items.empty() || !evaluator_.describe(*items.front(), 0).dims) continue;
    out.meta = true;
    std::vector<std::vector<ir::DatumPtr>> columns(data_count_);
    for (const auto& item : items) {
      Sampled element;
      element.samples.assign(count_, item);
      const auto dims = evaluator_.describe(*item, 0).dims;
      if (dims) perturb(element, data_dims(node, o, inputs, dims->size()));
      for (std::size_t k = 0; k < data_count_; ++k) columns[k].push_back(element.samples[count_ - data_count_ + k]);
    }
    for (std::size_t k = 0; k < data_count_; ++k) {
      const ir::DatumPtr list = evaluator_.list(columns[k]);
      if (!list) {
        out.samples.clear();
        break;
      }
      out.samples[count_ - data_count_ + k] = list;
    }
  }
}

}  // namespace tonnx::program
