#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/invalid_node.h"
#include "ir/printer.h"
#include "models.h"

namespace tonnx::onnx {
namespace {

using ir::Dim;
using ir::DType;
using ir::Graph;
using ir::Node;
using ir::Tensor;
using ir::Value;
using testing::HasSubstr;

std::string inferred(Node* node, int version = 18) {
  opset(version)->infer(*node);
  return ir::print_type(*node->output());
}

TEST(Infer, ReadsAttributes) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {Dim::symbol("batch"), 3, 224, 224});
  Value* w = add_input(graph, "w", DType::Float32, {64, 3, 11, 11});
  Node* conv =
      add_node(graph.block(), "onnx::Conv", {x, w},
               {{"strides", std::vector<std::int64_t>{4, 4}}, {"pads", std::vector<std::int64_t>{2, 2, 2, 2}}});
  EXPECT_EQ(inferred(conv), "Float(batch, 64, 55, 55)");
}

TEST(Infer, ReadsConstantInputs) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {2, 6});
  Value* shape = add_constant(graph.block(), {3, -1});
  EXPECT_EQ(inferred(add_node(graph.block(), "onnx::Reshape", {x, shape})), "Float(3, 4)");
  Value* weight = graph.add_weight("shape", Tensor::of_int64(std::vector<std::int64_t>{12}));
  weight->facts().dtype = DType::Int64;
  EXPECT_EQ(inferred(add_node(graph.block(), "onnx::Reshape", {x, weight})), "Float(12)");
}

TEST(Infer, FollowsComputedShapes) {
  Graph graph;
  ir::Block& block = graph.block();
  Value* x = add_input(graph, "x", DType::Float32, {Dim::symbol("batch"), 8, 6, Dim()});
  Node* shape = add_node(block, "onnx::Shape", {x});
  Node* batch = add_node(block, "onnx::Gather", {shape->output(), add_constant(block, {0})});
  Node* flat = add_node(block, "onnx::Mul", {add_constant(block, {8}), add_constant(block, {6})});
  Node* target = add_node(block, "onnx::Concat", {batch->output(), flat->output(), add_constant(block, {-1})},
                          {{"axis", std::int64_t{0}}});
  for (Node* node : {shape, batch, flat, target}) opset(18)->infer(*node);
  EXPECT_EQ(inferred(add_node(block, "onnx::Reshape", {x, target->output()})), "Float(batch, 48, *)");
}

TEST(Infer, ComputedShapesThatShareTheirPartsStayCheap) {
  Graph graph;
  ir::Block& block = graph.block();
  Value* x = add_input(graph, "x", DType::Float32, {Dim::symbol("batch"), 8});
  Value* v = add_node(block, "onnx::Shape", {x})->output();
  opset(18)->infer(*v->node());
  for (int i = 0; i < 60; ++i) {
    v = add_node(block, "onnx::Mul", {v, v})->output();
    opset(18)->infer(*v->node());
  }
  EXPECT_EQ(inferred(add_node(block, "onnx::Expand", {x, v})), "Float(*, 8)");
}

TEST(Infer, RefinesAndNeverWeakens) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {Dim(), 4});
  Node* relu = add_node(graph.block(), "onnx::Relu", {x});
  relu->output()->facts().dims = std::vector<Dim>{Dim::symbol("batch"), Dim()};
  EXPECT_EQ(inferred(relu), "Float(batch, 4)");
  (*x->facts().dims)[0] = Dim::symbol("other");
  EXPECT_EQ(inferred(relu), "Float(batch, 4)");
  (*x->facts().dims)[0] = Dim(2);
  EXPECT_EQ(inferred(relu), "Float(2, 4)");
  x->facts() = {};
  EXPECT_EQ(inferred(relu), "Float(2, 4)");
}

TEST(Infer, AnInvalidNodeIsAnErrorOfItsOwnClass) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {2, 4});
  EXPECT_THROW(opset(18)->infer(*add_node(graph.block(), "onnx::Relu", {x, x})), ir::InvalidNode);
  EXPECT_THROW(opset(18)->infer(*add_node(graph.block(), "onnx::Nothing", {x})), ir::InvalidNode);
}

TEST(Infer, RefusesWhatContradictsKnownFacts) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {2, 4});
  Node* relu = add_node(graph.block(), "onnx::Relu", {x});
  relu->output()->facts().dims = std::vector<Dim>{2, 5};
  const ir::Error shape = error_of([&] { opset(18)->infer(*relu); });
  EXPECT_EQ(shape.code(), ir::Code::Internal);
  EXPECT_THAT(shape.what(), HasSubstr("size 5 and size 4 of axis 1"));
  EXPECT_THAT(shape.what(), HasSubstr("onnx::Relu"));
  relu->output()->facts() = {};
  relu->output()->facts().dtype = DType::Int64;
  EXPECT_THAT(error_of([&] { opset(18)->infer(*relu); }).what(), HasSubstr("float32"));
}

TEST(Infer, RefusesIllTypedNodes) {
  Graph graph;
  ir::Block& block = graph.block();
  Value* f = add_input(graph, "f", DType::Float32, {2, 3});
  Value* i = add_input(graph, "i", DType::Int64, {2, 3});
  Value* b = add_input(graph, "b", DType::Bool, {2, 3});
  const auto message = [](Node* node) { return std::string(error_of([&] { opset(18)->infer(*node); }).what()); };
  EXPECT_THAT(message(add_node(block, "onnx::Add", {f, i})), HasSubstr("float32 and int64"));
  EXPECT_THAT(message(add_node(block, "onnx::Add", {b, b})), HasSubstr("does not accept bool as A"));
  EXPECT_THAT(message(add_node(block, "onnx::Add", {f})), HasSubstr("Add takes 2 inputs, not 1"));
  EXPECT_THAT(message(add_node(block, "onnx::Concat", {}, {{"axis", std::int64_t{0}}})),
              HasSubstr("takes at least 1 inputs, not 0"));
  EXPECT_THAT(message(add_node(block, "onnx::Gelu", {f})), HasSubstr("opset 18 has no operator Gelu"));
  EXPECT_THAT(message(add_node(block, "onnx::MatMul", {f, f})), HasSubstr("ShapeInferenceError"));
  EXPECT_THAT(message(add_node(block, "onnx::Transpose", {f}, {{"perm", std::vector<std::int64_t>{0, 1, 2}}})),
              HasSubstr("onnx::Transpose"));
}

TEST(Infer, LeavesOtherDomainsAndUnknownInputsAlone) {
  Graph graph;
  Value* x = graph.block().add_input();
  Node* custom = add_node(graph.block(), "custom::Foo", {x});
  Node* add = add_node(graph.block(), "onnx::Add", {custom->output(), custom->output()});
  opset(18)->infer(*custom);
  opset(18)->infer(*add);
  EXPECT_EQ(add->output()->facts().dtype, DType::Undefined);
}

TEST(Infer, InfersOperatorsWhoseSchemaHasNoRule) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {Dim::symbol("batch"), 4, 5});
  Value* scale = add_input(graph, "scale", DType::Float32, {4});
  EXPECT_EQ(inferred(add_node(graph.block(), "onnx::Mish", {x}), 18), "Float(batch, 4, 5)");
  EXPECT_EQ(inferred(add_node(graph.block(), "onnx::GroupNormalization", {x, scale, scale},
                              {{"num_groups", std::int64_t{2}}}),
                     21),
            "Float(batch, 4, 5)");
  Value* take = add_input(graph, "take", DType::Bool, {Dim()});
  EXPECT_EQ(inferred(add_node(graph.block(), "onnx::Compress", {x, take}, {{"axis", std::int64_t{-2}}})),
            "Float(batch, *, 5)");
  EXPECT_EQ(inferred(add_node(graph.block(), "onnx::Compress", {x, take})), "Float(*)");
  EXPECT_EQ(inferred(add_node(graph.block(), "onnx::GreaterOrEqual", {x, x}), 12), "Bool(batch, 4, 5)");
  Value* target = add_input(graph, "target", DType::Int64, {Dim::symbol("batch"), 5});
  EXPECT_EQ(inferred(add_node(graph.block(), "onnx::SoftmaxCrossEntropyLoss", {x, target}), 18), "Float()");
}

TEST(Infer, InfersTheBranchesOfIf) {
  Graph graph;
  Value* condition = add_input(graph, "c", DType::Bool, {});
  Value* x = add_input(graph, "x", DType::Float32, {2, 3});
  Node* branch = add_node(graph.block(), "onnx::If", {condition});
  for (int i = 0; i < 2; ++i) {
    ir::Block* block = branch->add_block();
    Node* node = i == 0 ? add_node(*block, "onnx::Relu", {x})
                        : add_node(*block, "onnx::Concat", {x, x}, {{"axis", std::int64_t{0}}});
    block->add_output(node->output());
  }
  EXPECT_EQ(inferred(branch), "Float(*, 3)");
  EXPECT_EQ(ir::print_type(*branch->block(1)->outputs()[0]), "Float(4, 3)");
}

TEST(Infer, InfersTheBodyOfLoop) {
  Graph graph;
  Value* count = add_input(graph, "n", DType::Int64, {});
  Value* x = add_input(graph, "x", DType::Float32, {2, 3});
  Value* condition = add_constant(graph.block(), Tensor::scalar(DType::Bool, std::int64_t{1}));
  Node* loop = add_node(graph.block(), "onnx::Loop", {count, condition, x}, {}, 2);
  ir::Block* body = loop->add_block();
  body->add_input();
  Value* go_on = body->add_input();
  Value* state = body->add_input();
  Node* next = add_node(*body, "onnx::Relu", {state});
  Node* keep = add_node(*body, "onnx::Identity", {go_on});
  Node* scan = add_node(*body, "onnx::Shape", {state});
  for (Value* value : {keep->output(), next->output(), scan->output()}) body->add_output(value);
  opset(18)->infer(*loop);
  EXPECT_EQ(loop->output(0)->facts().dtype, DType::Float32);
  EXPECT_EQ(loop->output(1)->facts().dtype, DType::Int64);
  EXPECT_EQ(state->facts().dtype, DType::Float32);
  EXPECT_EQ(body->inputs()[0]->facts().dtype, DType::Int64);
}

TEST(Infer, KeepsTheElementOfASequence) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {2, 3});
  Node* sequence = add_node(graph.block(), "onnx::SequenceConstruct", {x, x});
  opset(18)->infer(*sequence);
  EXPECT_TRUE(sequence->output()->type().is_tensor_list());
  Value* index = add_constant(graph.block(), Tensor::scalar(DType::Int64, std::int64_t{0}));
  EXPECT_EQ(inferred(add_node(graph.block(), "onnx::SequenceAt", {sequence->output(), index})), "Float(2, 3)");
}

TEST(Infer, TakesMicrosecondsANode) {
  Graph graph;
  Value* x = add_input(graph, "x", DType::Float32, {Dim::symbol("batch"), 3, 224, 224});
  Node* relu = add_node(graph.block(), "onnx::Relu", {x});
  const auto ops = opset(18);
  ops->infer(*relu);
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kTimes = 1000;
  for (int i = 0; i < kTimes; ++i) ops->infer(*relu);
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  RecordProperty("microseconds", std::to_string(taken.count() / kTimes));
  EXPECT_LT(taken.count() / kTimes, 200);  // about 2 normally; the machine may be busy
}

}  // namespace
}  // namespace tonnx::onnx
