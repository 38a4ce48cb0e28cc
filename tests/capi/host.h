#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include "tonnx.hpp"

// What a host program with a LibTorch of its own brings to the tests.
namespace host {

inline tonnx::Program load(const torch::jit::Module& module) {
  std::stringstream stream;
  module.save(stream);
  const std::string bytes = stream.str();
  return tonnx::Program::load(bytes.data(), bytes.size());
}

// forward(self, x) with this body.
inline tonnx::Program program(const std::string& body) {
  torch::jit::Module module("Net");
  module.define("def forward(self, x):\n    return " + body + "\n");
  return load(module);
}

inline tonnx::Args args(const std::vector<at::Tensor>& tensors) {
  tonnx::Args result;
  for (const at::Tensor& tensor : tensors) result.add(tonnx::Tensor::from_torch(&tensor));
  return result;
}

inline tonnx::Args two_by_three() { return args({at::randn({2, 3})}); }
inline at::Tensor numbers() { return at::arange(6, at::kFloat).reshape({2, 3}) - 2; }

// Attributes of source text.
inline tonnx::Args attributes(const std::vector<std::pair<std::string, at::Tensor>>& tensors) {
  tonnx::Args all;
  for (const auto& [name, tensor] : tensors) all.key(name).add(tonnx::Tensor::from_torch(&tensor));
  return all;
}

inline at::Tensor& tensor(void* handle) { return *static_cast<at::Tensor*>(handle); }

// What the call throws.
template <class Call>
tonnx::Error failure(Call&& call) {
  try {
    call();
  } catch (const tonnx::Error& e) {
    return e;
  }
  ADD_FAILURE() << "the call succeeded";
  return tonnx::Error(TONNX_STATUS_OK, "");
}

}  // namespace host
