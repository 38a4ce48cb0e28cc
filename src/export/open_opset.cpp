#include "export/open_opset.h"

#include <utility>

namespace tonnx::exporting {
namespace {

class OpenOpset final : public ir::Opset {
 public:
  explicit OpenOpset(std::shared_ptr<const ir::Opset> known) : known_(std::move(known)) {}

  std::int32_t version() const override { return known_->version(); }
  const ir::OpDef* find(std::string_view op) const override {
    return known_->introduced(op) ? known_->find(op) : &any_;
  }
  std::int32_t introduced(std::string_view op) const override { return known_->introduced(op); }
  void infer(ir::Node& node) const override {
    if (node.domain() != "onnx" || known_->introduced(node.op())) known_->infer(node);
  }

 private:
  std::shared_ptr<const ir::Opset> known_;
  ir::OpDef any_;
};

}  // namespace

std::shared_ptr<const ir::Opset> open_opset(std::shared_ptr<const ir::Opset> opset) {
  return std::make_shared<OpenOpset>(std::move(opset));
}

}  // namespace tonnx::exporting
