#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <c10/core/ScalarType.h>

// The values that LibTorch's unpickler builds, by their kinds. Internal: includes LibTorch.
namespace tonnx::torch::pickled {

// A pickle that LibTorch must not read.
struct Fault {
  const char* reason;
};

[[noreturn]] inline void broken() { throw Fault{"a pickle is broken"}; }

enum class Kind : std::uint8_t {
  Undefined,
  Number,
  Dtype,
  Scheme,
  Function,
  Text,
  Tuple,
  List,
  Dict,
  Storage,
  Tensor,
  Other
};

// A value. `number` is the integer, dtype, scheme or function; the offset of a string's length; else its part, or -1.
struct Item {
  Kind kind = Kind::Undefined;
  std::int64_t number = -1;
};

// A value with content. Items are those of a tuple, and the sizes of a tensor.
struct Part {
  std::uint32_t depth = 0;
  bool is_held = false;             // by another value
  std::uint64_t count = 1;          // values in it, shared ones at each use
  std::size_t first = 0, size = 0;  // items
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  std::uint64_t bytes = 0;  // of a storage
};

// All values of a pickle, with limits for readers that are recursive or that follow shared values at each use.
class Values {
 public:
  explicit Values(std::uint64_t largest) : largest_(largest) {}

  // The functions throw Fault if a value is of another kind, or has too few items.
  Part& part(const Item& item, Kind kind);
  // The items of a tuple, or the sizes of a tensor. Valid until the next tuple is made.
  std::span<const Item> items(const Item& item, std::size_t at_least, Kind kind = Kind::Tuple) const;
  std::vector<std::int64_t> numbers(const Item& tuple) const;

  Item make(Kind kind, std::span<const Item> contents, Part part = {});
  Item make_tuple(std::span<const Item> contents);
  // Adds to a container, which must not be inside of another value yet. So no value contains itself, and none changes
  // after it was measured.
  void add(const Item& container, std::span<const Item> contents);

  // The least and the largest integer in a list. LibTorch has integers for dtypes, schemes and functions, too.
  std::int64_t least_listed() const { return least_listed_; }
  std::int64_t largest_listed() const { return largest_listed_; }

 private:
  const Part* part_of(const Item& item) const;
  void hold(Kind kind, Part& part, std::span<const Item> contents);

  const std::uint64_t largest_;
  std::vector<Part> parts_;
  std::vector<Item> items_;  // of all tuples
  std::int64_t least_listed_ = 0, largest_listed_ = 0;
};

std::int64_t number(const Item& item);

}  // namespace tonnx::torch::pickled
