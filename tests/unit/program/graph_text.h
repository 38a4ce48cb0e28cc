#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace tonnx::program::test {

// Builds a program from text:
//
//   graph(%x : Float(2, 3), %n : int)
//   weight %w : Float(3)
//   %v = aten::select.int(%x, 0, 1)
//   %u = aten::add_.Tensor(%v, %x, 1)        # line 3 is its source line, "line:3"
//   %l : Tensor[] = prim::ListConstruct()
//   if %y, %z = %c
//     then %a, %b
//     else %a, %c
//   end
//   loop %p, %q = (%n, True) (%i, %x1, %x2) from %x, %x
//     next True, %a, %b
//   end
//   return %y
//
// In an `if`, the nodes of a branch are before its `then` or `else` line; in a loop before `next`. Numbers, True,
// False, None, "strings", [1, 2], tensor[1, 2] (int64), tensor(1) (int64) and tensor(1.5) (float64) as operands are
// constants. Operators take their schema from a table in the source.
std::unique_ptr<ir::Graph> parse(std::string_view text);

// Prints the graph: constants as operands, numbered values, indented blocks.
std::string show(const ir::Graph& graph);

// The program after one walk of `pass` and dead code elimination, as text; empty if the pass changed nothing.
std::string after(bool (*pass)(ir::Graph&), std::string_view text);

}  // namespace tonnx::program::test
