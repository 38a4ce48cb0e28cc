#include "exported/number_reader.h"

#include <algorithm>
#include <string>

#include "aten/schemas.h"
#include "exported/document_error.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Type;
using ir::Value;

namespace {

struct Function {
  std::string_view target;
  std::string_view op;
};

// Python's functions of numbers, and the equivalent operators on numbers; the overload depends on the operands.
constexpr Function kFunctions[] = {
    {"_operator.add", "aten::add"},
    {"_operator.sub", "aten::sub"},
    {"_operator.mul", "aten::mul"},
    {"_operator.truediv", "aten::div"},
    {"_operator.floordiv", "aten::floordiv"},
    {"_operator.mod", "aten::remainder"},
    {"_operator.neg", "aten::neg"},
    {"_operator.abs", "prim::abs"},
    {"_operator.lt", "aten::lt"},
    {"_operator.le", "aten::le"},
    {"_operator.gt", "aten::gt"},
    {"_operator.ge", "aten::ge"},
    {"_operator.eq", "aten::eq"},
    {"_operator.ne", "aten::ne"},
    {"_operator.and_", "aten::__and__"},
    {"_operator.or_", "aten::__or__"},
    {"_operator.xor", "aten::__xor__"},
    {"_operator.not_", "aten::__not__"},
    {"_operator.lshift", "aten::__lshift__"},
    {"_operator.rshift", "aten::__rshift__"},
    {"torch.sym_not", "aten::__not__"},
    {"torch.sym_max", "prim::max"},
    {"torch.sym_min", "prim::min"},
    {"torch.sym_int", "aten::Int"},
    {"torch.sym_float", "aten::Float"},
    {"torch.sym_sqrt", "aten::sqrt"},
    {"torch._sym_sqrt", "aten::sqrt"},
    {"math.sqrt", "aten::sqrt"},
    {"math.trunc", "aten::Int"},
    {"math.floor", "aten::floor"},
    {"math.ceil", "aten::ceil"},
    {"builtins.round", "aten::round"},
    {"builtins.max", "prim::max"},
    {"builtins.min", "prim::min"},
};

std::string suffix(const Value& value) {
  switch (value.type().kind) {
    case Type::Kind::Int: return "int";
    case Type::Kind::Float: return "float";
    case Type::Kind::Bool: return "bool";
    default: throw DocumentError("an argument of a number function is not a number");
  }
}

// "int" for one operand or two of the same type, "int_float" for different types.
std::string overload(const std::vector<Value*>& operands) {
  std::string text = suffix(*operands.at(0));
  for (std::size_t i = 1; i < operands.size(); ++i)
    if (const std::string other = suffix(*operands[i]); other != suffix(*operands[0])) text += "_" + other;
  return text;
}

}  // namespace

bool NumberReader::read(const Json& node, std::string_view target) {
  Value* result = nullptr;
  if (target == "torch.sym_sum") {
    result = sum(node);
  } else {
    std::vector<Value*> operands;
    for (const Json& input : node.at("inputs")) {
      const Tagged t = tagged(input.at("arg"));
      if (!t.is("as_sym_int") && !t.is("as_sym_float") && !t.is("as_sym_bool") && !t.is("as_int") &&
          !t.is("as_float") && !t.is("as_bool"))
        return false;
      operands.push_back(reader_.argument(input.at("arg")));
    }
    result = compute(target, operands);
  }
  if (!result) return false;
  reader_.bind_outputs(node, std::span(&result, 1));
  return true;
}

Value* NumberReader::compute(std::string_view target, const std::vector<Value*>& operands) {
  if (operands.empty()) return nullptr;
  const auto is = [&](std::size_t i, Type::Kind kind) { return operands[i]->type().is(kind); };
  if (target == "_operator.pos") return operands[0];
  if (target == "torch.sym_ite" && operands.size() == 3) return choose(operands);
  if (target == "_operator.pow" && operands.size() == 2) {
    const bool whole = is(0, Type::Kind::Int) && is(1, Type::Kind::Int);
    return reader_.emit_value("aten::pow." + (whole ? "int_to_int" : overload(operands)), operands);
  }
  if (target == "math.pow" && operands.size() == 2)
    return reader_.emit_value("aten::pow." + overload(operands), operands);
  if ((target == "torch.sym_int" || target == "math.trunc" || target == "math.floor" || target == "math.ceil") &&
      is(0, Type::Kind::Int))
    return operands[0];
  if (target == "torch.sym_float" && is(0, Type::Kind::Float)) return operands[0];
  for (const Function& function : kFunctions) {
    if (function.target != target) continue;
    const std::string plain(function.op);
    const std::string typed = plain + "." + overload(operands);
    if (aten::find_schema(typed)) return reader_.emit_value(typed, operands);
    if (aten::find_schema(plain)) return reader_.emit_value(plain, operands);
    return nullptr;
  }
  return nullptr;
}

Value* NumberReader::sum(const Json& node) {
  const Json& list = *tagged(node.at("inputs").at(0).at("arg")).value;
  Value* total = nullptr;
  for (const Json& item : list) {
    Value* term = reader_.argument(Tagged(item.is_object() ? "as_sym_int" : "as_int", &item));
    total = total ? reader_.emit_value("aten::add.int", std::vector<Value*>{total, term}) : term;
  }
  return total;
}

Value* NumberReader::choose(const std::vector<Value*>& operands) {
  ir::Node* branch = reader_.emit("prim::If", std::span(operands).first(1), 1);
  for (std::size_t i = 1; i < operands.size(); ++i) branch->add_block()->add_output(operands[i]);
  branch->output()->set_type(operands[1]->type());
  return branch->output();
}

}  // namespace tonnx::exported
