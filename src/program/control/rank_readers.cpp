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
      if (const Block* block = reader.edge_of()) {
        if (const Value* result = result_of(*block, use.index); result && any(result)) return true;
        continue;
      }
      if (!aten::takes_any_rank(reader)) return true;
      for (const Value* out : reader.outputs())
        if (has_unknown_rank(*out) && any(out)) return true;
    }
    return false;
  }

 private:
  // The result of the If for an output of its block; null for other blocks.
  static const Value* result_of(const Block& block, std::size_t index) {
    const Node* owner = block.owner();
    return owner && owner->is("prim::If") ? owner->output(index) : nullptr;
  }

  static bool has_unknown_rank(const Value& value) {
    return value.type().is(Type::Kind::Tensor) ? !value.facts().dims : !value.type().is_scalar();
  }

  std::unordered_set<const Value*> seen_;
};

}  // namespace

bool wants_rank(const Value& value) { return RankReaders().any(&value); }

}  // namespace tonnx::program
