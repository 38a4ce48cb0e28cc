#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "models.h"
#include "onnx/check.h"
#include "onnx/reader.h"

namespace tonnx::onnx {
namespace {

using ir::DType;
using ir::Graph;
using ir::Scope;
using ir::Value;
using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<const Scope> scope(const std::string& type, const std::string& name,
                                   std::shared_ptr<const Scope> parent) {
  return std::make_shared<const Scope>(Scope{std::move(parent), type, name});
}

class ModuleFunctions : public testing::Test {
 protected:
  Value* op(const std::string& kind, const std::vector<Value*>& inputs, const std::shared_ptr<const Scope>& within) {
    ir::Node* node = add_node(graph_.block(), kind, inputs);
    node->set_location({within, nullptr});
    opset(18)->infer(*node);
    return node->output();
  }
  // A layer with a weight of two elements: x * weight + weight.
  Value* layer(Value* x, const std::shared_ptr<const Scope>& within) {
    Value* weight = graph_.add_weight(within->path() + ".weight", float_tensor({2}));
    weight->facts().dtype = DType::Float32;
    weight->facts().dims.emplace({ir::Dim(2)});
    return op("onnx::Add", {op("onnx::Mul", {x, weight}, within), weight}, within);
  }
  ::onnx::ModelProto written(std::vector<std::string> classes) {
    ModelInfo info = info_of(18);
    info.module_functions = std::move(classes);
    check(graph_, info);
    const std::vector<std::byte> bytes = write_bytes(graph_, info);
    const Folder folder;
    write_file(graph_, info, folder / "m.onnx");
    check_file(folder / "m.onnx");
    ::onnx::ModelProto model;
    EXPECT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    return model;
  }
  static std::vector<std::string> operators(const auto& nodes) {
    std::vector<std::string> names;
    for (const auto& node : nodes) names.push_back(node.op_type());
    return names;
  }
  void add_output(Value* value) { graph_.block().add_output(value); }

  Graph graph_;
  Value* x_ = add_input(graph_, "x", DType::Float32, {ir::Dim::symbol("n"), ir::Dim(2)});
  std::shared_ptr<const Scope> root_ = scope("Net", "", nullptr);
};

TEST_F(ModuleFunctions, EqualModulesAreOneFunctionWithTheirWeightsAsInputs) {
  Value* y = layer(x_, scope("Layer", "a", root_));
  add_output(layer(op("onnx::Relu", {y}, root_), scope("Layer", "b", root_)));
  const auto model = written({"*"});
  EXPECT_THAT(operators(model.graph().node()), ElementsAre("Layer", "Relu", "Layer"));
  ASSERT_EQ(model.functions_size(), 1);
  const auto& function = model.functions(0);
  EXPECT_EQ(function.name(), "Layer");
  EXPECT_THAT(operators(function.node()), ElementsAre("Mul", "Add"));
  EXPECT_THAT(function.input(), ElementsAre("input", "weight"));
  EXPECT_THAT(function.output(), ElementsAre("Add_output"));
  EXPECT_THAT(model.graph().node(2).input(), ElementsAre(model.graph().node(1).output(0), "b.weight"));
  EXPECT_EQ(model.graph().node(0).name(), "/a");
  EXPECT_EQ(model.opset_import(1).domain(), model.graph().node(0).domain());
}

TEST_F(ModuleFunctions, OnlyRequestedClasses) {
  const auto block = scope("Block", "block", root_);
  Value* y = layer(op("onnx::Relu", {x_}, block), scope("Layer", "0", block));
  add_output(op("onnx::Neg", {y}, block));
  const auto inner = written({"Layer"});
  EXPECT_THAT(operators(inner.graph().node()), ElementsAre("Relu", "Layer", "Neg"));
  const auto both = written({"Layer", "Block"});
  EXPECT_THAT(operators(both.graph().node()), ElementsAre("Block"));
  ASSERT_EQ(both.functions_size(), 2);
  EXPECT_THAT(operators(both.functions(1).node()), ElementsAre("Relu", "Layer", "Neg"));
  EXPECT_THAT(both.functions(1).input(), ElementsAre("input", "0.weight"));
  EXPECT_THAT(operators(written({"Other"}).graph().node()), ElementsAre("Relu", "Mul", "Add", "Neg"));
}

TEST_F(ModuleFunctions, IndependentNodesAreBeforeOrAfterTheCall) {
  const auto a = scope("Layer", "a", root_);
  Value* y = op("onnx::Relu", {x_}, a);
  Value* aside = op("onnx::Neg", {x_}, root_);
  Value* after = op("onnx::Exp", {y}, root_);
  add_output(op("onnx::Add", {op("onnx::Add", {y, aside}, a), op("onnx::Sum", {after}, root_)}, root_));
  const auto model = written({"*"});
  EXPECT_THAT(operators(model.graph().node()), ElementsAre("Neg", "Layer", "Exp", "Sum", "Add"));
  EXPECT_EQ(model.graph().node(1).output_size(), 2) << "both are read outside";
}

TEST_F(ModuleFunctions, ACyclicCallIsSplit) {
  const auto a = scope("Layer", "a", root_);
  Value* between = op("onnx::Neg", {op("onnx::Relu", {x_}, a)}, root_);
  add_output(op("onnx::Relu", {between}, a));
  const auto model = written({"*"});
  EXPECT_THAT(operators(model.graph().node()), ElementsAre("Layer", "Neg", "Layer"));
  EXPECT_EQ(model.functions_size(), 1);
  EXPECT_EQ(model.graph().node(2).name(), "/a_1");
}

TEST_F(ModuleFunctions, OuterValuesOfABlockAreInputs) {
  const auto a = scope("Branchy", "a", root_);
  Value* condition = add_input(graph_, "c", DType::Bool, {});
  Value* y = op("onnx::Relu", {x_}, root_);
  ir::Node* branch = add_node(graph_.block(), "onnx::If", {condition});
  branch->set_location({a, nullptr});
  for (int i = 0; i < 2; ++i) {
    ir::Block* block = branch->add_block();
    ir::Node* inner = add_node(*block, i ? "onnx::Exp" : "onnx::Neg", {y});
    opset(18)->infer(*inner);
    block->add_output(inner->output());
  }
  branch->output()->facts() = y->facts();
  add_output(branch->output());
  const auto model = written({"Branchy"});
  EXPECT_THAT(operators(model.graph().node()), ElementsAre("Relu", "Branchy"));
  EXPECT_THAT(model.graph().node(1).input(), ElementsAre("c", model.graph().node(0).output(0)));
}

TEST_F(ModuleFunctions, CallsInABranchBecomeFunctionsThere) {
  const auto outer = scope("Branchy", "a", root_);
  const auto layer = scope("Layer", "l", outer);
  Value* condition = add_input(graph_, "c", DType::Bool, {});
  ir::Node* two = add_node(graph_.block(), "onnx::Constant", {});
  two->set_attribute("value", float_tensor({2}));
  opset(18)->infer(*two);
  ir::Node* branch = add_node(graph_.block(), "onnx::If", {condition});
  branch->set_location({outer, nullptr});
  for (int i = 0; i < 2; ++i) {
    ir::Block* block = branch->add_block();
    ir::Node* scaled = add_node(*block, "onnx::Mul", {x_, two->output()});
    ir::Node* shifted = add_node(*block, "onnx::Add", {scaled->output(), x_});
    ir::Node* last = add_node(*block, i ? "onnx::Exp" : "onnx::Neg", {shifted->output()});
    for (ir::Node* node : {scaled, shifted}) node->set_location({layer, nullptr});
    last->set_location({outer, nullptr});
    for (ir::Node* node : {scaled, shifted, last}) opset(18)->infer(*node);
    block->add_output(last->output());
  }
  branch->output()->facts() = x_->facts();
  add_output(branch->output());
  const auto model = written({"Layer"});
  EXPECT_THAT(operators(model.graph().node()), ElementsAre("If"));
  ASSERT_EQ(model.functions_size(), 1) << "both ways call one";
  EXPECT_THAT(operators(model.functions(0).node()), ElementsAre("Constant", "Mul", "Add"));
  const auto& ways = model.graph().node(0).attribute();
  EXPECT_THAT(operators(ways[0].g().node()), ElementsAre("Layer", testing::AnyOf("Exp", "Neg")));
  EXPECT_THAT((std::set{ways[0].g().node(0).name(), ways[1].g().node(0).name()}), ElementsAre("/a/l", "/a/l_1"));
  const auto all = written({"*"});
  EXPECT_THAT(operators(all.graph().node()), ElementsAre("Branchy"));
  EXPECT_EQ(all.functions_size(), 2);
}

TEST_F(ModuleFunctions, ASharedConstantIsCopiedIntoEachCall) {
  ir::Node* made = add_node(graph_.block(), "onnx::Constant", {});
  made->set_attribute("value", float_tensor({2}));
  made->set_location({scope("Layer", "a", root_), nullptr});
  opset(18)->infer(*made);
  Value* constant = made->output();
  const auto twice = [&](Value* x, const char* name) {
    const auto within = scope("Layer", name, root_);
    return op("onnx::Mul", {op("onnx::Add", {x, constant}, within), constant}, within);
  };
  Value* y = twice(twice(x_, "a"), "b");
  add_output(y);
  const auto model = written({"*"});
  EXPECT_THAT(operators(model.graph().node()), ElementsAre("Layer", "Layer"));
  ASSERT_EQ(model.functions_size(), 1);
  EXPECT_THAT(operators(model.functions(0).node()), ElementsAre("Constant", "Add", "Mul"));
  EXPECT_THAT(model.functions(0).input(), ElementsAre("input"));
  add_output(op("onnx::Add", {y, constant}, root_));
  EXPECT_THAT(operators(written({"*"}).graph().node()), ElementsAre("Constant", "Layer", "Layer", "Add"));
}

TEST_F(ModuleFunctions, AfterAnUnknownOperatorTypesAreThoseOfTheGraph) {
  const auto a = scope("Layer", "a", root_);
  ir::Node* custom = add_node(graph_.block(), "own::Twist", {x_});
  custom->set_location({a, nullptr});
  custom->output()->facts() = x_->facts();
  add_output(op("onnx::Mul", {custom->output(), custom->output()}, a));
  ModelInfo info = info_of(18);
  info.module_functions = {"*"};
  EXPECT_NO_THROW(check(graph_, info));
}

TEST_F(ModuleFunctions, F231_ValuesThatDifferAreAttributes) {
  const auto leaky = [&](Value* x, double alpha, const std::shared_ptr<const Scope>& within) {
    Value* y = op("onnx::LeakyRelu", {x}, within);
    y->node()->set_attribute("alpha", alpha);
    return y;
  };
  // Pairs of blocks, whose slopes are attributes of the pairs as well, unless they are equal in all pairs.
  Value* y = x_;
  for (const auto& [name, second] : {std::pair{"p", 0.2}, std::pair{"q", 0.4}}) {
    const auto pair = scope("Pair", name, root_);
    y = leaky(y, 0.1, scope("Block", "0", pair));
    y = leaky(y, second, scope("Block", "1", pair));
  }
  add_output(y);
  const auto model = written({"*"});
  ASSERT_EQ(model.functions_size(), 2);
  const auto &block = model.functions(0), &pair = model.functions(1);
  EXPECT_THAT(block.attribute(), ElementsAre("inferred::alpha"));
  EXPECT_EQ(block.node(0).attribute(0).ref_attr_name(), "inferred::alpha");
  EXPECT_THAT(pair.attribute(), ElementsAre("inferred::alpha"));
  EXPECT_FLOAT_EQ(pair.node(0).attribute(0).f(), 0.1f);
  EXPECT_EQ(pair.node(1).attribute(0).ref_attr_name(), "inferred::alpha");
  EXPECT_FLOAT_EQ(model.graph().node(1).attribute(0).f(), 0.4f);
  // Each kind of function alone.
  EXPECT_THAT(written({"Block"}).functions(0).attribute(), ElementsAre("inferred::alpha"));
  EXPECT_THAT(written({"Pair"}).functions(0).attribute(), ElementsAre("inferred::alpha"));
}

TEST_F(ModuleFunctions, F231_NamesOfAttributesDiffer) {
  // The inner function has inferred::value and inferred::value_1, the outer one has a constant of its own before them.
  Value* y = x_;
  int count = 0;
  const auto scaled = [&](Value* x, const std::shared_ptr<const Scope>& within) {
    ir::Node* made = add_node(graph_.block(), "onnx::Constant", {});
    made->set_attribute("value", ir::Tensor::scalar(DType::Float32, 0.5 + ++count));
    opset(18)->infer(*made);
    return op("onnx::Mul", {x, made->output()}, within);
  };
  for (const char* name : {"p", "q"}) {
    const auto outer = scope("Outer", name, root_), inner = scope("Inner", "0", outer);
    y = scaled(scaled(scaled(scaled(y, outer), outer), inner), inner);
  }
  graph_.block().add_output(y);
  const auto model = written({"*"});
  ASSERT_EQ(model.functions_size(), 2);
  EXPECT_THAT(model.functions(0).attribute(), ElementsAre("inferred::value", "inferred::value_1"));
  const auto& names = model.functions(1).attribute();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 4u);
}

TEST_F(ModuleFunctions, F231_OtherTypesAreOtherFunctions) {
  Value* y = x_;
  int count = 0;
  for (const ir::Tensor& tensor : {float_tensor({2}), float_tensor({2}), float_tensor({1})}) {
    const auto within = scope("Layer", std::to_string(count++), root_);
    ir::Node* made = add_node(graph_.block(), "onnx::Constant", {});
    made->set_attribute("value", tensor);
    opset(18)->infer(*made);
    y = op("onnx::Mul", {y, made->output()}, within);
  }
  add_output(y);
  const auto model = written({"*"});
  EXPECT_THAT(operators(model.graph().node()), ElementsAre("Layer", "Layer", "Layer_2"));
  EXPECT_THAT(model.functions(0).attribute(), IsEmpty());
}

TEST_F(ModuleFunctions, AFileThatIsReadKeepsItsFunctions) {
  const Folder folder;
  add_output(layer(x_, scope("Layer", "a", root_)));
  ModelInfo info = info_of(18);
  info.module_functions = {"Layer"};
  write_file(graph_, info, folder / "model.onnx");
  const Model read = read_file(folder / "model.onnx");
  const std::vector<std::byte> again = write_bytes(*read.graph, read.info);
  EXPECT_EQ(bytes_of(folder / "model.onnx"), std::string(reinterpret_cast<const char*>(again.data()), again.size()));
  info.module_functions.clear();
  write_file(graph_, info, folder / "model.onnx");
  EXPECT_THAT(read_file(folder / "model.onnx").info.functions, IsEmpty());
}

}  // namespace
}  // namespace tonnx::onnx
