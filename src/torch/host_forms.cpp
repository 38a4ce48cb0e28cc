#include "torch/host_forms.h"

#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include <ATen/ops/_scaled_dot_product_attention_math.h>

namespace tonnx::torch {
namespace {

// For aten::_scaled_dot_product_{flash,efficient,cudnn,fused_overrideable}_attention, which take different arguments.
void fused_attention(const c10::FunctionSchema& schema, ::torch::jit::Stack& stack) {
  const auto given = [&](const char* name) {
    const auto place = schema.argumentIndexWithName(name);
    return place ? stack.at(static_cast<std::size_t>(*place)) : c10::IValue();
  };
  const c10::IValue bias = given("attn_bias"), scale = given("scale");
  at::Tensor result = std::get<0>(at::_scaled_dot_product_attention_math(
      given("query").toTensor(), given("key").toTensor(), given("value").toTensor(),
      bias.isTensor() ? std::optional<at::Tensor>(bias.toTensor()) : std::nullopt, given("dropout_p").toDouble(),
      given("is_causal").toBool(), std::nullopt,
      scale.isNone() ? std::nullopt : std::optional<double>(scale.toDouble())));
  stack.assign(schema.returns().size(), c10::IValue());
  stack.front() = std::move(result);
}

constexpr std::array forms = {
    std::pair<std::string_view, HostForm>{"aten::_scaled_dot_product_cudnn_attention", fused_attention},
    std::pair<std::string_view, HostForm>{"aten::_scaled_dot_product_efficient_attention", fused_attention},
    std::pair<std::string_view, HostForm>{"aten::_scaled_dot_product_flash_attention", fused_attention},
    std::pair<std::string_view, HostForm>{"aten::_scaled_dot_product_fused_attention_overrideable", fused_attention},
};

}  // namespace

HostForm find_host_form(std::string_view kind) {
  for (const auto& [name, form] : forms)
    if (name == kind) return form;
  return nullptr;
}

}  // namespace tonnx::torch
