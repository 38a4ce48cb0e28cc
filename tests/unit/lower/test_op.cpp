#include <memory>
#include <ostream>
#include <variant>

#include <gtest/gtest.h>

#include "aten/schema_text.h"
#include "ir/graph.h"
#include "listing.h"
#include "lower/lower.h"
#include "lower/op.h"
#include "lower/promotion.h"
#include "onnx/opset.h"

namespace tonnx::lower {
namespace {

using ir::Constant;
using ir::DType;
using Kind = ir::Type::Kind;
using Argument = std::variant<const char*, Constant>;  // the name of an input of the program, or a constant

Constant number(std::int64_t n) { return {n}; }
Constant number(double n) { return {n}; }
Constant text(const char* s) { return {std::string(s)}; }
Constant none() { return {Constant::None{}}; }
Constant list(std::vector<Constant> items) { return {Constant::List{std::move(items)}}; }
Constant tensor(double n) { return {ir::Tensor::scalar(DType::Float32, n)}; }

// A program of one operator: inputs x : Float(2, 3), n : int, r : Tensor of unknown rank, l : int[] of computed
// numbers.
class Program {
 public:
  Program(const char* schema, const std::vector<Argument>& arguments,
          std::optional<ir::Facts> declared = std::nullopt) {
    ir::Value* x = add("x", ir::Type::of(Kind::Tensor), {DType::Float32, {{2, 3}}, nullptr});
    ir::Value* n = add("n", ir::Type::of(Kind::Int), {DType::Int64, std::vector<ir::Dim>{}, nullptr});
    ir::Value* r = add("r", ir::Type::of(Kind::Tensor), {DType::Float32, std::nullopt, nullptr});
    ir::Node* numbers =
        graph.create("prim::ListConstruct", std::vector<ir::Value*>{n, constant(number(std::int64_t{4}))}, 1);
    numbers->output()->set_type(ir::Type::list(ir::Type::of(Kind::Int)));
    graph.block().append(numbers);

    std::vector<ir::Value*> inputs;
    for (const Argument& a : arguments) {
      if (const Constant* c = std::get_if<Constant>(&a)) {
        inputs.push_back(constant(*c));
      } else {
        const std::string name = std::get<const char*>(a);
        inputs.push_back(name == "x" ? x : name == "n" ? n : name == "r" ? r : numbers->output());
      }
    }
    auto parsed = std::make_shared<const ir::Schema>(aten::parse_schema(schema));
    ir::Node* node = graph.create(parsed->name, inputs, 1);
    node->set_schema(std::move(parsed));
    node->output()->set_type(ir::Type::of(Kind::Tensor));
    if (declared) node->output()->set_facts(*declared);
    graph.block().append(node);
    graph.block().add_output(node->output());
    node->output()->set_name("out");
  }

  // The model as text, or the refusal.
  std::string lowered(const Registry& registry, int opset = 17, const LowerOptions& options = {}) const {
    try {
      return "\n" + test::Listing::of(*lower_program(graph, registry, *onnx::opset(opset), options));
    } catch (const ir::Error& error) {
      const bool refused = error.code() == ir::Code::Unsupported;
      const std::string kind = refused ? "refused" : error.code() == ir::Code::Internal ? "internal" : "argument";
      return "\n" + kind + ": " + error.reasons().at(0).op + ": " + error.reasons().at(0).text + "\n";
    }
  }

  ir::Graph graph;

 private:
  ir::Value* add(const char* name, ir::Type type, ir::Facts facts) {
    ir::Value* v = graph.block().add_input();
    v->set_name(name);
    v->set_type(std::move(type));
    v->set_facts(std::move(facts));
    return v;
  }
  ir::Value* constant(Constant c) {
    ir::Node* node = graph.create_constant(std::move(c));
    graph.block().append(node);
    return node->output();
  }
};

struct GetterCase {
  const char* what;
  const char* schema;
  std::vector<Argument> arguments;
  Outputs (*lowering)(Op&);
  const char* text;
};
std::ostream& operator<<(std::ostream& out, const GetterCase& c) { return out << c.what; }

class Getter : public testing::TestWithParam<GetterCase> {};

TEST_P(Getter, ReturnsAValueOrNamesTheArgument) {
  const GetterCase& c = GetParam();
  Registry registry;
  registry.add("test::op", 7, [&](Op& op) { return std::optional(c.lowering(op)); });
  EXPECT_EQ(Program(c.schema, c.arguments).lowered(registry), c.text);
}

constexpr const char* kTensor = "test::op(Tensor self) -> Tensor";
constexpr const char* kOptional = "test::op(Tensor? self) -> Tensor";
constexpr const char* kInt = "test::op(int a) -> Tensor";
constexpr const char* kFloat = "test::op(float a) -> Tensor";
constexpr const char* kScalar = "test::op(Scalar a) -> Tensor";
constexpr const char* kInts = "test::op(int[] a) -> Tensor";
constexpr const char* kFlag = "test::op(bool a) -> Tensor";
constexpr const char* kText = "test::op(str a) -> Tensor";
constexpr const char* kTensors = "test::op(Tensor[] a) -> Tensor";
constexpr const char* kAlong = "test::op(Tensor self, int dim) -> Tensor";

const GetterCase kGetterCases[] = {
    {"tensor", kTensor, {"x"}, [](Op& op) -> Outputs { return op->op("Relu", {op.tensor("self")}); }, R"(
%1 = Relu(%x)
-> %1
)"},
    {"tensor of a number", kTensor, {number(2.5)}, [](Op& op) -> Outputs { return op.tensor("self"); }, R"(
-> float64 {2.5}
)"},
    {"tensor of None", kTensor, {none()}, [](Op& op) -> Outputs { return op.tensor("self"); }, R"(
refused: test::op: argument 'self' is None
)"},
    {"tensor that the schema lacks", kTensor, {"x"}, [](Op& op) -> Outputs { return op.tensor("other"); }, R"(
refused: test::op: argument 'other' is not part of the operator's schema
)"},
    {"optional_tensor",
     kOptional,
     {none()},
     [](Op& op) -> Outputs { return op.optional_tensor("self") ? op->int64(1) : op->int64(0); },
     R"(
-> {0}
)"},
    {"tensors",
     kTensors,
     {list({tensor(1), tensor(2)})},
     [](Op& op) -> Outputs { return op->add(op.tensors("a")[0], op.tensors("a")[1]); },
     R"(
%1 = Add({1.}, {2.})
-> %1
)"},
    {"tensors with None",
     kTensors,
     {list({tensor(1), none()})},
     [](Op& op) -> Outputs { return op.tensors("a")[0]; },
     R"(
refused: test::op: argument 'a' must contain tensors, not None
)"},
    {"tensors of a tensor", kTensors, {number(2.5)}, [](Op& op) -> Outputs { return op.tensors("a")[0]; }, R"(
refused: test::op: argument 'a' must be a list of tensors
)"},
    {"integer", kInt, {number(std::int64_t{3})}, [](Op& op) -> Outputs { return op->int64(op.integer("a")); }, R"(
-> {3}
)"},
    {"integer of the input", kInt, {"n"}, [](Op& op) -> Outputs { return op->int64(op.integer("a")); }, R"(
refused: test::op: argument 'a' must be a constant integer; it depends on the model's inputs: fix 'n' to the example's value (fixed axes)
)"},
    {"integer of a text", kInt, {text("3")}, [](Op& op) -> Outputs { return op->int64(op.integer("a")); }, R"(
refused: test::op: argument 'a' must be an integer, not "3"
)"},
    {"number", kFloat, {number(1.5)}, [](Op& op) -> Outputs { return op->scalar(DType::Float32, op.number("a")); }, R"(
-> {1.5}
)"},
    {"number of the input",
     kFloat,
     {"n"},
     [](Op& op) -> Outputs { return op->scalar(DType::Float32, op.number("a")); },
     R"(
refused: test::op: argument 'a' must be a constant number; it depends on the model's inputs: fix 'n' to the example's value (fixed axes)
)"},
    {"flag", kFlag, {Constant{true}}, [](Op& op) -> Outputs { return op->int64(op.flag("a")); }, R"(
-> {1}
)"},
    {"flag of a list", kFlag, {list({})}, [](Op& op) -> Outputs { return op->int64(op.flag("a")); }, R"(
refused: test::op: argument 'a' must be a bool, not []
)"},
    {"text", kText, {text("sum")}, [](Op& op) -> Outputs { return op->int64(op.text("a") == "sum"); }, R"(
-> {1}
)"},
    {"text of the input", kText, {"n"}, [](Op& op) -> Outputs { return op->int64(op.text("a") == "sum"); }, R"(
refused: test::op: argument 'a' must be a constant string; it depends on the model's inputs: fix 'n' to the example's value (fixed axes)
)"},
    {"text of a number", kText, {number(1.5)}, [](Op& op) -> Outputs { return op->int64(op.text("a") == "sum"); }, R"(
refused: test::op: argument 'a' must be a string, not 1.5
)"},
    {"integers",
     kInts,
     {list({number(std::int64_t{2}), number(std::int64_t{3})})},
     [](Op& op) -> Outputs { return op->int64s(op.integers("a")); },
     R"(
-> {2, 3}
)"},
    {"integers of one number",
     kInts,
     {number(std::int64_t{2})},
     [](Op& op) -> Outputs { return op->int64s(op.integers("a")); },
     R"(
-> {2}
)"},
    {"integers of the input", kInts, {"l"}, [](Op& op) -> Outputs { return op->int64s(op.integers("a")); }, R"(
refused: test::op: argument 'a' must be a constant list of integers; it depends on the model's inputs
)"},
    {"integers of a text", kInts, {text("2")}, [](Op& op) -> Outputs { return op->int64s(op.integers("a")); }, R"(
refused: test::op: argument 'a' must be a list of integers, not "2"
)"},
    {"maybe_integer",
     kInt,
     {none()},
     [](Op& op) -> Outputs { return op->int64(op.maybe_integer("a").value_or(7)); },
     R"(
-> {7}
)"},
    {"dtype", kInt, {number(std::int64_t{7})}, [](Op& op) -> Outputs { return op->scalar(*op.dtype("a"), 1.0); }, R"(
-> float64 {1.}
)"},
    {"scalar", kScalar, {number(2.5)}, [](Op& op) -> Outputs { return op.scalar("a", DType::Float16); }, R"(
-> float16 {2.5}
)"},
    {"scalar of the input", kScalar, {"n"}, [](Op& op) -> Outputs { return op.scalar("a", DType::Float32); }, R"(
%1 = Cast[to=1](%n)
-> %1
)"},
    {"scalar of a tensor", kScalar, {"r"}, [](Op& op) -> Outputs { return op.scalar("a", DType::Float32); }, R"(
%1 = Reshape(%r, {})
-> %1
)"},
    {"int_vector", kInts, {list({number(std::int64_t{2})})}, [](Op& op) -> Outputs { return op.int_vector("a"); }, R"(
-> {2}
)"},
    {"int_vector of the input", kInts, {"l"}, [](Op& op) -> Outputs { return op.int_vector("a"); }, R"(
%1 = Reshape(%n, {1})
%2 = Concat[axis=0](%1, {4})
-> %2
)"},
    {"int_vector of one number", kInts, {"n"}, [](Op& op) -> Outputs { return op.int_vector("a"); }, R"(
%1 = Reshape(%n, {-1})
-> %1
)"},
    {"axis",
     kAlong,
     {"x", number(std::int64_t{-1})},
     [](Op& op) -> Outputs { return op->int64(op.axis("dim", op.tensor("self"))); },
     R"(
-> {1}
)"},
    {"axis out of range",
     kAlong,
     {"x", number(std::int64_t{2})},
     [](Op& op) -> Outputs { return op->int64(op.axis("dim", op.tensor("self"))); },
     R"(
refused: test::op: axis 2 is out of range for rank 2
)"},
    {"axis of an unknown rank",
     kAlong,
     {"r", number(std::int64_t{0})},
     [](Op& op) -> Outputs { return op->int64(op.axis("dim", op.tensor("self"))); },
     R"(
refused: test::op: the rank of an input must be known
)"},
    {"fixed_size",
     kTensor,
     {"x"},
     [](Op& op) -> Outputs { return op->int64(*op.fixed_size(op.tensor("self"), -1)); },
     R"(
-> {3}
)"},
    {"result_dtype", kTensor, {"x"}, [](Op& op) -> Outputs { return op->scalar(op.result_dtype(), 1.0); }, R"(
refused: test::op: the dtype of the result must be known
)"},
    {"has",
     kAlong,
     {"x", number(std::int64_t{0})},
     [](Op& op) -> Outputs { return op->int64s({op.has("dim"), op.has("axis")}); },
     R"(
-> {1, 0}
)"},
    {"is_none",
     kOptional,
     {none()},
     [](Op& op) -> Outputs { return op->int64s({op.is_none("self"), op.is_none("other")}); },
     R"(
-> {1, 1}
)"},
    {"is_none of a tensor", kOptional, {"x"}, [](Op& op) -> Outputs { return op->int64(op.is_none("self")); }, R"(
-> {0}
)"},
    {"is_constant",
     kAlong,
     {"x", number(std::int64_t{0})},
     [](Op& op) -> Outputs { return op->int64s({op.is_constant("self"), op.is_constant("dim")}); },
     R"(
-> {0, 1}
)"},
    {"constant",
     kInt,
     {number(std::int64_t{5})},
     [](Op& op) -> Outputs { return op->int64(op.constant("a")->as_int64()); },
     R"(
-> {5}
)"},
    {"source", kTensor, {"x"}, [](Op& op) -> Outputs { return op.value_of(op.source("self")); }, R"(
%1 = Identity(%x)
-> %1
)"},
    {"source that the schema lacks",
     kTensor,
     {"x"},
     [](Op& op) -> Outputs { return op.value_of(op.source("other")); },
     R"(
refused: test::op: argument 'other' is not part of the operator's schema
)"},
    {"optional_tensor", kOptional, {"x"}, [](Op& op) -> Outputs { return op.optional_tensor("self"); }, R"(
%1 = Identity(%x)
-> %1
)"},
    {"optional_tensors",
     kTensors,
     {list({tensor(1), none()})},
     [](Op& op) -> Outputs { return op->int64(op.optional_tensors("a")[1] == nullptr); },
     R"(
-> {1}
)"},
    {"maybe_number",
     kFloat,
     {none()},
     [](Op& op) -> Outputs { return op->scalar(DType::Float32, op.maybe_number("a").value_or(0.5)); },
     R"(
-> {0.5}
)"},
    {"maybe_integers",
     kInts,
     {none()},
     [](Op& op) -> Outputs { return op->int64(op.maybe_integers("a").has_value()); },
     R"(
-> {0}
)"},
    {"maybe_integers of the input",
     kInts,
     {"l"},
     [](Op& op) -> Outputs { return op->int64(op.maybe_integers("a").has_value()); },
     R"(
refused: test::op: argument 'a' must be a constant list of integers; it depends on the model's inputs
)"},
    {"dtype of None", kInt, {none()}, [](Op& op) -> Outputs { return op->int64(op.dtype("a").has_value()); }, R"(
-> {0}
)"},
    {"scalar_of",
     kScalar,
     {number(std::int64_t{2})},
     [](Op& op) -> Outputs { return op.scalar_of(op.source("a"), DType::Bool); },
     R"(
-> bool {1}
)"},
    {"scalar_of a text",
     kText,
     {text("a")},
     [](Op& op) -> Outputs { return op.scalar_of(op.source("a"), DType::Int64); },
     R"(
refused: test::op: expected a number, not "a"
)"},
    {"int_vector_of", kInts, {"l"}, [](Op& op) -> Outputs { return op.int_vector_of(op.source("a")); }, R"(
%1 = Reshape(%n, {1})
%2 = Concat[axis=0](%1, {4})
-> %2
)"},
    {"vector_of",
     kInts,
     {list({number(1.5), number(std::int64_t{2})})},
     [](Op& op) -> Outputs { return op.vector_of(op.source("a"), DType::Float32); },
     R"(
-> {1.5, 2.}
)"},
    {"vector_of computed numbers",
     kInts,
     {"l"},
     [](Op& op) -> Outputs { return op.vector_of(op.source("a"), DType::Float64); },
     R"(
%1 = Cast[to=11](%n)
%2 = Reshape(%1, {1})
%3 = Concat[axis=0](%2, float64 {4.})
-> %3
)"},
    {"items_of", kInts, {"l"}, [](Op& op) -> Outputs { return op.items_of(op.source("a"))[0]; }, R"(
%1 = Identity(%n)
-> %1
)"},
    {"items_of a number",
     kInt,
     {number(std::int64_t{2})},
     [](Op& op) -> Outputs { return op.items_of(op.source("a"))[0]; },
     R"(
refused: test::op: internal error: a list has no value in the model
)"},
    {"rank_of", kTensor, {"x"}, [](Op& op) -> Outputs { return op->int64(op.rank_of(op.tensor("self"))); }, R"(
-> {2}
)"},
    {"rank_of an unknown one",
     kTensor,
     {"r"},
     [](Op& op) -> Outputs { return op->int64(op.rank_of(op.tensor("self"))); },
     R"(
refused: test::op: the rank of an input must be known
)"},
    {"wrap_axis",
     kTensor,
     {"x"},
     [](Op& op) -> Outputs { return op->int64s({op.wrap_axis(-1, 3), op.wrap_axis(2, 3), op.wrap_axis(-1, 0)}); },
     R"(
-> {2, 2, 0}
)"},
    {"wrap_axis out of range", kTensor, {"x"}, [](Op& op) -> Outputs { return op->int64(op.wrap_axis(3, 3)); }, R"(
refused: test::op: axis 3 is out of range for rank 3
)"},
    {"axes",
     "test::op(Tensor self, int[]? dim) -> Tensor",
     {"x", list({number(std::int64_t{-1}), number(std::int64_t{0})})},
     [](Op& op) -> Outputs { return op->int64s(op.axes("dim", op.tensor("self"))); },
     R"(
-> {1, 0}
)"},
    {"axes of None",
     "test::op(Tensor self, int[]? dim) -> Tensor",
     {"x", none()},
     [](Op& op) -> Outputs { return op->int64s(op.axes("dim", op.tensor("self"))); },
     R"(
-> {}
)"},
    {"dtype_of",
     kTensor,
     {"x"},
     [](Op& op) -> Outputs { return op->int64(op.dtype_of(op.tensor("self")) == DType::Float32); },
     R"(
-> {1}
)"},
    {"refuse", kTensor, {"x"}, [](Op& op) -> Outputs { op.refuse("it is too good"); }, R"(
refused: test::op: it is too good
)"},
    {"refuse_argument", kTensor, {"x"}, [](Op& op) -> Outputs { op.refuse_argument("self", "is too good"); }, R"(
refused: test::op: argument 'self' is too good
)"},
    {"needs_opset", kTensor, {"x"}, [](Op& op) -> Outputs { op.needs_opset(18, "this"); }, R"(
refused: test::op: this needs opset 18 or newer; the target is 17
)"},
    {"too many results", kTensor, {"x"}, [](Op& op) -> Outputs { return {op.tensor("self"), op.tensor("self")}; }, R"(
argument: test::op: the symbolic registered as test::op returned 2 values for 1 output
)"},
    {"no result", kTensor, {"x"}, [](Op&) -> Outputs { return {nullptr}; }, R"(
argument: test::op: the symbolic registered as test::op returned no value for output 0, which is used
)"},
};

INSTANTIATE_TEST_SUITE_P(Op, Getter, testing::ValuesIn(kGetterCases));

TEST(Driver, AResultOfAnotherDtypeThanDeclaredFails) {
  const ir::Facts declared{DType::Float16, {{2, 3}}, nullptr};
  EXPECT_EQ(Program("aten::detach(Tensor(a) self) -> Tensor(a)", {"x"}, declared).lowered(Registry()),
            "\ninternal: aten::detach: the lowering aten::detach returned an output 0 that differs from LibTorch's: "
            "dtype float16 "
            "and dtype float32\n");
  Registry registry;
  registry.add("test::op", 7, [](Op& op) { return std::optional<Outputs>(op.tensor("self")); });
  EXPECT_EQ(Program(kTensor, {"x"}, declared).lowered(registry),
            "\nargument: test::op: the symbolic registered as test::op returned an output 0 that differs from "
            "LibTorch's: dtype "
            "float16 and dtype float32\n");
}

TEST(Driver, AResultOfAnotherShapeThanDeclaredFails) {
  const ir::Facts declared{DType::Float32, {{3, 2}}, nullptr};
  EXPECT_EQ(Program("aten::detach(Tensor(a) self) -> Tensor(a)", {"x"}, declared).lowered(Registry()),
            "\ninternal: aten::detach: the lowering aten::detach returned an output 0 that differs from LibTorch's: "
            "size 3 and size "
            "2 of axis 0\n");
}

TEST(Driver, APartOfAComplexResultOfAnotherDtypeOrShapeThanDeclaredFails) {
  Registry registry;
  registry.add("test::op", 7,
               [](Op& op) { return std::optional<Outputs>(op->cast(op.tensor("self"), DType::Float64)); });
  const auto lowered = [&](DType dtype, std::int64_t size) {
    return Program(kTensor, {"x"}, ir::Facts{dtype, {{size}}, nullptr}).lowered(registry);
  };
  EXPECT_EQ(lowered(DType::Complex64, 2),
            "\nargument: test::op: the symbolic registered as test::op returned an output 0 that differs from "
            "LibTorch's: dtype "
            "float32 and dtype float64\n");
  EXPECT_EQ(lowered(DType::Complex128, 3),
            "\nargument: test::op: the symbolic registered as test::op returned an output 0 that differs from "
            "LibTorch's: size 3 "
            "and size 2 of axis 0\n");
  EXPECT_EQ(lowered(DType::Complex128, 2).find("argument"), std::string::npos);
}

TEST(Driver, ADtypeSelectsTheSymbolic) {
  Registry registry;
  const auto giving = [](const char* onnx) {
    return [onnx](Op& op) { return std::optional<Outputs>(op->op(onnx, {op.tensor("self")})); };
  };
  registry.add("test::op<float16>", 7, giving("Abs"));
  registry.add("test::op<int64>", 7, giving("Neg"));
  registry.add("test::op<int64>", 7, giving("Sign"));
  const auto lowered = [&](DType dtype) {
    const Program program(kTensor, {"x"});
    program.graph.inputs()[0]->set_facts({dtype, {{2, 3}}, nullptr});
    return program.lowered(registry);
  };
  EXPECT_NE(lowered(DType::Float16).find("Abs"), std::string::npos);
  EXPECT_NE(lowered(DType::Int64).find("Sign"), std::string::npos);
  EXPECT_NE(lowered(DType::Float32).find("declined"), std::string::npos);
  registry.add("test::op", 7, giving("Exp"));
  EXPECT_NE(lowered(DType::Float16).find("Abs"), std::string::npos);
  EXPECT_NE(lowered(DType::Float32).find("Exp"), std::string::npos);
}

TEST(Driver, RoundsOnlyResultsOfWiderLowerings) {
  Registry registry;
  registry.add("test::op", 7, [](Op& op) {
    return std::optional(round_results(op, op->op("Exp", {op->cast(op.tensor("self"), DType::Float64)})));
  });
  EXPECT_EQ(Program(kTensor, {"x"}, ir::Facts{DType::Float32, {{2, 3}}, nullptr}).lowered(registry),
            "\n%1 = Cast[to=11](%x)\n%2 = Exp(%1)\n%3 = Cast[to=1](%2)\n-> %3\n");
  EXPECT_EQ(Program(kTensor, {"x"}, ir::Facts{DType::Int64, {{2, 3}}, nullptr}).lowered(registry),
            "\nargument: test::op: the symbolic registered as test::op returned an output 0 that differs from "
            "LibTorch's: dtype "
            "int64 and dtype float64\n");
}

TEST(Driver, RefusesAStringResultAndListsSupportedStrings) {
  const Program program(kTensor, {"x"});
  program.graph.outputs()[0]->set_type(ir::Type::of(Kind::String));
  EXPECT_EQ(program.lowered(Registry()),
            "\nrefused: test::op: exporting the operator 'test::op' to ONNX opset version 17 is not supported; only "
            "constant strings, and strings made of integers (f\"k{i}\") that are only compared, are supported\n");
}

TEST(Driver, RefusesALayoutQueryWithAdvice) {
  EXPECT_EQ(
      Program("aten::storage_offset(Tensor self) -> int", {"x"}).lowered(Registry()),
      "\nrefused: aten::storage_offset: exporting the operator 'aten::storage_offset' to ONNX opset version 17 "
      "is not supported; ONNX has no memory layout: call contiguous() first, or compute strides from the sizes\n");
}

TEST(Driver, RefusesAnUnknownOperatorAndNamesTheOpsetThatHasIt) {
  EXPECT_EQ(Program(kTensor, {"x"}).lowered(Registry()),
            "\nrefused: test::op: exporting the operator 'test::op' to ONNX opset version 17 is not supported\n");
  Registry registry;
  registry.add("test::op", 18, [](Op& op) { return std::optional<Outputs>(op.tensor("self")); });
  EXPECT_EQ(Program(kTensor, {"x"}).lowered(registry),
            "\nrefused: test::op: exporting the operator 'test::op' to ONNX opset version 17 is not supported; support "
            "for it was added in opset 18, try exporting with that one\n");
}

// Which of these sizes of x's first axis are above 0 in every run, if n is at least 3, and m at least 0 or, as
// torch.export declares, 2.
TEST(Op, RangesDetermineWhatIsNeverEmpty) {
  const auto n = ir::Polynomial::symbol("n"), m = ir::Polynomial::symbol("m"), k = ir::Polynomial::symbol("k");
  const LowerOptions options{.ranges = {{"n", {3, 100}}, {"m", {0, 100}}, {"k", {1, 100}}, {"own", {2, 100}}}};
  Registry registry;
  registry.add("test::op", 7, [](Op& op) {
    return std::optional<Outputs>(op->op(op.is_never_empty(op.tensor("x"), 0) ? "Abs" : "Neg", {op.tensor("x")}));
  });
  const auto is_never_empty = [&](const ir::Dim& size) {
    Program program("test::op(Tensor x) -> Tensor", {"x"});
    program.graph.inputs()[0]->facts().dims->front() = size;
    return program.lowered(registry, 17, options).find("Abs") != std::string::npos;
  };
  const auto own = ir::Polynomial::symbol("own");
  for (const auto& size : {n, n - 2, n * 3 - 8, n * k, n * k * 4, k, m + 1, own * 2 + 1, ir::Polynomial(2)})
    EXPECT_TRUE(is_never_empty(size)) << size.text();
  for (const auto& size : {m, own, n * own, own - 1, n - 3, n * m, n - k, n * -1 + 9, ir::Polynomial::symbol("other"),
                           ir::Polynomial(0), ir::Polynomial::call(ir::SizeFunction::FloorDivide, {n, 3})})
    EXPECT_FALSE(is_never_empty(size)) << size.text();
  EXPECT_FALSE(is_never_empty(ir::Dim()));
}

}  // namespace
}  // namespace tonnx::lower
