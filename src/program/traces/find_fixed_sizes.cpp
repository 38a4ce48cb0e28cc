#include "program/traces/find_fixed_sizes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/refusal.h"
#include "ir/source_line.h"
#include "program/containers/items.h"

namespace tonnx::program {

using ir::Constant;
using ir::Dim;
using ir::Node;
using ir::Value;

namespace {

// The items of a list of sizes; nullopt for those that are not constant.
std::vector<std::optional<std::int64_t>> sizes_of(const Value* list) {
  std::vector<std::optional<std::int64_t>> out;
  if (const Constant* c = list->constant()) {
    if (const auto* items = c->get<Constant::List>())
      for (const Constant& item : items->items)
        out.push_back(item.get<std::int64_t>() ? std::optional(*item.get<std::int64_t>()) : std::nullopt);
  } else if (list->node() && aten::acts_as(*list->node(), aten::Container::List)) {
    for (const Value* item : list->node()->inputs()) out.push_back(constant_integer(item));
  }
  return out;
}

class Finder {
 public:
  explicit Finder(const std::vector<InputAxis>& dynamic) : dynamic_(dynamic) {}

  void visit(const Node& node) {
    if (const auto& line = node.location().line; line && line->is_written()) return;
    if (node.input_count() == 0 || node.output_count() != 1 || !node.input()->facts().dims) return;
    if (aten::traits_of(node).spells_sizes) {
      for (std::size_t i = 1; i < node.input_count(); ++i) {
        const auto sizes = sizes_of(node.input(i));
        for (std::size_t d = 0; d < sizes.size(); ++d)
          if (sizes[d]) size(node, sizes, d);
      }
    } else if (aten::traits_of(node).inverse == aten::Inverse::Slice && node.input_count() == 5) {
      const auto axis = constant_integer(node.input(1));
      const auto end = constant_integer(node.input(3));
      const auto& dims = *node.input()->facts().dims;
      if (!axis || !end) return;
      const std::int64_t d = *axis < 0 ? *axis + static_cast<std::int64_t>(dims.size()) : *axis;
      if (d < 0 || d >= static_cast<std::int64_t>(dims.size())) return;
      end_of_slice(node, dims[static_cast<std::size_t>(d)], *end);
    }
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  // True if the result has the axis itself, or all dims of the operand that depend on it: the constant is another size.
  static bool keeps_axis(const Node& node, const std::string& symbol) {
    const auto& dims = node.output()->facts().dims;
    if (!dims) return false;
    const auto has = [&](const Dim& dim) {
      return std::ranges::any_of(*dims, [&](const Dim& d) { return d.same(dim); });
    };
    const auto& in = *node.input()->facts().dims;
    return has(Dim::symbol(symbol)) ||
           std::ranges::all_of(in, [&](const Dim& d) { return !d.mentions(symbol) || has(d); });
  }

  using Sizes = std::vector<std::optional<std::int64_t>>;

  void size(const Node& node, const Sizes& sizes, std::size_t index) {
    const std::int64_t size = *sizes[index];
    const auto& dims = *node.input()->facts().dims;
    for (const InputAxis& axis : dynamic_) {
      if (axis.example != size || size < 2 || keeps_axis(node, axis.symbol)) continue;
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (dims[d].mentions(axis.symbol) && may_be_axis(node, d, sizes, index)) return report(node, axis);
    }
  }

  void end_of_slice(const Node& node, const Dim& dim, std::int64_t end) {
    for (const InputAxis& axis : dynamic_)
      if (axis.example == end && end >= 2 && dim.is_symbol(axis.symbol)) return report(node, axis);
  }

  // True if the size at `index` may be that of the operand's axis: in a reshape, the sizes before both have one
  // product.
  bool may_be_axis(const Node& node, std::size_t axis, const Sizes& sizes, std::size_t index) const {
    const auto& in = *node.input()->facts().dims;
    const auto& out = node.output()->facts().dims;
    if (aten::traits_of(node).inverse != aten::Inverse::Reshape || !out || out->size() != sizes.size()) return true;
    std::optional<std::int64_t> whole = 1, known = 1, before = 1, wanted = 1;
    for (std::size_t d = 0; d < in.size(); ++d) {
      multiply(whole, at_example(in[d]));
      if (d < axis) multiply(wanted, at_example(in[d]));
    }
    std::vector<std::optional<std::int64_t>> all;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      all.push_back(sizes[d] ? sizes[d] : at_example((*out)[d]));
      if (all[d] != -1) multiply(known, all[d]);
    }
    for (std::size_t d = 0; d < index; ++d) {
      const bool is_inferred = all[d] == -1;
      multiply(before,
               is_inferred ? whole && known && *known > 0 ? std::optional(*whole / *known) : std::nullopt : all[d]);
    }
    return !before || !wanted || *before == *wanted;
  }

  static void multiply(std::optional<std::int64_t>& product, std::optional<std::int64_t> factor) {
    std::int64_t result = 0;
    const bool fits = product && factor && !__builtin_mul_overflow(*product, *factor, &result);
    product = fits ? std::optional(result) : std::nullopt;
  }

  std::optional<std::int64_t> at_example(const Dim& dim) const {
    if (dim.is_fixed()) return dim.size();
    if (!dim.polynomial()) return std::nullopt;
    std::map<std::string, ir::Polynomial> sizes;
    for (const InputAxis& axis : dynamic_) sizes.emplace(axis.symbol, axis.example);
    return dim.polynomial()->with(sizes).constant();
  }

  void report(const Node& node, const InputAxis& axis) {
    const std::string size = std::to_string(axis.example);
    std::string line = describe_site(node) + ": the constant " + size + " equals the example size of dynamic axis " +
                       axis.symbol + "; it stays " + size + " at every other size";
    if (found_.empty() || found_.back() != line) found_.push_back(std::move(line));
  }

  const std::vector<InputAxis>& dynamic_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> find_fixed_sizes(const ir::Graph& graph, const std::vector<InputAxis>& dynamic) {
  Finder finder(dynamic);
  if (!dynamic.empty()) for_each_node(graph.block(), [&](const Node* node) { finder.visit(*node); });
  return finder.take();
}

}  // namespace tonnx::program
