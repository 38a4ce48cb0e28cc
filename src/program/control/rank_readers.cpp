#include "program/control/rank_readers.h"

#include <unordered_set>

#include "aten/ranks.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

class RankReaders {
 public:
  bool any(const Value* value) {
    if (!seen_.insert(value).second) return false;
    for (const ir::Use& use : value->uses()) {
      const Node& reader = *use.node;
      if (const Block* ended = reader.edge_of()) {
        if (const Value* behind = handed_to(*ended, use.index); behind && any(behind)) return true;
        continue;
      }
      if (!aten::takes_any_rank(reader)) return true;
      for (const Value* out : reader.outputs())
        if (is_open(*out) && any(out)) return true;
    }
    return false;
  }

 private:
  // What stands behind a branch for what a side gives; null for loops and the program's own block.
  static const Value* handed_to(const Block& block, std::size_t index) {
    const Node* owner = block.owner();
    return owner && owner->is("prim::If") ? owner->output(index) : nullptr;
  }

  static bool is_open(const Value& value) {
    return value.type().is(Type::Kind::Tensor) ? !value.facts().dims : !value.type().is_scalar();
  }

  std::unordered_set<const Value*> seen_;
};

}  // namespace

bool wants_rank(const Value& value) { return RankReaders().any(&value); }

}  // namespace tonnx::program
