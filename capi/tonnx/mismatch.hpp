#ifndef TONNX_MISMATCH_HPP
#define TONNX_MISMATCH_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "tonnx/contents.hpp"
#include "tonnx/mismatch.h"
#include "tonnx/model.hpp"

namespace tonnx {

// Operators of a program whose results in ONNX Runtime differ from LibTorch's. See tonnx_program_find_mismatch.
class Mismatch {
 public:
  // True if the model, or an operator on its own, differs.
  bool found() const { return tonnx_mismatch_found(get()) != 0; }
  // Ids of the parts that differ and that have no part that differs.
  std::vector<std::string> leaves() const {
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < tonnx_mismatch_leaf_count(get()); ++i) ids.push_back(tonnx_mismatch_leaf(get(), i));
    return ids;
  }
  // The tree of compared parts and the operators that differ: as text for people, and as a JSON object.
  std::string text() const { return tonnx_mismatch_text(get()); }
  std::string json() const { return tonnx_mismatch_json(get()); }
  // Writes the part with this id ("" is the whole) as a folder in the format of ONNX's own tests.
  void save_part(const std::string& id, const std::string& folder) const {
    detail::call([&](tonnx_error** e) { return tonnx_mismatch_save_part(get(), id.c_str(), folder.c_str(), e); });
  }
  // The operators of the part with this id, and the model of the part.
  Contents program_contents(const std::string& id) const { return contents(tonnx_mismatch_program_contents, id); }
  Contents model_contents(const std::string& id) const { return contents(tonnx_mismatch_model_contents, id); }
  const tonnx_mismatch* get() const { return handle_.get(); }

 private:
  template <class Call>
  Contents contents(Call call, const std::string& id) const {
    tonnx_contents* made = nullptr;
    detail::call([&](tonnx_error** e) { return call(&made, get(), id.c_str(), e); });
    return Contents(made);
  }
  friend Mismatch find_mismatch(const Program&, const Args&, const Options&, const Registry*, const VerifyOptions&);
  explicit Mismatch(tonnx_mismatch* taken) : handle_(taken) {}
  detail::Handle<tonnx_mismatch, tonnx_mismatch_free> handle_;
};

inline Mismatch find_mismatch(const Program& program, const Args& args, const Options& options = {},
                              const Registry* registry = nullptr, const VerifyOptions& verification = {}) {
  tonnx_mismatch* made = nullptr;
  detail::call([&](tonnx_error** e) {
    return tonnx_program_find_mismatch(&made, program.get(), args.get(), options.get(),
                                       registry ? registry->get() : nullptr, verification.get(), e);
  });
  return Mismatch(made);
}

}  // namespace tonnx

#endif
