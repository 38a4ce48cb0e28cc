#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/tensor.h"

namespace tonnx::exported {

struct Pickled;
using PickledPtr = std::shared_ptr<Pickled>;

// A value of a pickle. Tuples and lists are both List; a set, or a class with its own state, is an Object.
struct Pickled {
  struct None {};
  struct Global {
    std::string name;  // "torch._utils._rebuild_tensor_v2"
  };
  struct Storage {
    ir::DType dtype = ir::DType::Undefined;
    std::string key;
  };
  struct Object {
    std::string type;  // its class, or the function that creates it
  };
  using List = std::vector<PickledPtr>;
  using Dict = std::vector<std::pair<PickledPtr, PickledPtr>>;  // in insertion order

  std::variant<None, bool, std::int64_t, double, std::string, List, Dict, Global, Storage, Object, ir::Tensor> value;

  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
};

// Reads a pickle written by torch.save. Nothing is executed: tensors, parameters, containers, numbers and strings are
// supported; everything else becomes an Object. `storage` returns the bytes of a storage by its key, or null. Throws
// Error(Code::File) if the pickle is damaged.
PickledPtr unpickle(std::string_view bytes,
                    const std::function<std::shared_ptr<const ir::Storage>(const std::string& key)>& storage);

}  // namespace tonnx::exported
