#pragma once

#include <map>
#include <memory>
#include <string>

#include <torch/csrc/jit/ir/ir.h>

#include "torch/skipping_reader.h"

// Operators that reach beyond the program: files, processes, devices, the state of the process. What an archive names
// of these is never run. Internal: includes LibTorch.
namespace tonnx::torch {

// The sources of an archive's code, by qualifier: "__torch__.net" of "code/__torch__/net.py".
std::map<std::string, std::string> sources_of(const std::shared_ptr<const ArchiveFile>& file);

// Why an operator is not run, "reads or makes a file"; empty for operators that act on their values alone. An operator
// of LibTorch's own that src/aten does not know is not run either; what another library brings is its user's affair.
std::string reason_not_to_run(const std::string& name, const std::string& overload);
// The same of a node of TorchScript, also of one that makes or calls an object of a class of LibTorch's own; other
// forms of the language have no operator.
std::string reason_not_to_run(const ::torch::jit::Node& node);

// LibTorch runs code of an archive while it loads it: the methods __setstate__. Where there are any, throws
// Error(Code::Unsupported) if code of the archive names such an operator or forks; compiles it, and runs nothing. What
// the code lacks to be compiled is thrown as LibTorch throws it.
void check_code_of_loading(const std::shared_ptr<const ArchiveFile>& file);

}  // namespace tonnx::torch
