#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/tensor.h"

namespace tonnx::ir {

// A value known before run time; also the form in which example inputs and results are passed between libraries.
// Immutable once built; copies of lists are deep, copies of tensors share storage.
struct Constant {
  struct None {
    bool operator==(const None&) const = default;
  };
  struct Device {
    std::string name;
  };
  struct List {
    std::vector<Constant> items;
  };
  struct Tuple {
    std::vector<Constant> items;
    std::vector<std::string> names;  // field names of a named tuple, else empty
  };
  struct Dict {
    struct Item;
    std::vector<Item> items;  // in insertion order
  };

  std::variant<None, bool, std::int64_t, double, std::complex<double>, std::string, Tensor, Device, List, Tuple, Dict>
      value;

  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
  bool is_none() const { return std::holds_alternative<None>(value); }
  bool is_number() const { return get<bool>() || get<std::int64_t>() || get<double>(); }
  // A bool, int or float as a double; also a tensor of one element. Throws Error(Code::Internal) otherwise.
  double as_double() const;
  std::int64_t as_int64() const;
};

struct Constant::Dict::Item {
  Constant key;
  Constant value;
};

// "3", "1.5", "[1, 2]", "None", "<Tensor 3x4>": for messages and printed graphs.
std::string to_string(const Constant& constant);

// Example inputs of a program.
struct Arguments {
  std::vector<Constant> positional;
  std::vector<std::pair<std::string, Constant>> keywords;
};

}  // namespace tonnx::ir
