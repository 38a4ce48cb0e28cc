#include "onnx/text.h"

#include <google/protobuf/text_format.h>

#include "onnx/message.h"
#include "onnx/skeleton.h"

namespace tonnx::onnx {
namespace {

using google::protobuf::Message;
using google::protobuf::TextFormat;

constexpr std::size_t kMaxShown = 64;

class TensorPrinter final : public TextFormat::MessagePrinter {
 public:
  void Print(const Message& message, bool single_line, TextFormat::BaseTextGenerator* out) const override {
    pb::TensorProto tensor = static_cast<const pb::TensorProto&>(message);
    std::int64_t hidden = -1;
    if (tensor.raw_data().size() > kMaxShown) {
      hidden = static_cast<std::int64_t>(tensor.raw_data().size());
    } else if (!tensor.has_raw_data()) {
      hidden = expected_bytes(tensor);  // a weight; the message has only its header
    }
    if (hidden >= 0) tensor.clear_raw_data();
    TextFormat::Printer printer;
    printer.SetSingleLineMode(single_line);
    std::string text;
    printer.PrintToString(tensor, &text);
    if (hidden >= 0) text += "# raw_data: " + std::to_string(hidden) + " bytes\n";
    out->PrintString(text);
  }
};

}  // namespace

std::string full_text(const ir::Graph& graph, const ModelInfo& info) {
  const Names names(graph);
  pb::ModelProto model;
  to_proto(graph, info, names, model);
  for (const ir::Value* weight : graph.weights()) {
    pb::TensorProto& tensor = *model.mutable_graph()->add_initializer();
    if (weight->weight()->bytes() <= kMaxShown) {
      to_proto(*weight->weight(), true, tensor);
      tensor.set_name(names.of(weight));
    } else {
      to_proto(*weight, names, tensor);
    }
  }
  TextFormat::Printer printer;
  printer.RegisterMessagePrinter(pb::TensorProto::descriptor(), new TensorPrinter());  // the printer owns it
  std::string text;
  printer.PrintToString(model, &text);
  return text;
}

}  // namespace tonnx::onnx
