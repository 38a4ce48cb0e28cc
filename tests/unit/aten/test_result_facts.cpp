#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aten/result_facts.h"
#include "aten/schemas.h"

namespace tonnx::aten {
namespace {

using ir::DType;
using ir::Facts;
using ir::Type;

using Dims = std::optional<std::vector<ir::Dim>>;

// The facts of torch.cat(parts, dim) of float32, or of another operator with the same arguments.
Facts joined_facts(const std::vector<Dims>& parts, std::int64_t dim, const char* name = "aten::cat") {
  ir::Graph graph;
  std::vector<ir::Value*> values;
  for (const Dims& dims : parts) {
    values.push_back(graph.block().add_input());
    values.back()->set_type(Type::of(Type::Kind::Tensor));
    values.back()->set_facts({DType::Float32, dims, nullptr});
  }
  ir::Node* list = graph.create("prim::ListConstruct", values, 1);
  ir::Node* axis = graph.create_constant({dim});
  ir::Node* cat = graph.create(name, std::vector<ir::Value*>{list->output(), axis->output()}, 1);
  cat->set_schema(find_schema(name));
  cat->output()->set_type(Type::of(Type::Kind::Tensor));
  for (ir::Node* node : {list, axis, cat}) graph.block().append(node);
  return result_facts(*cat).front();
}

// The facts of an operator's result. Its first arguments are float32 tensors; a tensor without sizes has an unknown
// rank.
Facts facts_of(const char* name, const std::vector<Dims>& tensors) {
  ir::Graph graph;
  const ir::SchemaPtr schema = find_schema(name);
  std::vector<ir::Value*> inputs;
  for (std::size_t i = 0; i < schema->arguments.size(); ++i) {
    inputs.push_back(graph.block().add_input());
    inputs.back()->set_type(Type::of(Type::Kind::Tensor));
    Facts facts;
    facts.dtype = DType::Float32;
    if (i < tensors.size()) facts.dims = tensors[i];
    inputs.back()->set_facts(facts);
  }
  ir::Node* node = graph.create(schema->name, inputs, 1);
  node->set_schema(schema);
  node->output()->set_type(Type::of(Type::Kind::Tensor));
  graph.block().append(node);
  return result_facts(*node).front();
}

// "2, n, ?" for a result of known rank.
std::string sizes(const Facts& facts) {
  if (!facts.has_rank()) return "any rank";
  std::string text;
  for (const ir::Dim& dim : *facts.dims)
    text += (text.empty() ? "" : ", ") + (dim.is_fixed()     ? std::to_string(dim.size())
                                          : dim.polynomial() ? dim.text()
                                                             : "?");
  return text;
}

// F.linear(x, weight), where x is float32[2, 3].
Facts linear_facts(Dims weight) { return facts_of("aten::linear", {Dims({2, 3}), std::move(weight)}); }

TEST(ResultFacts, OfLinearHaveTheRankOfInputAndWeight) {
  const Facts plain = linear_facts({{4, 3}});
  EXPECT_EQ(plain.dtype, DType::Float32);
  ASSERT_TRUE(plain.has_rank());
  EXPECT_EQ(sizes(plain), "2, 4");
  for (const Facts& facts : {linear_facts({{3}}), linear_facts(std::nullopt)}) {
    EXPECT_EQ(facts.dtype, DType::Float32);
    EXPECT_FALSE(facts.has_rank());
  }
}

TEST(ResultFacts, OfProductsHaveTheSizesOfBothOperands) {
  const ir::Dim n = ir::Dim::symbol("n"), m = ir::Dim::symbol("m"), any;
  EXPECT_EQ(sizes(facts_of("aten::mm", {Dims({n, 3}), Dims({3, m})})), "n, m");
  EXPECT_EQ(sizes(facts_of("aten::mm", {std::nullopt, Dims({3, m})})), "?, ?");
  EXPECT_EQ(sizes(facts_of("aten::addmm", {Dims(std::vector<ir::Dim>{m}), Dims({n, 3}), Dims({3, m})})), "n, m");
  EXPECT_EQ(sizes(facts_of("aten::bmm", {Dims({4, n, any}), Dims({4, any, m})})), "4, n, m");
  EXPECT_EQ(sizes(facts_of("aten::baddbmm", {std::nullopt, Dims({4, n, 3}), std::nullopt})), "?, ?, ?");
  EXPECT_EQ(sizes(facts_of("aten::matmul", {Dims({n, 1, 2, 3}), Dims({5, 3, m})})), "n, 5, 2, m");
  EXPECT_EQ(sizes(facts_of("aten::matmul", {Dims({2, 3}), Dims({n, 3, 4})})), "n, 2, 4");
  EXPECT_EQ(sizes(facts_of("aten::matmul", {Dims({n, 2, 3}), Dims({m, 3, 4})})), "?, 2, 4");
  EXPECT_EQ(sizes(facts_of("aten::matmul", {Dims({any, 2, 3}), Dims({0, 3, 4})})), "0, 2, 4");
  EXPECT_EQ(sizes(facts_of("aten::matmul", {Dims(std::vector<ir::Dim>{3}), Dims({3, m})})), "any rank");
}

TEST(ResultFacts, OfConcatenationCombineAllTensors) {
  const ir::Dim n = ir::Dim::symbol("n"), any;
  EXPECT_EQ(sizes(joined_facts({Dims({any, 2}), Dims({n, 3}), Dims({any, 4})}, -1)), "n, 9");
  EXPECT_EQ(sizes(joined_facts({Dims({n, 2}), Dims({any, 2})}, 0)), "?, 2");
  EXPECT_EQ(sizes(joined_facts({Dims({n, 2}), std::nullopt}, 0)), "any rank");
  EXPECT_EQ(sizes(joined_facts({Dims({n, 2}), Dims(std::vector<ir::Dim>{0})}, 0)), "any rank");
  EXPECT_EQ(sizes(joined_facts({Dims({n, 2}), std::nullopt}, 0, "aten::stack")), "?, ?, ?");
}

TEST(ResultFacts, OfAttentionHaveQueriesAndTheWidthOfValues) {
  const ir::Dim n = ir::Dim::symbol("n"), m = ir::Dim::symbol("m");
  const char* attention = "aten::scaled_dot_product_attention";
  EXPECT_EQ(sizes(facts_of(attention, {Dims({n, 2, 5, 4}), Dims({n, 2, m, 4}), Dims({n, 2, m, 6})})), "n, 2, 5, 6");
  EXPECT_EQ(sizes(facts_of(attention, {Dims({n, 8, 5, 4}), Dims({n, 2, m, 4}), Dims({n, 2, m, 6})})), "n, ?, 5, 6");
  EXPECT_EQ(sizes(facts_of(attention, {Dims({n, 5, 4}), std::nullopt, Dims({n, m, 6})})), "?, ?, ?");
  EXPECT_EQ(sizes(facts_of(attention, {Dims({5, 4}), Dims({n, m, 4}), Dims({n, m, 6})})), "?, 5, 6");
}

// The facts of a loss of x and y; `reduction` is LibTorch's enumerator.
Facts loss_facts(const char* name, std::int64_t reduction, const Dims& x, const Dims& y, DType labels) {
  ir::Graph graph;
  const ir::SchemaPtr schema = find_schema(name);
  std::vector<ir::Value*> inputs;
  for (const ir::Argument& argument : schema->arguments) {
    if (argument.name == "reduction") {
      ir::Node* number = graph.create_constant({reduction});
      graph.block().append(number);
      inputs.push_back(number->output());
      continue;
    }
    inputs.push_back(graph.block().add_input());
    inputs.back()->set_type(Type::of(Type::Kind::Tensor));
    inputs.back()->set_facts({inputs.size() == 1 ? DType::Float32 : labels, inputs.size() == 1 ? x : y, nullptr});
  }
  ir::Node* node = graph.create(schema->name, inputs, 1);
  node->set_schema(schema);
  node->output()->set_type(Type::of(Type::Kind::Tensor));
  graph.block().append(node);
  return result_facts(*node).front();
}

TEST(ResultFacts, OfLossesHaveTheRankAfterReduction) {
  const ir::Dim n = ir::Dim::symbol("n"), any;
  const Dims rows({n}), logits({any, 4});
  EXPECT_EQ(sizes(loss_facts("aten::cross_entropy_loss", 1, logits, rows, DType::Int64)), "");
  EXPECT_EQ(sizes(loss_facts("aten::cross_entropy_loss", 0, logits, rows, DType::Int64)), "?");
  EXPECT_EQ(sizes(loss_facts("aten::nll_loss_nd", 0, rows, Dims(std::vector<ir::Dim>()), DType::Int64)), "");
  EXPECT_EQ(sizes(loss_facts("aten::mse_loss", 0, logits, logits, DType::Float32)), "?, ?");
  EXPECT_EQ(sizes(loss_facts("aten::mse_loss", 2, logits, logits, DType::Float32)), "");
  EXPECT_EQ(sizes(loss_facts("aten::mse_loss", 1, logits, logits, DType::Float64)), "any rank");
  EXPECT_EQ(sizes(loss_facts("aten::mse_loss_backward", 1, logits, logits, DType::Float32)), "any rank");
  EXPECT_EQ(sizes(loss_facts("aten::multi_margin_loss", 0, logits, rows, DType::Int64)), "any rank");
  EXPECT_EQ(loss_facts("aten::kl_div", 2, logits, logits, DType::Float32).dtype, DType::Float32);
}

TEST(ResultFacts, OfDistancesHaveOneAxisLess) {
  const ir::Dim n = ir::Dim::symbol("n"), any;
  EXPECT_EQ(sizes(facts_of("aten::cosine_similarity", {Dims({any, 4}), Dims({n, 4})})), "?");
  EXPECT_EQ(sizes(facts_of("aten::dist", {Dims({any, 4}), Dims({n, 4})})), "");
}

TEST(ResultFacts, OfElementwiseOperatorsBroadcastAllTensors) {
  const ir::Dim n = ir::Dim::symbol("n"), any;
  const Dims row(std::vector<ir::Dim>{3}), column({n, 1}), matrix({n, 3});
  EXPECT_EQ(sizes(facts_of("aten::mul.Tensor", {column, row})), "n, 3");
  EXPECT_EQ(sizes(facts_of("aten::lerp.Scalar", {Dims({n, 4}), Dims({any, 4}), Dims(std::vector<ir::Dim>())})), "?, 4");
  EXPECT_EQ(sizes(facts_of("aten::lerp.Tensor", {row, row, matrix})), "n, 3");
  EXPECT_EQ(sizes(facts_of("aten::addcmul", {row, row, matrix})), "n, 3");
  EXPECT_EQ(sizes(facts_of("aten::where.self", {column, row, row})), "n, 3");
  EXPECT_EQ(facts_of("aten::lt.Tensor", {row, row}).dtype, DType::Bool);
}

// The facts of float32[4] with these numbers of elements added at its ends.
Facts padded_facts(std::int64_t before, std::int64_t after) {
  ir::Graph graph;
  const ir::SchemaPtr schema = find_schema("aten::constant_pad_nd");
  ir::Value* x = graph.block().add_input();
  x->set_type(Type::of(Type::Kind::Tensor));
  x->set_facts({DType::Float32, Dims(std::vector<ir::Dim>{4}), nullptr});
  ir::Node* pad = graph.create_constant({ir::Constant::List{{{before}, {after}}}});
  ir::Node* value = graph.create_constant({0.0});
  ir::Node* node = graph.create(schema->name, std::vector<ir::Value*>{x, pad->output(), value->output()}, 1);
  node->set_schema(schema);
  node->output()->set_type(Type::of(Type::Kind::Tensor));
  for (ir::Node* each : {pad, value, node}) graph.block().append(each);
  return result_facts(*node).front();
}

TEST(ResultFacts, OfPaddingDoNotOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(sizes(padded_facts(1, 2)), "7");
  EXPECT_EQ(sizes(padded_facts(2, -2)), "4");
  EXPECT_EQ(sizes(padded_facts(kMost, 0)), "?");
  EXPECT_EQ(sizes(padded_facts(kMost, kMost)), "?");
}

// The dtype of an operator's result, where x is of `dtype` and the other arguments are None.
DType dtype_of(const char* name, DType dtype) {
  ir::Graph graph;
  const ir::SchemaPtr schema = find_schema(name);
  std::vector<ir::Value*> inputs;
  for (std::size_t i = 0; i < schema->arguments.size(); ++i) {
    inputs.push_back(graph.block().add_input());
    Facts facts;
    if (i == 0)
      facts.dtype = dtype;
    else
      facts.constant = std::make_shared<ir::Constant>(ir::Constant{ir::Constant::None{}});
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
