#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tonnx::aten {

// An operator of `prims` that equals an operator of `aten` under another name.
struct Primitive {
  std::string_view name;
  std::string_view as;         // the aten operator, with its overload
  std::string_view arguments;  // "aten=prims" if the name differs, "aten:5" if prims has only this value of it

  // The prims name of an argument of the aten operator.
  std::string_view own(std::string_view argument) const;
  // The value of an argument of the aten operator that the operator of prims does not have.
  std::optional<std::int64_t> fixed(std::string_view argument) const;

 private:
  // The rest of the entry "argument=" or "argument:"; empty if there is none.
  std::string_view entry(std::string_view argument, char separator) const;
};

// Those that equal one operator of aten.
std::span<const Primitive> primitives();

// Operators of `prims` that are read as several operators of aten, with the last of these. `arguments` is empty.
std::span<const Primitive> composed_primitives();

// Null if there is none.
const Primitive* find_primitive(std::string_view name);

}  // namespace tonnx::aten
