// The attributes that infer_facts() sets for operators that read storage by strides.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graph_text.h"
#include "machine.h"
#include "program/facts/facts.h"

namespace tonnx::program {
namespace {

// The offsets of the operators that read storage, in order.
std::string offsets(const std::string& text, const std::vector<InputAxis>& dynamic = {}) {
  const auto graph = test::parse(text);
  test::Machine machine;
  infer_facts(*graph, machine, dynamic);
  infer_facts(*graph, machine, dynamic);
  std::string found;
  ir::for_each_node(graph->block(), [&](const ir::Node* node) {
    if (const auto* offset = node->attribute_as<std::int64_t>("memory_offset")) found += std::to_string(*offset) + " ";
  });
  return found;
}

TEST(Layout, OfInputsRowsAndColumns) {
  EXPECT_EQ(offsets(R"(
    graph(%x : Float(3, 5))
    %a = aten::as_strided(%x, [2], [1])
    %row = aten::select.int(%x, 0, 1)
    %b = aten::as_strided(%row, [2], [1])
    %column = aten::select.int(%x, 1, 0)
    %c = aten::as_strided(%column, [2], [1])
    %pieces = aten::unbind.int(%x, 1)
    %piece : Float(3) = aten::__getitem__.t(%pieces, 0)
    %d = aten::as_strided(%piece, [2], [1])
    %t = aten::transpose.int(%x, 0, 1)
    %e = aten::as_strided(%t, [2], [1])
    return %a, %b, %c, %d, %e
    )"),
            "0 5 -1 -1 0 ");
}

TEST(Layout, OfReorderedViewsIsThatOfTheirBase) {
  EXPECT_EQ(offsets(R"(
    graph(%x : Float(3, 5))
    %t = aten::transpose.int(%x, 0, 1)
    %u = aten::unsqueeze(%t, 0)
    %a = aten::as_strided(%u, [2], [1])
    %row = aten::select.int(%t, 0, 1)
    %b = aten::as_strided(%row, [2], [1])
    %copy = aten::contiguous(%t)
    %c = aten::as_strided(%copy, [2], [1])
    return %a, %b, %c
    )"),
            "0 -1 0 ");
}

TEST(Layout, OfARowWhoseLengthMovesIsNotKnown) {
  EXPECT_EQ(offsets(R"(
    graph(%x : Float(3, 5))
    %first = aten::select.int(%x, 0, 0)
    %a = aten::as_strided(%first, [2], [1])
    %row = aten::select.int(%x, 0, 1)
    %b = aten::as_strided(%row, [2], [1])
    return %a, %b
    )",
                    {{0, 1, "n", 5}}),
            "0 -1 ");
}

}  // namespace
}  // namespace tonnx::program
