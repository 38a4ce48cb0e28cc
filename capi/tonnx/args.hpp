#ifndef TONNX_ARGS_HPP
#define TONNX_ARGS_HPP

#include <cstdint>
#include <string>

#include "tonnx/args.h"
#include "tonnx/tensor.hpp"

namespace tonnx {

class Args {
 public:
  Args() {
    tonnx_args* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_args_new(&made, e); });
    handle_.reset(made);
  }
  // Loads a file written by torch.save.
  static Args load(const std::string& path) {
    tonnx_args* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_args_load(&made, path.c_str(), e); });
    return Args(made);
  }

  Args& key(const std::string& name) {
    return run([&](auto* a, auto** e) { return tonnx_args_key(a, name.c_str(), e); });
  }
  Args& add(const Tensor& tensor) {
    return run([&](auto* a, auto** e) { return tonnx_args_add_tensor(a, tensor.get(), e); });
  }
  Args& add_int(std::int64_t v) {
    return run([&](auto* a, auto** e) { return tonnx_args_add_int(a, v, e); });
  }
  Args& add_float(double v) {
    return run([&](auto* a, auto** e) { return tonnx_args_add_float(a, v, e); });
  }
  Args& add_bool(bool v) {
    return run([&](auto* a, auto** e) { return tonnx_args_add_bool(a, v, e); });
  }
  Args& add_string(const std::string& v) {
    return run([&](auto* a, auto** e) { return tonnx_args_add_string(a, v.c_str(), e); });
  }
  Args& add_none() {
    return run([](auto* a, auto** e) { return tonnx_args_add_none(a, e); });
  }
  Args& begin_list() {
    return run([](auto* a, auto** e) { return tonnx_args_begin_list(a, e); });
  }
  Args& begin_tuple() {
    return run([](auto* a, auto** e) { return tonnx_args_begin_tuple(a, e); });
  }
  Args& begin_dict() {
    return run([](auto* a, auto** e) { return tonnx_args_begin_dict(a, e); });
  }
  Args& end() {
    return run([](auto* a, auto** e) { return tonnx_args_end(a, e); });
  }
  // Appends all arguments of `other`.
  Args& extend(const Args& other) {
    return run([&](auto* a, auto** e) { return tonnx_args_extend(a, other.get(), e); });
  }
  // The positional argument at this index; a number becomes a rank-0 tensor.
  Tensor tensor(std::size_t index) const {
    tonnx_tensor* made = nullptr;
    detail::call([&](tonnx_error** e) { return tonnx_args_tensor(&made, get(), index, e); });
    return Tensor(made);
  }
  std::size_t count() const { return tonnx_args_count(get()); }
  const tonnx_args* get() const { return handle_.get(); }

 private:
  friend class Model;
  explicit Args(tonnx_args* taken) : handle_(taken) {}
  template <class Call>
  Args& run(Call&& body) {
    detail::call([&](tonnx_error** e) { return body(handle_.get(), e); });
    return *this;
  }
  detail::Handle<tonnx_args, tonnx_args_free> handle_;
};

}  // namespace tonnx

#endif
