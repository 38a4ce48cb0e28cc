#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Finds dicts that have the same constant keys in every run and at every place, also if branches and loops select,
// exchange or create them. Writers only set values of such keys:
//
//   %d = prim::DictConstruct(%a, %x, %b, %y)
//   prim::Loop(%n, %true, %d)
//     block0(%i, %e): %g = prim::DictConstruct()            %g has the keys of %e, and these are those of %d
//                     %l = aten::items(%e)
//                     prim::Loop(aten::len(%l), %true)
//                       block0(%j): %k, %v = prim::TupleUnpack(aten::__getitem__(%l, %j))
//                                   aten::_set_item(%g, %k, %v)
//                     -> (%true, %g)
class KeptKeys {
 public:
  // The keys in their order; empty if they are not known or differ.
  std::span<ir::Value* const> of(ir::Value& dict);

 private:
  using Keys = std::shared_ptr<const std::vector<ir::Value*>>;
  std::unordered_map<const ir::Value*, Keys> known_;
};

}  // namespace tonnx::program
