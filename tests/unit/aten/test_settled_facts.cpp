#include <vector>

#include <gtest/gtest.h>

#include "aten/schemas.h"
#include "aten/settled_facts.h"

namespace tonnx::aten {
namespace {

using ir::DType;
using ir::Type;
using ir::Value;

ir::Facts tensor_facts(DType dtype, std::vector<ir::Dim> dims) {
  ir::Facts facts;
  facts.dtype = dtype;
  facts.dims = std::move(dims);
  return facts;
}

struct Call {
  ir::Graph graph;
  ir::Node* node = nullptr;
  std::vector<const Value*> others;

  Value* tensor(DType dtype, std::vector<ir::Dim> dims) {
    Value* value = graph.block().add_input();
    value->set_type(Type::of(Type::Kind::Tensor));
    value->set_facts(tensor_facts(dtype, std::move(dims)));
    return value;
  }

  Value* none() {
    ir::Node* constant = graph.create_constant({});
    graph.block().append(constant);
    return constant->output();
  }

  Value* number(std::int64_t value) {
    ir::Node* constant = graph.create_constant({value});
    graph.block().append(constant);
    return constant->output();
  }

  Value* list(std::vector<Value*> items) {
    ir::Node* made = graph.create("prim::ListConstruct", items);
    made->output()->set_type(Type::list(Type::of(Type::Kind::Tensor)));
    graph.block().append(made);
    return made->output();
  }

  // Creates the node; the initial facts of its results are float32 of rank 4.
  void call(const char* name, std::vector<Value*> inputs, std::size_t outputs) {
    const ir::SchemaPtr schema = find_schema(name);
    node = graph.create(schema->name, inputs, outputs);
    node->set_schema(schema);
    for (Value* output : node->outputs()) output->set_facts(tensor_facts(DType::Float32, {9, 9, 9, 9}));
    graph.block().append(node);
    others = settle_facts(*node);
  }

  // torch.onnx.ops.attention with values of these dims; returns the corrected dims of the result.
  std::vector<std::int64_t> attend(std::vector<ir::Dim> values, std::int64_t heads, std::int64_t shared) {
    Value* x = tensor(DType::Float32, {9, 9, 9, 9});
    call("onnx::Attention.opset23",
         {x, x, tensor(DType::Float32, std::move(values)), none(), none(), none(), none(), number(shared),
          number(heads)},
         3);
    return node->output()->facts().fixed_dims().value_or(std::vector<std::int64_t>{});
  }
};

TEST(SettledFacts, OfIndicesAndCountsAreIntegers) {
  Call c;
  Value* x = c.tensor(DType::Float32, {4});
  c.call("aten::_unique2", {x, c.none(), c.none(), c.none()}, 3);
  EXPECT_EQ(c.node->output(0)->facts().dtype, DType::Float32);
  EXPECT_EQ(c.node->output(1)->facts().dtype, DType::Int64);
  EXPECT_EQ(c.node->output(2)->facts().dtype, DType::Int64);
  EXPECT_EQ(c.node->output(2)->facts().rank(), 4);
}

TEST(SettledFacts, OfSlicesHaveTheAxesOfTheInput) {
  for (const bool along : {false, true}) {
    Call c;
    Value* x = c.tensor(DType::Float32, {9, 9, 9});
    c.call("aten::unique_consecutive", {x, c.none(), c.none(), along ? c.number(-1) : c.none()}, 3);
    EXPECT_EQ(c.node->output(0)->facts().rank(), along ? 3 : 4);
    EXPECT_EQ(c.node->output(1)->facts().dtype, DType::Int64);
  }
}

TEST(SettledFacts, OfFinalStatesAreThoseOfTheInitialOnes) {
  Call c;
  Value* x = c.tensor(DType::Float64, {5, 2, 3});
  Value* h = c.tensor(DType::Float64, {1, 2, 7});
  Value* cell = c.tensor(DType::Float64, {1, 2, 8});
  c.call("aten::lstm.input", {x, c.list({h, cell})}, 3);
  EXPECT_EQ(c.node->output(0)->facts().rank(), 4);
  EXPECT_EQ(c.node->output(1)->facts().fixed_dims(), (std::vector<std::int64_t>{1, 2, 7}));
  EXPECT_EQ(c.node->output(2)->facts().fixed_dims(), (std::vector<std::int64_t>{1, 2, 8}));
  EXPECT_EQ(c.node->output(2)->facts().dtype, DType::Float64);
}

TEST(SettledFacts, OfBincountFollowItsWeights) {
  for (const auto& [weights, result] : {std::pair{DType::Undefined, DType::Int64},
                                        {DType::Float32, DType::Float32},
                                        {DType::Float16, DType::Float64},
                                        {DType::Int32, DType::Float64}}) {
    Call c;
    Value* x = c.tensor(DType::Int64, {4});
    c.call("aten::bincount", {x, weights == DType::Undefined ? c.none() : c.tensor(weights, {4})}, 1);
    EXPECT_EQ(c.node->output()->facts().dtype, result) << ir::name_of(weights);
  }
}

TEST(SettledFacts, OfAttentionAreAsWideAsItsValues) {
  Call same, wide, flat, open;
  EXPECT_EQ(same.attend({9, 9, 9, 9}, 0, 0), (std::vector<std::int64_t>{9, 9, 9, 9}));
  EXPECT_TRUE(same.others.empty());
  EXPECT_EQ(wide.attend({9, 3, 9, 5}, 0, 0), (std::vector<std::int64_t>{9, 9, 9, 5}));
  EXPECT_EQ(wide.others.size(), 2U);
  EXPECT_EQ(wide.node->output(1)->facts().fixed_dims(), (std::vector<std::int64_t>{9, 9, 9, 9}));
  EXPECT_EQ(wide.node->output(2)->facts().fixed_dims(), (std::vector<std::int64_t>{9, 9, 9, 5}));
  EXPECT_EQ(flat.attend({9, 3, 10}, 4, 2), (std::vector<std::int64_t>{9, 9, 9, 20}));
  EXPECT_TRUE(open.attend({9, 3, 9, ir::Dim()}, 0, 0).empty());
  EXPECT_EQ(open.others.size(), 2U);
}

TEST(SettledFacts, OfOtherOperatorsStayAsTheyWere) {
  Call c;
  c.call("aten::relu", {c.tensor(DType::Int64, {4})}, 1);
  EXPECT_EQ(c.node->output()->facts().dtype, DType::Float32);
}

}  // namespace
}  // namespace tonnx::aten
