#include "export/model_file.h"

#include "diagram/diagram.h"
#include "export/mismatch_text.h"
#include "ir/error.h"
#include "ir/printer.h"
#include "ir/utf8.h"
#include "onnx/check.h"
#include "onnx/infer_file.h"
#include "onnx/reader.h"
#include "onnx/text.h"

namespace tonnx::exporting {

void save_model(const Model& model, const std::string& path, onnx::ExternalData external_data) {
  onnx::write_file(*model.graph, model.info, path, {.external_data = external_data, .sync = true});
}

void write_model(const Model& model, const std::function<void(const std::byte*, std::size_t)>& receive) {
  onnx::write_callback(*model.graph, model.info, receive);
}

void write_model(const Model& model, int descriptor) { onnx::write_descriptor(*model.graph, model.info, descriptor); }

void save_bytes(const std::string& path, const std::function<void(const onnx::Receive&)>& fill) {
  onnx::write_file(path, fill);
}

std::vector<std::byte> model_bytes(const Model& model) { return onnx::write_bytes(*model.graph, model.info); }

std::string model_text(const Model& model, bool full) {
  return full ? onnx::full_text(*model.graph, model.info) : ir::print(*model.graph);
}

std::string file_text(const std::string& path, bool full) {
  const onnx::Model model = onnx::read_file(path);
  return full ? onnx::full_text(*model.graph, model.info) : ir::print(*model.graph, {.scopes = false});
}

std::string model_picture(const Model& model, bool page) {
  return ir::as_utf8(page ? diagram::html(*model.graph) : diagram::svg(*model.graph));
}

std::string file_picture(const std::string& path, bool page, const char* mismatch) {
  const onnx::Model model = onnx::read_file(path);
  const diagram::Marks marks = mismatch ? marks_of(mismatch) : diagram::Marks();
  bool is_marked = marks.empty();
  ir::for_each_node(model.graph->block(), [&](const ir::Node* node) { is_marked |= marks.contains(node->name()); });
  if (!is_marked)
    throw ir::Error(ir::Code::Argument, path +
                                            ": the model has none of the operators that differ; it was not compared, "
                                            "has no names of nodes, or was exported with --module-functions, which "
                                            "moves its operators into functions");
  return ir::as_utf8(page ? diagram::html(*model.graph, marks) : diagram::svg(*model.graph, marks));
}

void check_model(const Model& model) { onnx::check(*model.graph, model.info); }
void check_file(const std::string& path) { onnx::check_file(path, true); }
void infer_file(const std::string& path, const std::string& result) { onnx::infer_file(path, result); }

}  // namespace tonnx::exporting
