#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exported/tree.h"

namespace tonnx::exported {
namespace {

using testing::ElementsAre;

constexpr const char* kLeaf = R"({"type": null, "context": null, "children_spec": []})";

std::string node(const std::string& type, const std::string& context, const std::vector<std::string>& children) {
  std::string text = R"({"type": ")" + type + R"(", "context": )" + context + R"(, "children_spec": [)";
  for (std::size_t i = 0; i < children.size(); ++i) text += (i ? ", " : "") + children[i];
  return text + "]}";
}

std::vector<std::string> leaves(const std::string& tree, const std::string& prefix = {}) {
  return leaf_names("[1, " + tree + "]", prefix);
}

TEST(Tree, LeavesOfATupleHaveNoNames) {
  EXPECT_THAT(leaves(node("builtins.tuple", R"("null")", {kLeaf, kLeaf})), ElementsAre("", ""));
  EXPECT_THAT(leaves(kLeaf), ElementsAre(""));
}

TEST(Tree, KeysAreNamesAndPositionsAreBelowThem) {
  const std::string pair = node("builtins.tuple", R"("null")", {kLeaf, kLeaf});
  EXPECT_THAT(leaves(node("builtins.dict", R"("[\"a\", \"b\"]")", {kLeaf, pair})), ElementsAre("a", "b.0", "b.1"));
  EXPECT_THAT(leaves(node("builtins.dict", R"("[1]")", {kLeaf})), ElementsAre("1"));
}

TEST(Tree, FieldsOfClassesAreNames) {
  EXPECT_THAT(leaves(node("tests.Result", R"("[[\"total\", \"parts\"], []]")", {kLeaf, kLeaf})),
              ElementsAre("total", "parts"));
  EXPECT_THAT(leaves(node("tests.Unknown", R"("null")", {kLeaf, kLeaf}), "x"), ElementsAre("x.0", "x.1"));
}

}  // namespace
}  // namespace tonnx::exported
