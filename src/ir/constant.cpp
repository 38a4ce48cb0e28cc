#include "ir/constant.h"

#include <cmath>
#include <string_view>

#include "ir/error.h"
#include "ir/text.h"

namespace tonnx::ir {
namespace {

std::string join(const std::vector<Constant>& items) {
  return comma_list(items, [](const Constant& item) { return to_string(item); });
}

struct Text {
  std::string operator()(const Constant::None&) const { return "None"; }
  std::string operator()(bool v) const { return v ? "True" : "False"; }
  std::string operator()(std::int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return format_float(v); }
  std::string operator()(const std::complex<double>& v) const {
    const bool minus = std::signbit(v.imag());
    return "(" + format_float(v.real()) + (minus ? "-" : "+") + format_float(minus ? -v.imag() : v.imag()) + "j)";
  }
  std::string operator()(const std::string& v) const { return quote(v); }
  std::string operator()(const Tensor& v) const {
    return v.dims.empty() ? "<Tensor>" : "<Tensor " + format_dims(v.dims) + ">";
  }
  std::string operator()(const Constant::Device& v) const { return v.name; }
  std::string operator()(const Constant::List& v) const { return "[" + join(v.items) + "]"; }
  std::string operator()(const Constant::Tuple& v) const {
    return "(" + join(v.items) + (v.items.size() == 1 ? ",)" : ")");
  }
  std::string operator()(const Constant::Dict& v) const {
    const auto entry = [](const Constant::Dict::Item& item) {
      return to_string(item.key) + ": " + to_string(item.value);
    };
    return "{" + comma_list(v.items, entry) + "}";
  }
};

[[noreturn]] void not_a_number(const Constant& constant) {
  throw Error(Code::Internal, "constant " + to_string(constant) + " is not a number");
}

}  // namespace

double Constant::as_double() const {
  if (const auto* v = get<double>()) return *v;
  if (const auto* v = get<std::int64_t>()) return static_cast<double>(*v);
  if (const auto* v = get<bool>()) return *v ? 1.0 : 0.0;
  if (const auto* v = get<Tensor>(); v && v->numel() == 1) return v->as_double(0);
  not_a_number(*this);
}

std::int64_t Constant::as_int64() const {
  if (const auto* v = get<std::int64_t>()) return *v;
  if (const auto* v = get<bool>()) return *v ? 1 : 0;
  if (const auto* v = get<double>()) {
    std::int64_t out = 0;
    store(DType::Int64, *v, reinterpret_cast<std::byte*>(&out));
    return out;
  }
  if (const auto* v = get<Tensor>(); v && v->numel() == 1) return v->as_int64(0);
  not_a_number(*this);
}

std::string to_string(const Constant& constant) { return std::visit(Text{}, constant.value); }

}  // namespace tonnx::ir
