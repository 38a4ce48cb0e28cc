#include "onnx/used_functions.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/error.h"
#include "onnx/function_calls.h"
#include "onnx/read_functions.h"

namespace tonnx::onnx {
namespace {

class Uses {
 public:
  Uses(const ir::Functions& functions, int opset, const DomainVersions& domains)
      : functions_(functions), opset_(opset), chosen_(domains.begin(), domains.end()) {
    for (const auto& [name, function] : functions) own_domains_.insert(function->domain);
  }

  void add(const std::string& name) {
    const auto found = functions_.find(name);
    if (found == functions_.end() || !done_.insert(name).second) return;
    const ir::Function& function = *found->second;
    if (const std::string why = misfit(function, opset_); !why.empty()) throw ir::Error(ir::Code::Unsupported, why);
    for (const std::string& called : function.operators) {
      if (functions_.contains(called))
        add(called);
      else if (own_domains_.contains(called.substr(0, called.find("::"))))
        used_.missing_calls.push_back(name + " calls " + called);
    }
    used_.messages.push_back(written(function));
  }

  UsedFunctions take() {
    for (const auto& [domain, import] : imported_) used_.domains.emplace_back(domain, import.version);
    return std::move(used_);
  }

 private:
  struct Import {
    std::int64_t version;
    std::string by;
  };

  std::string written(const ir::Function& function) {
    pb::FunctionProto message;
    message.ParseFromString(function.message);
    set_opset(message, opset_);
    for (pb::OperatorSetIdProto& import : *message.mutable_opset_import()) {
      if (import.domain().empty()) continue;
      if (const auto chosen = chosen_.find(import.domain()); chosen != chosen_.end())
        import.set_version(chosen->second);
      const auto [known, is_new] =
          imported_.try_emplace(import.domain(), Import{import.version(), function.full_name()});
      if (!is_new && known->second.version != import.version())
        throw ir::Error(ir::Code::Argument,
                        "the functions " + known->second.by + " and " + function.full_name() + " import versions " +
                            std::to_string(known->second.version) + " and " + std::to_string(import.version()) +
                            " of the domain '" + import.domain() + "'; choose one by the option custom_opset (" +
                            import.domain() + "=" + std::to_string(std::max(known->second.version, import.version())) +
                            ")");
    }
    return message.SerializeAsString();
  }

  const ir::Functions& functions_;
  const int opset_;
  const std::map<std::string, std::int64_t> chosen_;
  std::set<std::string> own_domains_, done_;
  std::map<std::string, Import> imported_;
  UsedFunctions used_;
};

}  // namespace

UsedFunctions used_functions(const ir::Graph& graph, const ir::Functions& functions, int opset,
                             const DomainVersions& domains) {
  if (functions.empty()) return {};
  Uses uses(functions, opset, domains);
  ir::for_each_node(graph.block(), [&](const ir::Node* node) { uses.add(node->kind()); });
  return uses.take();
}

}  // namespace tonnx::onnx
