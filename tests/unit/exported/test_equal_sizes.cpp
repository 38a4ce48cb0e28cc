#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "exported/equal_sizes.h"

namespace tonnx::exported {
namespace {

using Made = nlohmann::json;

Made size(const std::string& text) {
  if (text.find_first_not_of("0123456789") == std::string::npos) return {{"as_int", std::stoll(text)}};
  return {{"as_expr", {{"expr_str", text}}}};
}

// Graphs of attention over q, k and v of the shapes [batch, heads, length, width].
struct Attention {
  Made graph = {{"nodes", Made::array()}, {"tensor_values", Made::object()}};

  void add(const std::vector<std::string>& q, const std::vector<std::string>& k, const std::vector<std::string>& v,
           const std::string& target = "torch.ops.aten.scaled_dot_product_attention.default") {
    Made inputs = Made::array();
    const auto input = [&](const char* argument, const std::vector<std::string>& sizes) {
      const std::string name = argument + std::to_string(graph["nodes"].size());
      Made dims = Made::array();
      for (const std::string& text : sizes) dims.push_back(size(text));
      graph["tensor_values"][name] = {{"sizes", dims}};
      inputs.push_back({{"name", argument}, {"arg", {{"as_tensor", {{"name", name}}}}}});
    };
    input("query", q);
    input("key", k);
    input("value", v);
    graph["nodes"].push_back({{"target", target}, {"inputs", inputs}});
  }

  std::map<std::string, std::string> names() const { return equal_sizes(JsonDocument(graph.dump()).root()); }
};

using Names = std::map<std::string, std::string>;

TEST(EqualSizes, KeysAndValuesHaveOneLength) {
  Attention one;
  one.add({"2", "4", "s1", "8"}, {"2", "4", "s2", "8"}, {"2", "4", "s3", "8"});
  EXPECT_EQ(one.names(), (Names{{"s3", "s2"}}));
}

TEST(EqualSizes, ExpressionsOfOneFormDetermineTheirSymbols) {
  Attention one;
  one.add({"2", "4", "1", "8"}, {"2", "4", "s2 + 1", "8"}, {"2", "4", "s3 + 1", "8"});
  EXPECT_EQ(one.names(), (Names{{"s3", "s2"}}));
}

TEST(EqualSizes, UnifiedSizesAndSizesWithoutSymbolsStayUnchanged) {
  Attention one;
  one.add({"2", "4", "s1", "8"}, {"2", "4", "s2", "8"}, {"2", "4", "s2", "8"});
  one.add({"2", "4", "s1", "8"}, {"2", "4", "2*s2", "8"}, {"2", "4", "s3", "8"});
  one.add({"2", "4", "s1", "8"}, {"2", "4", "5", "8"}, {"2", "4", "s3", "8"});
  one.add({"2", "4", "s1", "8"}, {"2", "4", "s4 + 1", "8"}, {"2", "4", "s5", "8"});
  one.add({"2", "4", "s1", "8"}, {"2", "4", "s6", "8"}, {"2", "4", "s7", "8"}, "torch.ops.aten.cat.default");
  EXPECT_EQ(one.names(), Names());
}

TEST(EqualSizes, ManyThatAreEqualHaveOneName) {
  Attention chain;
  chain.add({"2", "4", "s1", "8"}, {"2", "4", "s5", "8"}, {"2", "4", "s6", "8"});
  chain.add({"2", "4", "s1", "8"}, {"2", "4", "s4", "8"}, {"2", "4", "s5", "8"});
  chain.add({"2", "4", "s1", "8"}, {"2", "4", "s7", "8"}, {"2", "4", "s6", "8"});
  EXPECT_EQ(chain.names(), (Names{{"s5", "s4"}, {"s6", "s4"}, {"s7", "s4"}}));
}

}  // namespace
}  // namespace tonnx::exported
