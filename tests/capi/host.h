#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include "tonnx.hpp"

// Helpers of tests that use LibTorch as a host program does.
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

// A new folder, which is removed with its files.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tonnx_test_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    return names;
  }

 private:
  std::filesystem::path path_;
};

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
