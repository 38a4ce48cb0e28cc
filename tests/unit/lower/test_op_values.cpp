#include <functional>
#include <memory>
#include <ostream>

#include <gtest/gtest.h>

#include "ir/graph.h"
#include "listing.h"
#include "lower/op.h"
#include "onnx/opset.h"

namespace tonnx::lower {
namespace {

using ir::DType;
using Kind = ir::Type::Kind;

// An operator under lowering, and source values of each lowered form.
class ValueLowering : public BlockLowering {
  ir::Graph source_, model_;
  std::shared_ptr<const ir::Opset> opset_ = onnx::opset(17);
  Builder builder_{model_, *opset_};
  ValueMap values_;
  Value* real_ = input("re");
  Value* imaginary_ = input("im");

 public:
  const ir::Value* tensor = bound(Kind::Tensor, {Lowered::Kind::One, real_, {}});
  const ir::Value* complex = bound(Kind::Tensor, {Lowered::Kind::Complex, real_, {}, imaginary_});
  const ir::Value* list = bound(Kind::List, {Lowered::Kind::List, nullptr, {real_, imaginary_}});
  const ir::Value* complex_list =
      bound(Kind::List, {Lowered::Kind::ComplexList, nullptr, {real_, real_}, nullptr, {imaginary_, nullptr}});
  const ir::Value* sequence = bound(Kind::List, {Lowered::Kind::Sequence, real_, {}});
  const ir::Value* number = constant({std::complex<double>(1, -2)});
  const ir::Value* empty = constant({ir::Constant::List{}});
  const ir::Value* unbound = source_.block().add_input();
  ir::Node* node = source_.create("test::op", {}, 1);
  Op op{*node, builder_, values_, *this, true};

  void lower_block(const ir::Block& block) override { builder_.op("Relu", {op.value_of(block.inputs()[0])}); }
  Outputs lower_real(const ir::Node&, ValueMap& given) override { return op->op("Abs", {given.at(tensor).one}); }

  std::string giving(const Values& results) {
    for (Value* v : results) model_.block().add_output(v);
    return test::Listing::of(model_);
  }

 private:
  Value* input(const char* name) {
    Value* v = model_.block().add_input();
    v->set_name(name);
    v->set_facts({DType::Float32, {{2, 3}}, nullptr});
    return v;
  }
  const ir::Value* bound(Kind kind, Lowered lowered) {
    ir::Value* v = source_.block().add_input();
    v->set_type(kind == Kind::List ? ir::Type::list(ir::Type::of(Kind::Tensor)) : ir::Type::of(kind));
    values_[v] = std::move(lowered);
    return v;
  }
  const ir::Value* constant(ir::Constant content) {
    ir::Node* made = source_.create_constant(std::move(content));
    source_.block().append(made);
    return made->output();
  }
};

struct ValueCase {
  const char* what;
  std::function<Values(ValueLowering&)> call;
  const char* text;  // the listing, or the refusal
};
std::ostream& operator<<(std::ostream& out, const ValueCase& c) { return out << c.what; }

class ValueForm : public testing::TestWithParam<ValueCase> {};

TEST_P(ValueForm, IsAcceptedOrRefused) {
  ValueLowering in;
  std::string text;
  try {
    text = in.giving(GetParam().call(in));
  } catch (const Refusal& refusal) {
    text = std::string("refused: ") + refusal.what() + "\n";
  }
  EXPECT_EQ("\n" + text, GetParam().text);
}

Values flat(const std::vector<Parts>& items) {
  Values values;
  for (const Parts& p : items) {
    values.push_back(p.real);
    if (p.imaginary) values.push_back(p.imaginary);
  }
  return values;
}

#define VALUE_CALL(...) [](ValueLowering& in) -> Values { return {__VA_ARGS__}; }

const ValueCase kValueCases[] = {
    {"value_of a tensor", VALUE_CALL(in.op.value_of(in.tensor)), R"(
-> %re
)"},
    {"value_of a complex tensor", VALUE_CALL(in.op.value_of(in.complex)), R"(
refused: it is not supported for complex tensors
)"},
    {"value_of a list of tensors", VALUE_CALL(in.op.value_of(in.list)), R"(
refused: expected a tensor, not a list of tensors
)"},
    {"value_of a sequence", VALUE_CALL(in.op.value_of(in.sequence)), R"(
refused: expected a tensor, not a list whose length is known at run time only
)"},
    {"value_of what is nowhere", VALUE_CALL(in.op.value_of(in.unbound)), R"(
refused: an input has no value in the model
)"},
    {"items_of a list", [](ValueLowering& in) { return in.op.items_of(in.list); }, R"(
-> %re, %im
)"},
    {"items_of a list with complex items", [](ValueLowering& in) { return in.op.items_of(in.complex_list); }, R"(
refused: it is not supported for complex tensors
)"},
    {"items_of a sequence", [](ValueLowering& in) { return in.op.items_of(in.sequence); }, R"(
refused: the length of a list is known at run time only
)"},
    {"sequence_of a sequence", VALUE_CALL(in.op.sequence_of(in.sequence, DType::Float32)), R"(
-> %re
)"},
    {"sequence_of a list", VALUE_CALL(in.op.sequence_of(in.list, DType::Float32)), R"(
%1 = SequenceConstruct(%re, %im)
-> %1
)"},
    {"sequence_of no items", VALUE_CALL(in.op.sequence_of(in.empty, DType::Int32)), R"(
%1 = SequenceEmpty[dtype=6]()
-> %1
)"},
    {"is_complex",
     [](ValueLowering& in) -> Values {
       Values answers;
       for (const ir::Value* v : {in.tensor, in.complex, in.list, in.complex_list, in.sequence, in.number})
         answers.push_back(in.op->int64(in.op.is_complex(v)));
       return answers;
     },
     R"(
-> {0}, {1}, {0}, {1}, {0}, {1}
)"},
    {"parts_of a complex tensor", [](ValueLowering& in) { return flat({in.op.parts_of(in.complex)}); }, R"(
-> %re, %im
)"},
    {"parts_of a real tensor", [](ValueLowering& in) { return flat({in.op.parts_of(in.tensor)}); }, R"(
-> %re
)"},
    {"parts_of a number", [](ValueLowering& in) { return flat({in.op.parts_of(in.number)}); }, R"(
-> float64 {1.}, float64 {-2.}
)"},
    {"parts_in a list", [](ValueLowering& in) { return flat(in.op.parts_in(in.complex_list)); }, R"(
-> %re, %im, %re
)"},
    {"parts_in a list of real tensors", [](ValueLowering& in) { return flat(in.op.parts_in(in.list)); }, R"(
-> %re, %im
)"},
    {"joined", VALUE_CALL(in.op.joined(in.op.parts_of(in.complex))), R"(
%1 = Unsqueeze(%re, {2})
%2 = Unsqueeze(%im, {2})
%3 = Concat[axis=2](%1, %2)
-> %3
)"},
    {"joined of a real tensor", VALUE_CALL(in.op.joined(in.op.parts_of(in.tensor))), R"(
%1 = ConstantOfShape[value={0.}]({2, 3})
%2 = Unsqueeze(%re, {2})
%3 = Unsqueeze(%1, {2})
%4 = Concat[axis=2](%2, %3)
-> %4
)"},
    {"lowered", VALUE_CALL(in.op.lowered(in.complex)->imaginary), R"(
-> %im
)"},
    {"bind",
     [](ValueLowering& in) -> Values {
       in.op.bind(in.unbound, {Lowered::Kind::One, in.op.value_of(in.tensor), {}});
       return {in.op.value_of(in.unbound)};
     },
     R"(
-> %re
)"},
    {"lower_block",
     [](ValueLowering& in) -> Values {
       ir::Block* block = in.node->add_block();
       in.op.bind(block->add_input(), {Lowered::Kind::One, in.op.value_of(in.tensor), {}});
       in.op.lower_block(*block);
       return {in.op.value_of(in.tensor)};
     },
     R"(
%1 = Relu(%re)
-> %re
)"},
    {"lower_real",
     [](ValueLowering& in) -> Values {
       ValueMap values{{in.tensor, *in.op.lowered(in.complex)}};
       return {in.op.lower_real(*in.node, values).items.at(0).one};
     },
     R"(
%1 = Abs(%re)
-> %1
)"},
    {"training", VALUE_CALL(in.op->int64(in.op.training())), R"(
-> {1}
)"},
    {"evaluator; there is none without LibTorch", VALUE_CALL(in.op->int64(in.op.evaluator() != nullptr)), R"(
-> {0}
)"},
    {"result_dtype", VALUE_CALL(in.op->int64(static_cast<std::int64_t>(in.op.result_dtype()))), R"(
refused: the dtype of the result must be known
)"},
};

INSTANTIATE_TEST_SUITE_P(Op, ValueForm, testing::ValuesIn(kValueCases));

TEST(Value, OfAValueThatWasNotLoweredIsNull) {
  ValueLowering in;
  EXPECT_EQ(in.op.lowered(in.unbound), nullptr);
}

}  // namespace
}  // namespace tonnx::lower
