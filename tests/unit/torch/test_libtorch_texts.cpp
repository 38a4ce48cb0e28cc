#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include <functional>

#include "torch/libtorch_texts.h"

// The words of this LibTorch, as it says them. The texts of loading are read in test_archive.cpp and test_refusals.cpp, and
// from archives that PyTorch wrote in tests/cli/faults_test.py.
namespace tonnx::torch {
namespace {

std::string said(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing is thrown";
  return {};
}

std::string said_by(const std::string& body) {
  ::torch::jit::Module net("Net");
  net.define("def forward(self, x):\n    " + body + "\n");
  return said([&] { net.forward({at::ones({2, 3})}); });
}

TEST(LibTorchTexts, AnOperatorHasNoKernel) {
  const std::string text = said([] { at::_sparse_softmax(at::ones({2}), 0, false); });
  EXPECT_EQ(texts::operator_without_kernel(text), "aten::_sparse_softmax") << text;
  EXPECT_EQ(texts::operator_without_kernel(said([] { at::matmul(at::ones({2}), at::ones({3})); })), "");
}

TEST(LibTorchTexts, WhatFailsInTheInterpreterStandsAfterTheProgramsLines) {
  const std::string text = said_by("return torch.matmul(x, x)");
  const std::string why = texts::without_program_trace(text);
  EXPECT_LT(why.size(), text.size()) << text;
  EXPECT_TRUE(why.starts_with("mat1 and mat2")) << why;
  EXPECT_EQ(texts::without_program_trace(why), why);
}

TEST(LibTorchTexts, ABackTraceBeginsWithItsOrigin) {
  const std::string text = said([] { at::matmul(at::ones({2}), at::ones({3})); });
  bool begun = false;
  for (std::size_t at = 0; at != std::string::npos && !begun; at = text.find('\n', at)) {
    at += text[at] == '\n';
    begun = texts::starts_back_trace(std::string_view(text).substr(at));
  }
  EXPECT_TRUE(begun) << text;
  EXPECT_FALSE(texts::starts_back_trace(text));
}

}  // namespace
}  // namespace tonnx::torch
