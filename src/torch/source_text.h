#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/jit/frontend/tree_views.h>

// TorchScript source text, parsed. Internal: includes LibTorch.
namespace tonnx::torch {

// A text's functions in order: those whose first parameter is `self`, which are methods, and the others.
struct SourceFunctions {
  std::string last;  // the name of the text's last function
  std::vector<::torch::jit::Def> methods;
  std::vector<::torch::jit::Def> functions;
};

// Parses definitions of functions. Imports of torch, math and typing and the decorators torch.jit.script and
// torch.jit.export say nothing that is not so anyway, and are read over. Throws Error(Code::Program) that names the
// place of what is none of these, of a second function of one name, of one that is called as something that the
// language has itself, and of a default that is computed: LibTorch would run it when it compiles.
SourceFunctions parse_functions(const std::shared_ptr<::torch::jit::Source>& source);

// "net.py:3:7: TEXT" of where the range begins, lines and columns counted from 1.
std::string told_at(const ::torch::jit::SourceRange& range, const std::string& text);

}  // namespace tonnx::torch
