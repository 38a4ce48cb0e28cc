#include "exported/replace_weights.h"

#include <algorithm>
#include <map>

#include "exported/meta.h"
#include "ir/error.h"
#include "ir/text.h"

namespace tonnx::exported {
namespace {

// The facts of parameters and persistent buffers, by state-dict key.
std::map<std::string, ir::Facts> weights_of(const Json& module) {
  const Json& values = module.at("graph").at("tensor_values");
  const Meta meta({});
  std::map<std::string, ir::Facts> weights;
  for (const Json& spec : module.at("signature").at("input_specs")) {
    const Tagged t = tagged(spec);
    const bool buffer = t.is("buffer") && t.value->at("persistent").get<bool>();
    if (!t.is("parameter") && !buffer) continue;
    const std::string key = t.value->at(buffer ? "buffer_name" : "parameter_name").get<std::string>();
    weights[key] = meta.facts(values.at(t.value->at("arg").at("name").get<std::string>()));
  }
  return weights;
}

std::string text_of(const std::vector<std::int64_t>& dims) {
  return "[" + ir::comma_list(dims, [](std::int64_t dim) { return std::to_string(dim); }) + "]";
}

bool fits(const ir::Tensor& tensor, const ir::Facts& facts) {
  const auto same = [](const ir::Dim& dim, std::int64_t size) { return dim.is_fixed() && dim.size() == size; };
  return tensor.dtype == facts.dtype && facts.dims &&
         std::equal(facts.dims->begin(), facts.dims->end(), tensor.dims.begin(), tensor.dims.end(), same);
}

class Replacement {
 public:
  Replacement(const StateDict& given, Payloads& payloads)
      : given_(given), own_(payloads.weights), payloads_(payloads) {}

  void run(const Json& module) {
    const std::map<std::string, ir::Facts> weights = weights_of(module);
    for (const auto& [key, facts] : weights) replace(key, facts);
    for (const auto& [key, tensor] : given_)
      if (!weights.contains(key) && !own_.contains(key)) complain("the program has no '" + key + "'");
    if (complaints_.empty()) return;
    std::sort(complaints_.begin(), complaints_.end());
    std::string text;
    for (const std::string& complaint : complaints_) text += (text.empty() ? "" : "; ") + complaint;
    throw ir::Error(ir::Code::Argument, "the state dict does not fit the program: " + text);
  }

 private:
  void replace(const std::string& key, const ir::Facts& facts) {
    const ir::Tensor* tensor = find(key);
    if (!tensor) return complain("'" + key + "' is missing");
    if (!fits(*tensor, facts))
      return complain("'" + key + "' is " + std::string(ir::name_of(tensor->dtype)) + text_of(tensor->dims) +
                      ", which differs from the program's dtype or shape");
    payloads_.weights[key] = *tensor;
    payloads_.unreadable.erase(key);
  }

  const ir::Tensor* find(const std::string& key) const {
    if (const auto found = given_.find(key); found != given_.end()) return &found->second;
    const auto own = own_.find(key);
    if (own == own_.end()) return nullptr;
    for (const auto& [name, tensor] : own_)
      if (tensor.same_view(own->second))
        if (const auto found = given_.find(name); found != given_.end()) return &found->second;
    return nullptr;
  }

  void complain(std::string text) { complaints_.push_back(std::move(text)); }

  const StateDict& given_;
  const StateDict own_;
  Payloads& payloads_;
  std::vector<std::string> complaints_;
};

}  // namespace

void replace_weights(const Json& module, const StateDict& given, Payloads& payloads) {
  Replacement(given, payloads).run(module);
}

}  // namespace tonnx::exported
