#pragma once

#include <map>
#include <memory>
#include <string>

#include <torch/csrc/jit/ir/ir.h>

#include "torch/skipping_reader.h"

// Operators that access something outside of the program: files, processes, devices, the state of the process. Those in
// an archive are never run. Internal: includes LibTorch.
namespace tonnx::torch {

// Source files of an archive's code, by qualifier: "__torch__.net" for "code/__torch__/net.py".
std::map<std::string, std::string> sources_of(const std::shared_ptr<const ArchiveFile>& file);

// Returns why an operator must not run, "reads or makes a file"; empty for operators that only use their values.
// Operators of LibTorch that src/aten does not know are not run either; operators of other libraries are the
// responsibility of the user.
std::string reason_not_to_run(const std::string& name, const std::string& overload);
// Same for a TorchScript node, also one that creates or calls an object of a class of LibTorch; other language forms
// have no operator.
std::string reason_not_to_run(const ::torch::jit::Node& node);

// LibTorch runs code of an archive while loading it: __setstate__ methods. If there are any, compiles them without
// running, and throws Error(Code::Unsupported) if code of the archive contains such an operator or forks. Compile
// errors are thrown as LibTorch throws them.
void check_code_of_loading(const std::shared_ptr<const ArchiveFile>& file);

}  // namespace tonnx::torch
