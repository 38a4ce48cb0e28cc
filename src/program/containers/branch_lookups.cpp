// Replaces a read of a dict by a dynamic key by a branch for each key.
//
// Needs constant keys and a program without writes. The model fails at a key that is not in the dict, as the program
// does; but if the only entry is a container, the model returns it for any key, with a warning:
//
//   %r = aten::__getitem__(%d, %k)           %c = aten::eq(%k, %a)
//                                            %r = prim::If(%c)
//                                              block0: -> (%x)
//                                              block1: -> (%y)
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/passes.h"
#include "program/control/branch_per_value.h"
#include "program/edit.h"
#include "program/nodes_where.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

class Branches {
 public:
  Branches(Node& read, std::vector<Value*> entries, std::vector<std::string>* warnings)
      : read_(read), entries_(std::move(entries)), warnings_(warnings) {}

  bool run() {
    Inserter insert(&read_);
    Value* result = nullptr;
    switch (aten::traits_of(read_).container) {
      case Container::Item:
        if (entries_.size() > 2) return select(insert), true;
        result = entries_.empty() ? nullptr : only_entry(insert);
        break;
      case Container::Get: result = read_.input_count() > 2 ? get(insert, 0, read_.input(2)) : nullptr; break;
      case Container::Contains: result = any(insert); break;
      default: break;
    }
    if (!result) return false;
    read_.output()->replace_uses(result);
    return true;
  }

 private:
  void select(Inserter& insert) {
    const std::vector<Value*> keys = keys_of(entries_);
    branch_per_value(read_, read_.output(), values_of(entries_), Selector::by_key(insert, read_.input(1), keys));
  }

  Value* only_entry(Inserter& insert) {
    Value* value = entries_.back();
    if (value->type().is(Type::Kind::Tensor) || value->type().is_scalar()) {
      Value* is_other = insert.call("aten::__not__", {equals_key(insert, read_.input(1), entries_.front())});
      return insert.only_item(value, insert.call("aten::Int.bool", {is_other}));
    }
    const ir::Constant* key = entries_.front()->constant();
    if (warnings_)
      ir::warn(*warnings_, ir::Category::Sizes, read_.location(),
               ir::describe_site(read_) + ": the program fails where the key is not " +
                   (key ? to_string(*key) : "that of the only entry") +
                   "; the model does not check this and takes the only entry");
    return value;
  }

  // The value of the first entry from `at` on that has the key; `otherwise` if there is none.
  Value* get(Inserter& insert, std::size_t at, Value* otherwise) {
    if (at >= entries_.size()) return otherwise;
    return insert.branch(
        equals_key(insert, read_.input(1), entries_[at]), read_.output()->type(),
        [&](Inserter&) { return entries_[at + 1]; }, [&](Inserter& inside) { return get(inside, at + 2, otherwise); });
  }

  Value* any(Inserter& insert) {
    const Type& key = read_.input(1)->type();
    if (key.is(Type::Kind::Bool)) return nullptr;
    const char* contains = key.is(Type::Kind::Float)    ? "aten::__contains__.float_list"
                           : key.is(Type::Kind::String) ? "aten::__contains__.str_list"
                                                        : "aten::__contains__.int_list";
    return insert.call(contains, {insert.list(Type::list(key), keys_of(entries_)), read_.input(1)});
  }

  Node& read_;
  std::vector<Value*> entries_;
  std::vector<std::string>* warnings_;
};

}  // namespace

bool branch_lookups(ir::Graph& graph, std::vector<std::string>* warnings) {
  if (has_writes(graph)) return false;
  const std::vector<Node*> reads = nodes_where(graph, [&](const Node* node) {
    return node->input_count() > 1 && node->output_count() == 1 && !node->output()->is_unused() &&
           aten::acts_as(*node->input()->node(), aten::Container::Dict) && takes_key(node->input(1)->type()) &&
           !node->input(1)->constant();
  });
  bool changed = false;
  for (Node* node : reads) {
    auto entries = entries_of(node->input()->node()->inputs());
    if (entries) changed = Branches(*node, std::move(*entries), warnings).run() || changed;
  }
  return changed;
}

}  // namespace tonnx::program
