// References that are one of two tensors (Selection) in functionalise(). A read selects between the current values of
// the candidates. A write changes the one that the reference is, in an If with the condition of the selection:
//
//   %c = prim::If(%k)                        %c = prim::If(%k)
//     block0: -> (%a)                          block0: -> (%a)
//     block1: -> (%b)                          block1: -> (%b)
//   %_ = aten::add_(%c, 1)                   %d, %e, %f = prim::If(%k)
//   -> (%a, %b, %c)                            block0: %g = aten::add(%a, 1) -> (%g, %g, %b)
//                                              block1: %h = aten::add(%b, 1) -> (%h, %a, %h)
//                                            -> (%e, %f, %d)
#include <array>
#include <exception>

#include "aten/containers.h"
#include "ir/control_flow.h"
#include "ir/refusal.h"
#include "program/control/carry.h"
#include "program/writes/write_rewriter.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Value;

namespace {

constexpr std::size_t kMostBlocks = 1 << 14;  // of all writes; nested selections multiply them

}  // namespace

// A path on which a selection is one of its candidates. Its changes are undone at its end.
class WriteRewriter::Path {
 public:
  Path(WriteRewriter& rewriter, const Value* selected, Value* candidate)
      : rewriter_(rewriter), selected_(selected), mark_(rewriter.undo_.size()) {
    rewriter_.resolved_[selected] = candidate;
  }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  ~Path() {
    rewriter_.resolved_.erase(selected_);
    rewriter_.roll_back(mark_);
  }

 private:
  WriteRewriter& rewriter_;
  const Value* selected_;
  std::size_t mark_;
};

// Runs `each`, which writes to the value and returns its new content: once, or for each candidate in its branch.
Value* WriteRewriter::store(Value* value, Inserter& insert, const Node& writer, const Store& each) {
  Value* selected = forest_.root(value);
  const Selection* of = forest_.selection(selected);
  if (!of || resolved_.contains(selected)) return each(insert);
  selected_blocks_ += 2;
  if (selected_blocks_ > kMostBlocks)
    throw refusal(writer, "writes to one of too many tensors that branches select; write to a copy (clone()) instead");
  std::array<std::vector<Value*>, 2> after;
  std::exception_ptr refused;  // rethrown when the If is complete
  const auto path = [&](std::size_t k) {
    return [&, k](Inserter& inside) {
      const Path on_path(*this, selected, of->candidates[k]);
      Value* content = nullptr;
      try {
        if (!is_never(of->candidates[k])) content = store(of->candidates[k], inside, writer, each);
      } catch (const ir::Error&) {
        refused = std::current_exception();
      }
      for (Value* root : of->roots) after[k].push_back(current(root));
      return content ? content : inside.never(value->type());
    };
  };
  Value* content = insert.branch(visible(of->branch->input(), insert), value->type(), path(0), path(1));
  if (refused) std::rethrow_exception(refused);
  copy_shape(*value, *content);
  for (std::size_t i = 0; i < of->roots.size(); ++i) {
    if (after[0][i] == after[1][i]) continue;
    Value* root = of->roots[i];
    Value* now = add_result(*content->node(), root->type(), after[0][i], after[1][i]);
    copy_shape(*root, *now);
    set_current(root, now);
  }
  return content;
}

// The current value of a selection. What was defined before the If is read before the new If, so that chains of
// selections are read once.
Value* WriteRewriter::read_selected(Value* selected, Inserter& insert) {
  if (const auto path = resolved_.find(selected); path != resolved_.end()) return read(path->second, insert);
  const Selection& of = *forest_.selection(selected);
  std::array<Value*, 2> before{};
  for (std::size_t k = 0; k < 2; ++k)
    if (!is_inside(*of.candidates[k]->node(), *of.branch)) before[k] = read(of.candidates[k], insert);
  const auto path = [&](std::size_t k) {
    return [&, k](Inserter& inside) {
      if (before[k]) return before[k];
      if (is_never(of.candidates[k])) return inside.never(selected->type());
      const Path on_path(*this, selected, of.candidates[k]);
      return read(of.candidates[k], inside);
    };
  };
  Value* result = insert.branch(visible(of.branch->input(), insert), selected->type(), path(0), path(1));
  copy_shape(*selected, *result);
  return result;
}

// Finds what the value, which the block yields as a candidate, needs from the block.
void WriteRewriter::find_exports(Value* value, const Block& block, Exports& exports) const {
  if (is_never(value) || !is_inside(*value->node(), block) || !exports.seen.insert(value).second) return;
  if (!is_memory(value->type()) || value->type().is(ir::Type::Kind::List)) {  // an operand of a view, or a condition
    if (value->node()->is("prim::Constant")) return;
    if (aten::acts_as(*value->node(), aten::Container::List)) {
      for (Value* item : value->node()->inputs()) find_exports(item, block, exports);
      return;
    }
    const auto inner = exported_.find(value);
    exports.values.emplace_back(value, inner == exported_.end() ? value : inner->second);
    return;
  }
  const Alias& alias = forest_.of(value);
  const Selection* selected = forest_.selection(value);
  if (alias.view)
    for (Value* operand : alias.view->inputs().subspan(1)) find_exports(operand, block, exports);
  if (alias.parent) return find_exports(alias.parent, block, exports);
  if (!selected) return exports.values.emplace_back(value, current(value)), void();
  find_exports(selected->branch->input(), block, exports);
  for (Value* candidate : selected->candidates) find_exports(candidate, block, exports);
}

void WriteRewriter::export_values(Block& block, const Exports& exports) {
  for (const auto& [value, now] : exports.values) {
    Value* result = add_result_of(block, now);
    if (is_memory(value->type())) {
      set_current(value, result);
    } else {
      exported_[value] = result;
    }
  }
}

// The operand of a view, after the walk has left the block that defines it.
Value* WriteRewriter::visible(Value* operand, Inserter& insert) const {
  if (!is_left(*operand)) return operand;
  const Node& maker = *operand->node();
  if (maker.is("prim::Constant")) return insert.constant(*operand->constant());
  if (!aten::acts_as(maker, aten::Container::List)) return exported_.at(operand);
  std::vector<Value*> items;
  for (Value* item : maker.inputs()) items.push_back(visible(item, insert));
  return insert.list(operand->type(), items);
}

}  // namespace tonnx::program
