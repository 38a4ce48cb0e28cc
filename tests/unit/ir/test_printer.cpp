#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/source_line.h"

namespace tonnx::ir {
namespace {

using Values = std::vector<Value*>;
using Ints = std::vector<std::int64_t>;

void describe(Value* value, DType dtype, std::vector<Dim> dims) {
  value->facts().dtype = dtype;
  value->facts().dims = std::move(dims);
}

Tensor zeros(Ints dims) {
  std::int64_t count = 1;
  for (const std::int64_t d : dims) count *= d;
  const std::vector<float> values(static_cast<std::size_t>(count));
  return Tensor::from_bytes(DType::Float32, std::move(dims), values.data(), values.size() * sizeof(float));
}

Node* append(Block& block, std::string kind, const Values& inputs, std::size_t outputs = 1) {
  Node* node = block.graph().create(std::move(kind), inputs, outputs);
  block.append(node);
  return node;
}

TEST(Printer, ModelWithWeightsAttributesAndScopes) {
  Graph graph;
  Value* x = graph.block().add_input();
  x->set_name("in");
  describe(x, DType::Float32, {10, 3, 224, 224});
  Value* weight = graph.add_weight("features.0.weight", zeros({64, 3, 11, 11}));
  Node* conv = append(graph.block(), "onnx::Conv", {x, weight, nullptr});
  conv->set_attribute("strides", Ints{4, 4});
  conv->set_attribute("dilations", Ints{1, 1});
  conv->set_attribute("group", std::int64_t{1});
  conv->set_name("/features/0/Conv");
  const auto net = std::make_shared<const Scope>(Scope{nullptr, "AlexNet", ""});
  conv->set_location(
      {std::make_shared<const Scope>(Scope{net, "Conv2d", "0"}), std::make_shared<const SourceLine>("model.py:12")});
  describe(conv->output(), DType::Float32, {Dim::symbol("batch"), 64, Dim(), 55});
  Node* split = append(graph.block(), "onnx::Split", {conv->output()}, 2);
  split->set_attribute("alpha", 1e-5);
  split->set_attribute("mode", std::string("a\"b"));
  split->output(0)->set_name("0");
  graph.block().add_output(split->output(1));
  EXPECT_EQ(print(graph), R"(graph(%in : Float(10, 3, 224, 224),
      %features.0.weight : Float(64, 3, 11, 11)):
  %1 : Float(batch, 64, *, 55) = onnx::Conv[dilations=[1, 1], group=1, strides=[4, 4]](%in, %features.0.weight, none), scope: AlexNet/Conv2d[0]
  %0 : Tensor, %2 : Tensor = onnx::Split[alpha=1e-05, mode="a\"b"](%1)
  return (%2)
)");
  const PrintOptions all{false, true, true};
  EXPECT_EQ(print(*conv, all),
            "%1 : Float(batch, 64, *, 55) = onnx::Conv[dilations=[1, 1], group=1, strides=[4, 4]]"
            "(%in, %features.0.weight, none) /features/0/Conv # model.py:12");
}

TEST(Printer, NestedBlocks) {
  Graph graph;
  Value* x = graph.block().add_input();
  Value* trips = graph.block().add_input();
  trips->set_type(Type::of(Type::Kind::Int));
  Node* loop = append(graph.block(), "prim::Loop", {trips, x});
  Block* body = loop->add_block();
  Value* i = body->add_input();
  i->set_name("i");
  i->set_type(Type::of(Type::Kind::Int));
  Value* carried = body->add_input();
  Node* branch = append(*body, "prim::If", {i});
  Node* relu = append(*branch->add_block(), "aten::relu", {carried});
  branch->block(0)->add_output(relu->output());
  branch->add_block()->add_output(carried);
  append(*body, "prim::Print", {i}, 0);
  body->add_output(branch->output());
  graph.block().add_output(loop->output());
  EXPECT_EQ(print(graph), R"(graph(%0 : Tensor,
      %1 : int):
  %2 : Tensor = prim::Loop(%1, %0)
    block0(%i : int, %3 : Tensor):
      %4 : Tensor = prim::If(%i)
        block0():
          %5 : Tensor = aten::relu(%3)
          -> (%5)
        block1():
          -> (%3)
      prim::Print(%i)
      -> (%4)
  return (%2)
)");
}

std::string constant_text(Constant constant) {
  Graph graph;
  Node* node = graph.create_constant(std::move(constant));
  graph.block().append(node);
  return print(*node);
}

TEST(Printer, Constants) {
  EXPECT_EQ(constant_text(Constant{1.0}), "%0 : float = prim::Constant[value=1.]()");
  EXPECT_EQ(constant_text(Constant{0.1}), "%0 : float = prim::Constant[value=0.1]()");
  EXPECT_EQ(constant_text(Constant{true}), "%0 : bool = prim::Constant[value=True]()");
  EXPECT_EQ(constant_text(Constant{Constant::None{}}), "%0 : NoneType = prim::Constant()");
  EXPECT_EQ(constant_text(Constant{std::string("max")}), "%0 : str = prim::Constant[value=\"max\"]()");
  EXPECT_EQ(constant_text(Constant{Constant::List{{Constant{std::int64_t{1}}, Constant{std::int64_t{2}}}}}),
            "%0 : int[] = prim::Constant[value=[1, 2]]()");
  EXPECT_EQ(constant_text(Constant{Tensor::of_int64(Ints{9216})}), "%0 : Long(1) = prim::Constant[value={9216}]()");
  EXPECT_EQ(constant_text(Constant{zeros({64, 3})}), "%0 : Float(64, 3) = prim::Constant[value=<Tensor 64x3>]()");
}

TEST(Printer, TensorAttributes) {
  Graph graph;
  Node* node = append(graph.block(), "onnx::Constant", {});
  node->set_attribute("value", Tensor::scalar(DType::Float32, 0.1));
  describe(node->output(), DType::Float32, {});
  EXPECT_EQ(print(*node), "%0 : Float() = onnx::Constant[value={0.1}]()");
  node->set_attribute("value", zeros({64, 3}));
  EXPECT_EQ(print(*node), "%0 : Float() = onnx::Constant[value=<Tensor 64x3>]()");
}

TEST(Printer, TextDoesNotDependOnIds) {
  const auto build = [](Graph& graph, bool waste) {
    Value* x = graph.block().add_input();
    if (waste) append(graph.block(), "aten::neg", {x})->erase();
    Node* relu = append(graph.block(), "aten::relu", {x});
    graph.block().add_output(relu->output());
  };
  Graph a, b;
  build(a, false);
  build(b, true);
  EXPECT_NE(a.outputs()[0]->id(), b.outputs()[0]->id());
  EXPECT_EQ(print(a), print(b));
}

TEST(Printer, EqualNamesAreMadeUnique) {
  Graph graph;
  Value* x = graph.block().add_input();
  x->set_name("x");
  Node* relu = append(graph.block(), "aten::relu", {x});
  relu->output()->set_name("x");
  graph.block().add_output(relu->output());
  EXPECT_EQ(print(graph), "graph(%x : Tensor):\n  %x.1 : Tensor = aten::relu(%x)\n  return (%x.1)\n");
}

}  // namespace
}  // namespace tonnx::ir
