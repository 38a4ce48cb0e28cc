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

// The operator that compares keys of this type; null if a model cannot represent them.
const char* comparison(const Type& key) {
  switch (key.kind) {
    case Type::Kind::Int: return "aten::eq.int";
    case Type::Kind::Float: return "aten::eq.float";
    case Type::Kind::Bool: return "aten::eq.bool";
    case Type::Kind::String: return "aten::eq.str";
    default: return nullptr;
  }
}

class Branches {
 public:
  Branches(Node& read, std::vector<Value*> entries, std::vector<std::string>* warnings)
      : read_(read), entries_(std::move(entries)), warnings_(warnings) {}

  bool run() {
    Inserter insert(&read_);
    Value* result = nullptr;
    switch (aten::traits_of(read_).container) {
      case Container::Item: result = entries_.empty() ? nullptr : item(insert); break;
      case Container::Get: result = read_.input_count() > 2 ? get(insert, 0, read_.input(2)) : nullptr; break;
      case Container::Contains: result = any(insert); break;
      default: break;
    }
    if (!result) return false;
    read_.output()->replace_uses(result);
    return true;
  }

 private:
  Value* is_key(Inserter& insert, Value* key) { return insert.call(comparison(key->type()), {read_.input(1), key}); }

  Value* item(Inserter& insert) {
    const std::vector<Value*> keys = keys_of(entries_);
    if (keys.size() <= kMostNested) return item(insert, 0);
    return item_at(insert, insert.key_index(read_.input(1), keys, comparison(keys.front()->type())), 0, keys.size());
  }

  // The value of the entry at the index, which is in the range.
  Value* item_at(Inserter& insert, Value* index, std::size_t begin, std::size_t end) {
    if (begin + 1 == end) return entries_[2 * begin + 1];
    const std::size_t middle = begin + (end - begin) / 2;
    const auto of = [&](std::size_t from, std::size_t to) {
      return [&, from, to](Inserter& inside) { return item_at(inside, index, from, to); };
    };
    Value* is_before = insert.call("aten::lt.int", {index, insert.integer(static_cast<std::int64_t>(middle))});
    return insert.branch(is_before, read_.output()->type(), of(begin, middle), of(middle, end));
  }

  // The value of the first entry from `at` on that has the key.
  Value* item(Inserter& insert, std::size_t at) {
    if (at + 2 == entries_.size()) return at == 0 ? only_entry(insert) : entries_.back();
    Value* condition = is_key(insert, entries_[at]);
    // Two keys of type bool are complete, so no other key needs a check.
    if (at + 4 == entries_.size() && !entries_[at]->type().is(Type::Kind::Bool))
      condition = insert.first_of(condition, is_key(insert, entries_[at + 2]));
    return branch(insert, condition, at, [&](Inserter& inside) { return item(inside, at + 2); });
  }

  Value* only_entry(Inserter& insert) {
    Value* value = entries_.back();
    if (value->type().is(Type::Kind::Tensor) || value->type().is_scalar()) {
      Value* is_other = insert.call("aten::__not__", {is_key(insert, entries_.front())});
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

  // As item(), but `otherwise` if no entry has the key.
  Value* get(Inserter& insert, std::size_t at, Value* otherwise) {
    if (at >= entries_.size()) return otherwise;
    return branch(insert, is_key(insert, entries_[at]), at,
                  [&](Inserter& inside) { return get(inside, at + 2, otherwise); });
  }

  Value* branch(Inserter& insert, Value* condition, std::size_t at, const Inserter::Side& otherwise) {
    return insert.branch(condition, read_.output()->type(), [&](Inserter&) { return entries_[at + 1]; }, otherwise);
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
           aten::acts_as(*node->input()->node(), aten::Container::Dict) && comparison(node->input(1)->type()) &&
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
