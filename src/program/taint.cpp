// What of a node's results may be a constant, and which sizes depend on tensor data.
#include <algorithm>

#include "aten/traits.h"
#include "program/items.h"
#include "program/place.h"
#include "program/walk.h"

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

bool is_tainted(const Entry& entry) {
  return entry.tainted || std::find(entry.items.begin(), entry.items.end(), 1) != entry.items.end();
}

bool item_taint(const Entry& entry, std::size_t item) {
  return item < entry.items.size() ? entry.items[item] != 0 : is_tainted(entry);
}

}  // namespace

void Walk::taint_outputs(const Node& node, const std::vector<const Entry*>& inputs, std::vector<Entry>& outputs) {
  bool tainted = false;
  bool data = false;
  bool meta = false;
  for (const Entry* in : inputs) {
    tainted = tainted || is_tainted(*in);
    data = data || in->data;
    meta = meta || in->meta;
  }
  bool open = false;
  const aten::Traits& traits = aten::traits_of(node);
  if (!traits.size_blind)
    for (const Value* in : node.inputs()) open = open || any_open_dim(*in);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Entry& out = outputs[o];
    const Type& type = node.output(o)->type();
    const bool is_tensor = type.is(Type::Kind::Tensor);
    out.meta = (meta || out.meta) && (is_tensor || !type.is_scalar());
    out.tainted = out.tainted || tainted || open;
    out.data = out.data || data;
    if (is_tensor && out.meta) {
      out.tainted = false;  // its data are unknown anyway
      out.data = false;     // facts_of() finds it in the sizes
    }
  }
  if (outputs.empty()) return;
  Entry& out = outputs.front();
  if (traits.gives_sizes && !inputs.empty()) {
    const auto& dims = node.input()->facts().dims;
    if (node.input_count() == 1) {
      out.tainted = !dims;
      if (dims)
        for (const ir::Dim& dim : *dims) out.items.push_back(dim.is_fixed() ? 0 : 1);
      out.tainted = is_tainted(out);
    } else {
      const auto axis = dims ? constant_index(node.input(1), dims->size()) : std::nullopt;
      out.tainted = is_tainted(*inputs[1]) || (axis ? !(*dims)[*axis].is_fixed() : any_open_dim(*node.input()));
    }
    out.data = inputs[0]->data && out.tainted;
  } else if (traits.container == Container::List || traits.container == Container::Tuple) {
    for (const Entry* in : inputs) out.items.push_back(is_tainted(*in));
  } else if (traits.container == Container::ListUnpack || traits.container == Container::TupleUnpack) {
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (!outputs[o].meta || !node.output(o)->type().is(Type::Kind::Tensor))
        outputs[o].tainted = item_taint(*inputs[0], o);
  } else if (traits.container == Container::Item && inputs.size() == 2 &&
             !inputs[0]->items.empty() && !is_tainted(*inputs[1]) && !out.meta) {
    if (const auto item = constant_index(node.input(1), inputs[0]->items.size()))
      out.tainted = item_taint(*inputs[0], *item);
  }
}

// What goes into a list or dict taints it, under every name it has.
void Walk::note_container_writes(const Node& node, const std::vector<const Entry*>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!writes_argument(node, i) || node.input(i)->type().is(Type::Kind::Tensor)) continue;
    Entry& written = env_[node.input(i)];
    if (uncertain_ > 0) uncertain_writes_.push_back(written.lanes.front());
    bool tainted = false;
    for (const Entry* in : inputs) {
      tainted = tainted || is_tainted(*in);
      written.data = written.data || in->data;
    }
    if (!tainted) continue;
    written.tainted = true;
    written.items.clear();
    spoiled_.push_back({written.lanes.front(), false});
  }
}

// After a block that may or may not run.
void Walk::forget_uncertain_writes() {
  for (ir::DatumPtr& datum : uncertain_writes_) spoiled_.push_back({std::move(datum), true});
  uncertain_writes_.clear();
}

void Walk::spoil(Entry& entry) const {
  for (const Spoiled& spoiled : spoiled_) {
    if (!entry.known()) return;
    if (!evaluator_.share_memory(*entry.lanes.front(), *spoiled.datum)) continue;
    if (spoiled.unknown) {
      entry = Entry{};
    } else {
      entry.tainted = true;
      entry.items.clear();
    }
  }
}

// The dims of a data-dependent result that the data decide.
std::vector<bool> Walk::data_dims(const Node& node, std::size_t output, const std::vector<const Entry*>& inputs,
                                  std::size_t rank) {
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
    const auto indices = evaluator_.items(*inputs[1]->lanes.front());
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

void Walk::vary_outputs(const Node& node, const std::vector<const Entry*>& inputs, std::vector<Entry>& outputs) {
  require_data_lanes();
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Entry& out = outputs[o];
    if (!out.known()) continue;
    const Facts facts = evaluator_.describe(*out.lanes.front());
    if (node.output(o)->type().is(Type::Kind::Tensor) && facts.dims) {
      out.tainted = false;
      out.meta = true;
      perturb(out, data_dims(node, o, inputs, facts.dims->size()));
      continue;
    }
    out.tainted = out.data = true;
    out.items.clear();
    if (const auto* v = facts.constant ? facts.constant->get<std::int64_t>() : nullptr) {
      out.lanes[lanes_ - 2] = evaluator_.constant({*v + 1});
      out.lanes[lanes_ - 1] = evaluator_.constant({2 * *v + 3});
      continue;
    }
    if (const auto* v = facts.constant ? facts.constant->get<double>() : nullptr) {
      out.lanes[lanes_ - 2] = evaluator_.constant({*v + 1});
      out.lanes[lanes_ - 1] = evaluator_.constant({2 * *v + 3});
      continue;
    }
    const auto items = evaluator_.items(*out.lanes.front());
    if (items.empty() || !evaluator_.describe(*items.front(), 0).dims) continue;
    out.meta = true;
    std::vector<std::vector<ir::DatumPtr>> columns(data_lanes_);
    for (const auto& item : items) {
      Entry element;
      element.lanes.assign(lanes_, item);
      const auto dims = evaluator_.describe(*item, 0).dims;
      if (dims) perturb(element, data_dims(node, o, inputs, dims->size()));
      for (std::size_t k = 0; k < data_lanes_; ++k) columns[k].push_back(element.lanes[lanes_ - data_lanes_ + k]);
    }
    for (std::size_t k = 0; k < data_lanes_; ++k) {
      const ir::DatumPtr list = list_of(columns[k]);
      if (!list) {
        out.lanes.clear();
        break;
      }
      out.lanes[lanes_ - data_lanes_ + k] = list;
    }
  }
}

}  // namespace tonnx::program
