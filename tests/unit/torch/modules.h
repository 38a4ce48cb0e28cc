#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ir/tensor.h"

// TorchScript modules for tests, made without Python. LibTorch's headers stay in modules.cpp.
namespace tonnx::test {

// Tensors 0, 1, 2, ... of float32, divided by ten.
ir::Tensor ramp(std::vector<std::int64_t> dims);

class Script {
 public:
  explicit Script(const std::string& name);
  ~Script();
  Script(Script&&) noexcept;

  Script& parameter(const std::string& name, const ir::Tensor& value);
  Script& buffer(const std::string& name, const ir::Tensor& value);
  // The parameter `from`.`from_name` under another name: one storage.
  Script& tied(const std::string& name, const Script& from, const std::string& from_name);
  Script& tensor_list(const std::string& name, const std::vector<std::string>& parameters);
  Script& integer(const std::string& name, std::int64_t value);
  Script& flag(const std::string& name, bool value);
  Script& child(const std::string& name, const Script& module);
  Script& define(const std::string& source);
  // A method "forward" that calls an operator of one tensor.
  Script& define_call(const std::string& operator_name);
  // The same, called by code that the method forks and waits for.
  Script& define_fork(const std::string& operator_name);

  // The module with its parameters as constants of the program.
  Script frozen() const;

  std::vector<std::byte> bytes() const;
  // Writes the archive to a new file in the temporary folder of the test and returns its path.
  std::string save(const std::string& file) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

// The threads on which tonnx_archive_test::note_thread(Tensor x) -> Tensor was called.
const std::vector<std::thread::id>& noted_threads();

// An archive whose program calls tonnx_gone::thrice, which is not registered any more.
std::vector<std::byte> archive_with_unknown_operator();

// Pickles as torch.save does: a tuple of the tensors, and a dict of keyword arguments where there are names.
std::string save_arguments(const std::string& file, const std::vector<ir::Tensor>& tensors,
                           const std::vector<std::pair<std::string, ir::Tensor>>& keywords);
// The same of one argument, a dict of the tensors by their numbers from 0.
std::string save_numbered(const std::string& file, const std::vector<ir::Tensor>& tensors);

}  // namespace tonnx::test
