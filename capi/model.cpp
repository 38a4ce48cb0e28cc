#include "tonnx/model.h"

#include "buffer.h"
#include "export/call_adapter.h"
#include "export/difference.h"
#include "export/model_file.h"
#include "export/run_file.h"
#include "exporting.h"
#include "guard.h"

using tonnx::capi::answer;
using tonnx::capi::guard;
using tonnx::capi::observer_of;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::exporting::Model;

namespace {

void check_format(tonnx_text_format format) {
  if (format < TONNX_TEXT_SHORT || format > TONNX_TEXT_HTML)
    refuse("text format " + std::to_string(format) + " is unknown");
}

bool is_picture(tonnx_text_format format) { return format == TONNX_TEXT_SVG || format == TONNX_TEXT_HTML; }

tonnx_args* flat_args(std::vector<tonnx::ir::Tensor> tensors) {
  auto args = std::make_unique<tonnx_args>();
  for (tonnx::ir::Tensor& tensor : tensors) args->arguments.positional.push_back({std::move(tensor)});
  return args.release();
}

}  // namespace

tonnx_status tonnx_model_save(const tonnx_model* model, const char* path, const tonnx_save_options* options,
                              tonnx_error** error) {
  return guard(error, observer_of(options), [&] {
    require(model, "model");
    require(path, "path");
    if (!*path) refuse("the path is empty");
    tonnx::exporting::save_model(*model->model, path,
                                 options ? options->options.external_data : tonnx::onnx::ExternalData::Auto);
  });
}

tonnx_status tonnx_model_write_fd(const tonnx_model* model, int32_t fd, tonnx_error** error) {
  return guard(error, [&] {
    require(model, "model");
    tonnx::exporting::write_model(*model->model, fd);
  });
}

tonnx_status tonnx_model_bytes(tonnx_buffer** out, const tonnx_model* model, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(model, "model");
    auto buffer = std::make_unique<tonnx_buffer>();
    buffer->bytes = tonnx::exporting::model_bytes(*model->model);
    buffer->size = buffer->bytes.size();
    buffer->bytes.push_back(std::byte{0});
    *out = buffer.release();
  });
}

tonnx_status tonnx_model_text(tonnx_buffer** out, const tonnx_model* model, tonnx_text_format format,
                              tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(model, "model");
    check_format(format);
    *out = tonnx::capi::new_buffer(is_picture(format)
                                       ? tonnx::exporting::model_picture(*model->model, format == TONNX_TEXT_HTML)
                                       : tonnx::exporting::model_text(*model->model, format == TONNX_TEXT_FULL));
  });
}

tonnx_status tonnx_model_check(const tonnx_model* model, tonnx_error** error) {
  return guard(error, [&] {
    require(model, "model");
    tonnx::exporting::check_model(*model->model);
  });
}

tonnx_status tonnx_model_verify(tonnx_buffer** out_warnings, const tonnx_model* model, const tonnx_program* program,
                                const tonnx_args* args, const tonnx_verify_options* options, tonnx_error** error) {
  if (out_warnings) *out_warnings = nullptr;
  return guard(error, observer_of(options), [&] {
    require(model, "model");
    require(program, "program");
    static const tonnx::exporting::VerifyOptions defaults;
    const tonnx::backend::Untraced untraced;
    const std::vector<std::string> warnings = tonnx::exporting::verify_model(
        *model->model, *program->source, tonnx_args::finished(args), options ? options->options : defaults);
    std::string text;
    for (const std::string& line : warnings) text += line + "\n";
    if (out_warnings)
      *out_warnings = tonnx::capi::new_buffer(text);
    else if (!warnings.empty())
      throw tonnx::ir::Error(tonnx::ir::Code::Verification, warnings.front());
  });
}

tonnx_status tonnx_model_difference(tonnx_buffer** out, const tonnx_model* first, const tonnx_model* second,
                                    tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(first, "first");
    require(second, "second");
    *out = tonnx::capi::new_buffer(tonnx::exporting::difference(*first->model, *second->model));
  });
}

tonnx_status tonnx_model_flat_inputs(tonnx_args** out, const tonnx_model* model, const tonnx_args* args,
                                     tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(model, "model");
    *out = flat_args(tonnx::exporting::flat_inputs(*model->model, tonnx_args::finished(args)));
  });
}

tonnx_status tonnx_model_flat_outputs(tonnx_args** out, const tonnx_model* model, const tonnx_args* results,
                                      tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(model, "model");
    *out = flat_args(tonnx::exporting::flat_outputs(*model->model, tonnx_args::finished(results)));
  });
}

const char* tonnx_model_call(const tonnx_model* model) {
  return model ? tonnx::exporting::call_text(*model->model).c_str() : "";
}

int32_t tonnx_model_opset(const tonnx_model* model) { return model ? model->model->info.opset : 0; }
int32_t tonnx_model_ir_version(const tonnx_model* model) { return model ? model->model->info.ir_version : 0; }
const tonnx_report* tonnx_model_report(const tonnx_model* model) { return model ? &model->report : nullptr; }
void tonnx_model_free(tonnx_model* model) { tonnx::capi::destroy(model); }

tonnx_status tonnx_file_check(const char* path, tonnx_error** error) {
  return guard(error, [&] {
    require(path, "path");
    tonnx::exporting::check_file(path);
  });
}

tonnx_status tonnx_file_text(tonnx_buffer** out, const char* path, tonnx_text_format format, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(path, "path");
    check_format(format);
    *out = tonnx::capi::new_buffer(is_picture(format) ? tonnx::exporting::file_picture(path, format == TONNX_TEXT_HTML)
                                                      : tonnx::exporting::file_text(path, format == TONNX_TEXT_FULL));
  });
}

tonnx_status tonnx_file_picture(tonnx_buffer** out, const char* path, tonnx_text_format format, const char* mismatch,
                                tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(path, "path");
    if (!is_picture(format)) refuse("format must be TONNX_TEXT_SVG or TONNX_TEXT_HTML");
    *out = tonnx::capi::new_buffer(tonnx::exporting::file_picture(path, format == TONNX_TEXT_HTML, mismatch));
  });
}

tonnx_status tonnx_file_run(tonnx_args** out, tonnx_buffer** out_names, const char* path, const tonnx_args* inputs,
                            const tonnx_verify_options* options, tonnx_error** error) {
  if (out) *out = nullptr;
  if (out_names) *out_names = nullptr;
  return guard(error, observer_of(options), [&] {
    require(out, "out");
    require(path, "path");
    const tonnx::exporting::VerifyOptions defaults;
    tonnx::exporting::FileResults results =
        tonnx::exporting::run_file(path, tonnx_args::finished(inputs), options ? options->options : defaults);
    std::string names;
    for (const std::string& name : results.names) names.append(name.c_str(), name.size() + 1);
    std::unique_ptr<tonnx_args> made(flat_args(std::move(results.tensors)));
    if (out_names) *out_names = tonnx::capi::new_buffer(names);
    *out = made.release();
  });
}

tonnx_status tonnx_file_infer(const char* path, const char* result, tonnx_error** error) {
  return guard(error, [&] {
    require(path, "path");
    require(result, "result");
    tonnx::exporting::infer_file(path, result);
  });
}

int32_t tonnx_is_exporting(void) { return tonnx::capi::Exporting::is_on_this_thread(); }
