// Makes weights that overlap in one storage views of the largest one, if the program writes to one of them:
//
//   add_(%cache, 1); %y = relu(%row)        %row = slice(%cache, 0, 1, 2); add_(%cache, 1); %y = relu(%row)
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "ir/writes.h"
#include "program/edit.h"
#include "program/references/alias.h"
#include "program/writes/state_writes.h"

namespace tonnx::program {

using ir::StateWrite;
using ir::Tensor;
using ir::Value;

namespace {

using Sizes = std::vector<std::int64_t>;

// A view of a contiguous tensor: viewed as `shape`, sliced along each axis, element `innermost` of the last axis if the
// strides skip elements, permuted by `order`, unsqueezed at the axes `single`.
struct View {
  Sizes shape, begins, sizes;
  std::optional<std::int64_t> innermost;
  Sizes order;
  Sizes single;
};

// None if the strides are not nested, such as those of an expanded tensor, or do not divide the base.
std::optional<View> view_of(const Tensor& base, const Tensor& part) {
  View view;
  std::vector<std::size_t> axes;  // larger than 1, by decreasing stride
  for (std::size_t i = 0; i < part.dims.size(); ++i) {
    if (part.dims[i] < 1 || (part.dims[i] > 1 && part.strides[i] < 1)) return std::nullopt;
    if (part.dims[i] == 1)
      view.single.push_back(static_cast<std::int64_t>(i));
    else
      axes.push_back(i);
  }
  const std::vector<std::size_t> own = axes;
  std::ranges::stable_sort(axes, [&](std::size_t a, std::size_t b) { return part.strides[a] > part.strides[b]; });
  for (const std::size_t axis : own) view.order.push_back(std::ranges::find(axes, axis) - axes.begin());
  std::int64_t extent = base.numel(), offset = part.offset - base.offset;
  const auto add = [&](std::int64_t stride, std::int64_t size) {
    if (extent % stride != 0) return false;
    const std::int64_t begin = offset / stride;
    view.shape.push_back(extent / stride);
    view.begins.push_back(begin);
    view.sizes.push_back(size);
    offset -= begin * stride;
    extent = stride;
    return begin + size <= view.shape.back();
  };
  for (const std::size_t axis : axes)
    if (!add(part.strides[axis], part.dims[axis])) return std::nullopt;
  if (extent > 1) {
    view.innermost = offset;
    view.shape.push_back(extent);
  }
  return view;
}

Value* with_facts(Value* result, ir::DType dtype, const Sizes& sizes) {
  ir::Facts facts;
  facts.dtype = dtype;
  facts.dims.emplace(sizes.begin(), sizes.end());
  result->set_facts(std::move(facts));
  return result;
}

Value* make_view(Inserter& insert, Value* base, const View& view) {
  const ir::DType dtype = base->weight()->dtype;
  Sizes sizes = view.shape;
  Value* result = with_facts(insert.call("aten::view", {base, insert.integers(sizes)}), dtype, sizes);
  for (std::size_t i = 0; i < view.sizes.size(); ++i) {
    if (view.sizes[i] == sizes[i]) continue;
    const std::int64_t begin = view.begins[i];
    sizes[i] = view.sizes[i];
    result = with_facts(insert.call("aten::slice.Tensor", {result, insert.integer(static_cast<std::int64_t>(i)),
                                                           insert.integer(begin), insert.integer(begin + sizes[i])}),
                        dtype, sizes);
  }
  if (view.innermost) {
    sizes.pop_back();
    result = with_facts(
        insert.call("aten::select.int",
                    {result, insert.integer(static_cast<std::int64_t>(sizes.size())), insert.integer(*view.innermost)}),
        dtype, sizes);
  }
  if (!std::ranges::is_sorted(view.order)) {
    Sizes ordered;
    for (const std::int64_t axis : view.order) ordered.push_back(sizes[static_cast<std::size_t>(axis)]);
    sizes = ordered;
    result = with_facts(insert.call("aten::permute", {result, insert.integers(view.order)}), dtype, sizes);
  }
  for (const std::int64_t axis : view.single) {
    sizes.insert(sizes.begin() + axis, 1);
    result = with_facts(insert.call("aten::unsqueeze", {result, insert.integer(axis)}), dtype, sizes);
  }
  return result;
}

struct Named {
  std::string name;
  Tensor tensor;
};

// Groups the tensors that overlap, transitively.
std::vector<std::vector<Named>> groups_of(const std::vector<std::pair<std::string, Tensor>>& all) {
  std::vector<std::vector<Named>> groups;
  for (const auto& [name, tensor] : all) {
    std::vector<Named> joined{{name, tensor}};
    std::erase_if(groups, [&, tensor = &tensor](const std::vector<Named>& group) {
      if (std::ranges::none_of(group, [&](const Named& other) { return other.tensor.may_overlap(*tensor); }))
        return false;
      joined.insert(joined.begin(), group.begin(), group.end());
      return true;
    });
    groups.push_back(std::move(joined));
  }
  return groups;
}

class WeightJoiner {
 public:
  WeightJoiner(ir::Graph& graph, ir::StateWrites& state) : graph_(graph), state_(state) {
    for (Value* weight : graph.weights()) weights_[weight->name()] = weight;
    const AliasForest forest(graph);
    for (const auto& [root, writer] : forest.first_writes()) {
      if (root->weight()) writers_.emplace(root->name(), writer);
      for (const Value* origin : forest.possible_origins(root))
        if (origin->weight()) writers_.emplace(origin->name(), writer);
    }
  }

  bool join(const std::vector<Named>& group) {
    const auto written = std::ranges::find_if(group, [&](const Named& each) { return writers_.contains(each.name); });
    if (written == group.end()) return false;
    const ir::Node& writer = *writers_.at(written->name);
    const auto is_base = [&](const Named& base) {
      const auto fits = [&](const Named& part) {
        const std::int64_t begin = part.tensor.offset - base.tensor.offset;
        return part.tensor.dtype == base.tensor.dtype && begin >= 0 && view_of(base.tensor, part.tensor);
      };
      return base.tensor.is_contiguous() && std::ranges::all_of(group, fits);
    };
    const auto base = std::ranges::find_if(group, is_base);
    if (base == group.end()) return false;
    const auto known = weights_.find(base->name);
    Value* base_value = known != weights_.end() ? known->second : graph_.add_weight(base->name, base->tensor);
    Inserter insert = Inserter::at_start(graph_.block(), writer.location());
    report(*base, base_value, writer, writers_.contains(base->name));
    for (const Named& part : group) {
      if (part.name == base->name) continue;
      Value* view = make_view(insert, base_value, *view_of(base->tensor, part.tensor));
      if (const auto own = weights_.find(part.name); own != weights_.end()) own->second->replace_uses(view);
      report(part, view, writer, writers_.contains(part.name));
    }
    return true;
  }

 private:
  // Reports the write under each name of the weight.
  void report(const Named& named, Value* value, const ir::Node& writer, bool is_certain) {
    StateWrite write = ir::state_write(StateWrite::Kind::Weight, named.name, writer);
    write.is_certain = is_certain;
    for (const std::string& name : names_of(write, state_)) {
      write.name = name;
      if (!state_.as_outputs) {
        state_.left_out.push_back(write);
        continue;
      }
      graph_.block().add_output(value);
      state_.outputs.push_back(write);
    }
  }

  ir::Graph& graph_;
  ir::StateWrites& state_;
  std::map<std::string, Value*> weights_;
  std::map<std::string, const ir::Node*> writers_;  // by the name of the written weight
};

}  // namespace

bool join_weights(ir::Graph& graph, ir::StateWrites& state) {
  if (state.overlapping.empty() || !has_writes(graph)) return false;
  WeightJoiner joiner(graph, state);
  return std::ranges::count_if(groups_of(state.overlapping), [&](const auto& group) { return joiner.join(group); }) > 0;
}

}  // namespace tonnx::program
