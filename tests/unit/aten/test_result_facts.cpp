#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "aten/result_facts.h"
#include "aten/schemas.h"

namespace tonnx::aten {
namespace {

using ir::DType;
using ir::Facts;
using ir::Type;

// What is known of F.linear(x, weight), x being of float32[2, 3].
Facts linear_facts(std::optional<std::vector<ir::Dim>> weight) {
  ir::Graph graph;
  std::vector<ir::Value*> inputs;
  for (const auto& dims : {std::optional<std::vector<ir::Dim>>({2, 3}), weight, std::optional<std::vector<ir::Dim>>()}) {
    ir::Value* value = graph.block().add_input();
    value->set_type(Type::of(Type::Kind::Tensor));
    Facts facts;
    facts.dtype = DType::Float32;
    facts.dims = dims;
    value->set_facts(facts);
    inputs.push_back(value);
  }
  const ir::SchemaPtr schema = find_schema("aten::linear");
  ir::Node* node = graph.create(schema->name, inputs, 1);
  node->set_schema(schema);
  node->output()->set_type(Type::of(Type::Kind::Tensor));
  graph.block().append(node);
  return result_facts(*node).front();
}

TEST(ResultFacts, OfLinearHaveTheRankThatTheWeightLeaves) {
  const Facts plain = linear_facts({{4, 3}});
  EXPECT_EQ(plain.dtype, DType::Float32);
  ASSERT_TRUE(plain.has_rank());
  EXPECT_EQ(plain.rank(), 2);
  for (const Facts& facts : {linear_facts({{3}}), linear_facts(std::nullopt)}) {
    EXPECT_EQ(facts.dtype, DType::Float32);
    EXPECT_FALSE(facts.has_rank());
  }
}

// The dtype of an operator's result, x being of `dtype` and the other arguments None.
DType dtype_of(const char* name, DType dtype) {
  ir::Graph graph;
  const ir::SchemaPtr schema = find_schema(name);
  std::vector<ir::Value*> inputs;
  for (std::size_t i = 0; i < schema->arguments.size(); ++i) {
    inputs.push_back(graph.block().add_input());
    Facts facts;
    if (i == 0) facts.dtype = dtype;
    else facts.constant = std::make_shared<ir::Constant>(ir::Constant{ir::Constant::None{}});
    inputs.back()->set_facts(facts);
  }
  ir::Node* node = graph.create(schema->name, inputs, 1);
  node->set_schema(schema);
  node->output()->set_type(Type::of(Type::Kind::Tensor));
  graph.block().append(node);
  return result_facts(*node).front().dtype;
}

TEST(ResultFacts, TotalsOfIntegersAreInt64) {
  for (const char* name : {"aten::sum.dim_IntList", "aten::prod.dim_int", "aten::cumsum", "aten::sum"}) {
    EXPECT_EQ(dtype_of(name, DType::Int8), DType::Int64) << name;
    EXPECT_EQ(dtype_of(name, DType::Bool), DType::Int64) << name;
    EXPECT_EQ(dtype_of(name, DType::Float16), DType::Float16) << name;
    EXPECT_EQ(dtype_of(name, DType::Undefined), DType::Undefined) << name;
  }
  for (const char* name : {"aten::amax", "aten::gather", "aten::unsqueeze", "aten::mean.dim"})
    EXPECT_EQ(dtype_of(name, DType::Int8), DType::Int8) << name;
}

}  // namespace
}  // namespace tonnx::aten
