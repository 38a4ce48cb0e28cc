#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ir/graph.h"

namespace tonnx::lower {

// Answers about values of a model while it is built, so that a question that follows the inputs of a value visits each
// node once, however often it is asked. Valid because nodes that have readers do not change, and ids are never reused.
class Answers {
 public:
  static constexpr std::uint32_t kVariants = 8;

  // `variant` < kVariants says which question.
  std::optional<bool> find(const ir::Value& value, std::uint32_t variant) const {
    const auto found = answers_.find(key(value, variant));
    return found == answers_.end() ? std::nullopt : std::optional(found->second);
  }
  void set(const ir::Value& value, std::uint32_t variant, bool answer) { answers_[key(value, variant)] = answer; }

 private:
  static std::uint64_t key(const ir::Value& value, std::uint32_t variant) {
    return std::uint64_t{value.id()} * kVariants + variant;
  }

  std::unordered_map<std::uint64_t, bool> answers_;
};

}  // namespace tonnx::lower
