#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "ir/error.h"
#include "lower/families.h"
#include "lower/registry.h"

using namespace tonnx;
using lower::Registry;

namespace {

lower::Symbolic none() {
  return [](lower::Op&) { return std::optional<lower::Outputs>(); };
}

}  // namespace

TEST(Registry, ContainsTheBuiltInTables) {
  const Registry registry;
  EXPECT_FALSE(registry.find("aten::relu", "", 17).empty());
  EXPECT_TRUE(registry.find("aten::no_such_operator", "", 17).empty());
  for (const Registry::Entry* e : registry.entries()) EXPECT_FALSE(e->is_custom()) << e->name;
}

TEST(Registry, ComplexTensorsHaveSeparateLowerings) {
  Registry registry;
  EXPECT_NE(registry.find("aten::abs", "", 17, lower::Form::Complex).front()->lowering,
            registry.find("aten::abs", "", 17).front()->lowering);
  EXPECT_TRUE(registry.find("aten::relu", "", 17, lower::Form::Complex).empty());
  EXPECT_TRUE(registry.find("aten::view_as_real", "", 17).empty());
  registry.add("aten::abs", 9, none());
  EXPECT_TRUE(registry.find("aten::abs", "", 17, lower::Form::Complex).front()->is_custom());
  const auto entries = registry.entries();
  const auto count = [&](std::string_view name) {
    return std::count_if(entries.begin(), entries.end(),
                         [&](const Registry::Entry* e) { return e->name == name && !e->is_custom(); });
  };
  EXPECT_EQ(count("aten::abs"), 1);
  EXPECT_EQ(count("aten::view_as_real"), 1);
}

TEST(Registry, LoweringsOfPartsAreNotOlderThanRealOnes) {
  const Registry registry;
  int checked = 0;
  for (const lower::Row& row : lower::complex_parts_rows()) {
    const std::string full(row.name);
    const std::size_t dot = full.find('.');
    const std::string name = full.substr(0, dot), overload = dot == full.npos ? "" : full.substr(dot + 1);
    if (registry.find(name, overload, 1000).empty()) continue;
    EXPECT_FALSE(registry.find(name, overload, row.since).empty()) << full;
    ++checked;
  }
  EXPECT_GE(checked, 80);
}

TEST(Registry, NoBuiltInServesAnOperatorBelowItsListedFirstOpset) {
  const Registry registry;
  std::map<std::string, std::int32_t> first;
  for (const Registry::Entry* e : registry.entries()) first.emplace(e->name, e->since);
  ASSERT_GT(first.size(), 1000u);
  for (const auto& [row, since] : first) {
    const std::string full = row.substr(0, row.find('<'));
    const std::size_t dot = full.find('.', full.find("::"));
    const std::string name = full.substr(0, dot), overload = dot == full.npos ? "" : full.substr(dot + 1);
    const auto names = [&](std::int32_t opset, lower::Form form) {
      std::set<std::string> found;
      for (const Registry::Entry* e : registry.find(name, overload, opset, form)) found.insert(e->name);
      return found;
    };
    const bool is_real = names(1000, lower::Form::Real).contains(row);
    const lower::Form form = is_real ? lower::Form::Real : lower::Form::Complex;
    EXPECT_FALSE(names(since - 1, form).contains(row)) << row;
    EXPECT_TRUE(names(since, form).contains(row)) << row;
    if (names(since - 1, form).empty()) {
      EXPECT_EQ(registry.later(name, overload, since - 1, form), since) << row;
    }
  }
  EXPECT_EQ(first.at("aten::sqrt"), 7);
  EXPECT_EQ(first.at("aten::sqrt<complex>"), 9);
  EXPECT_EQ(registry.later("aten::sqrt", "", 8), 0);
  EXPECT_FALSE(first.contains("aten::neg<complex>"));  // at the same opset as its other form
}

TEST(Registry, F205_ASymbolicOverridesTheBuiltInUntilItIsRemoved) {
  Registry registry;
  registry.add("aten::relu", 9, none());
  const auto found = registry.find("aten::relu", "", 17);
  ASSERT_GE(found.size(), 2u);
  EXPECT_TRUE(found.front()->is_custom());
  EXPECT_FALSE(found.back()->is_custom());
  EXPECT_TRUE(registry.remove("aten::relu", 9));
  EXPECT_FALSE(registry.remove("aten::relu", 9));
  EXPECT_FALSE(registry.find("aten::relu", "", 17).front()->is_custom());
}

TEST(Registry, ATargetBelowNineUsesSymbolicsUpToNine) {
  Registry registry;
  registry.add("my::op", 9, none());
  registry.add("my::newer", 10, none());
  EXPECT_EQ(registry.find("my::op", "", 7).front()->since, 9);
  EXPECT_EQ(registry.find("my::op", "overload", 8).size(), 1u);
  EXPECT_TRUE(registry.find("my::newer", "", 8).empty());
  registry.add("my::op", 8, none());
  EXPECT_EQ(registry.find("my::op", "", 8).front()->since, 8);
  EXPECT_EQ(registry.find("my::op", "", 7).front()->since, 8);
  EXPECT_EQ(registry.find("my::op", "", 7).size(), 2u);  // 9 is tried after it
  EXPECT_EQ(registry.find("my::op", "", 8).size(), 1u);
}

// It also takes precedence over the built-in of its name; if the symbolic declines, the built-in is used again.
TEST(Registry, ASymbolicOfNineServesLowerTargetsDespiteABuiltIn) {
  Registry registry;
  registry.add("aten::relu", 9, none());
  registry.add("aten::erf", 9, none());
  for (const std::int32_t opset : {7, 8}) {
    ASSERT_EQ(registry.find("aten::relu", "", opset).size(), 2u) << opset;
    EXPECT_TRUE(registry.find("aten::relu", "", opset).front()->is_custom()) << opset;
    EXPECT_FALSE(registry.find("aten::relu", "", opset).back()->is_custom()) << opset;
    EXPECT_TRUE(registry.find("aten::erf", "", opset).front()->is_custom()) << opset;
  }
  registry.add("aten::relu", 10, none());
  EXPECT_EQ(registry.find("aten::relu", "", 8).front()->since, 9);
  EXPECT_TRUE(registry.remove("aten::relu", 9));
  EXPECT_FALSE(registry.find("aten::relu", "", 8).front()->is_custom());
}

TEST(Registry, ABuiltInOfNineServesNoLowerTarget) {
  const Registry registry;
  std::size_t counted = 0;
  for (const Registry::Entry* entry : registry.entries()) {
    const std::string plain = entry->name.substr(0, entry->name.find('<'));
    if (entry->since != 9 || plain != entry->name || plain.find('.') != std::string::npos) continue;
    ++counted;
    for (const Registry::Entry* found : registry.find(plain, "", 8)) EXPECT_LE(found->since, 8) << plain;
  }
  EXPECT_GT(counted, 20u);
}

TEST(Registry, F194_TheNewestNotAboveTheTargetWins) {
  Registry registry;
  registry.add("my::op", 1, none());
  registry.add("my::op", 11, none());
  registry.add("my::op", 13, none());
  EXPECT_EQ(registry.find("my::op", "", 12).front()->since, 11);
  EXPECT_EQ(registry.find("my::op", "", 28).front()->since, 13);
  EXPECT_EQ(registry.later("my::op", "", 12), 13);
  EXPECT_EQ(registry.later("my::op", "", 13), 0);
}

TEST(Registry, AnOverloadPrecedesTheBareName) {
  Registry registry;
  registry.add("my::op", 1, none());
  registry.add("my::op.out", 1, none());
  EXPECT_EQ(registry.find("my::op", "out", 17).front()->name, "my::op.out");
  EXPECT_EQ(registry.find("my::op", "other", 17).front()->name, "my::op");
}

TEST(Registry, ADtypePrecedesTheNameWithoutOne) {
  Registry registry;
  for (const char* name : {"my::op", "my::op<float16>", "my::op.out", "my::op.out<complex>", "my::op.outer<int64>"})
    registry.add(name, 1, none());
  std::vector<std::string> names;
  for (const Registry::Entry* e : registry.find("my::op", "out", 17)) names.push_back(e->name);
  EXPECT_EQ(names, (std::vector<std::string>{"my::op.out<complex>", "my::op.out", "my::op<float16>", "my::op"}));
  EXPECT_TRUE(registry.remove("my::op<float16>", 1));
  EXPECT_FALSE(registry.remove("my::op<float16>", 1));
}

TEST(Registry, F202_RefusesBadNames) {
  Registry registry;
  for (const char* name :
       {"relu", "::", "aten::", "a::b::c", "onnx::Relu", "my::op<float17>", "my::op<>", "my::op<float16",
        "my::op>float16<", "my::9op", "my::an op", "my::op.", "my::op!", "my::op.a.b", "my::ü"})
    EXPECT_THROW(registry.add(name, 9, none()), ir::Error) << name;
  EXPECT_THROW(registry.add("my::op", 0, none()), ir::Error);
  for (const char* name : {"my::op-2", "my::_op2", "my.domain::op.out_2<complex>"}) registry.add(name, 9, none());
  registry.add("::op", 9, none());
  EXPECT_FALSE(registry.find("aten::op", "", 9).empty());
}
