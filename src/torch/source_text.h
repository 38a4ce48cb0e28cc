#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/jit/frontend/tree_views.h>

// Parses TorchScript source text. Internal: includes LibTorch.
namespace tonnx::torch {

// A text's functions in order: methods, whose first parameter is `self`, and others.
struct SourceFunctions {
  std::string last;  // name of the text's last function
  std::vector<::torch::jit::Def> methods;
  std::vector<::torch::jit::Def> functions;
};

// Parses function definitions. Ignores imports of torch, math and typing and the decorators torch.jit.script and
// torch.jit.export, which have no effect here. Throws Error(Code::Program), with the location, for other statements, a
// second function with the same name, a function with the name of a language construct, and a computed default, which
// LibTorch would run when compiling.
SourceFunctions parse_functions(const std::shared_ptr<::torch::jit::Source>& source);

// "net.py:3:7: TEXT" with the start of the range, line and column from 1.
std::string message_at(const ::torch::jit::SourceRange& range, const std::string& text);

}  // namespace tonnx::torch
