#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tonnx::fuzz {

// Makes changed copies of inputs. Changes bytes, words, parts in brackets or quotes, and the pieces of an input that
// has a structure (pieces.h), also nested ones.
class Mutator {
 public:
  // `inputs` may grow while the mutator is used.
  Mutator(std::uint32_t seed, const std::vector<std::string>& inputs);

  std::string next();

 private:
  std::size_t below(std::size_t end) { return end ? random_() % end : 0; }
  const std::string& any_input() { return inputs_[below(inputs_.size())]; }
  // `depth`: so many pieces contain the text.
  void change(std::string& text, int depth);
  bool change_pieces(std::string& text, int depth);
  void change_bytes(std::string& text);
  void change_text(std::string& text);

  std::mt19937 random_;
  const std::vector<std::string>& inputs_;
  std::vector<std::string> words_;  // of the first inputs
};

}  // namespace tonnx::fuzz
