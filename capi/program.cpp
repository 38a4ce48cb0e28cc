#include "tonnx/program.h"

#include <cstring>

#include "backend/libtorch.h"
#include "buffer.h"
#include "export/custom_operators.h"
#include "export/difference.h"
#include "exporting.h"
#include "guard.h"

using tonnx::capi::guard;
using tonnx::capi::limits_of;
using tonnx::capi::observer_of;
using tonnx::capi::refuse;
using tonnx::capi::require;

namespace {

tonnx_program* make(std::shared_ptr<const tonnx::exporting::LoadedProgram> source) {
  auto program = std::make_unique<tonnx_program>();
  program->methods = source->methods();
  program->source = std::move(source);
  return program.release();
}

}  // namespace

tonnx_status tonnx_program_load(tonnx_program** out, const char* path, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(path, "path");
    const tonnx::backend::Untraced untraced;
    *out = make(tonnx::exporting::open_archive(std::string(path)));
  });
}

tonnx_status tonnx_program_load_bytes(tonnx_program** out, const void* data, size_t size, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    if (size > 0) require(data, "data");
    std::vector<std::byte> bytes(size);
    if (size > 0) std::memcpy(bytes.data(), data, size);
    const tonnx::backend::Untraced untraced;
    *out = make(tonnx::exporting::open_archive(std::move(bytes)));
  });
}

tonnx_status tonnx_program_with_weights(tonnx_program** out, const tonnx_program* program, const char* path,
                                        tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(program, "program");
    require(path, "path");
    *out = make(program->source->with_weights(path));
  });
}

tonnx_status tonnx_program_compile(tonnx_program** out, const char* source, const char* file,
                                   const tonnx_args* attributes, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(source, "source");
    const tonnx::backend::Untraced untraced;
    *out = make(
        tonnx::exporting::compile_source(source, file && *file ? file : "source", tonnx_args::finished(attributes)));
  });
}

tonnx_status tonnx_program_from_module(tonnx_program** out, const void* jit_module, int32_t share_weights,
                                       tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(jit_module, "jit_module");
    const tonnx::backend::Untraced untraced;
    *out = make(tonnx::exporting::copy_module(jit_module, share_weights != 0));
  });
}

size_t tonnx_program_method_count(const tonnx_program* program) { return program ? program->methods.size() : 0; }

const char* tonnx_program_method(const tonnx_program* program, size_t index) {
  return index < tonnx_program_method_count(program) ? program->methods[index].c_str() : "";
}

tonnx_status tonnx_program_text(tonnx_buffer** out, const tonnx_program* program, const tonnx_args* args,
                                const tonnx_options* options, tonnx_text_format format, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, nullptr, limits_of(options), [&] {
    require(out, "out");
    require(program, "program");
    if (format != TONNX_TEXT_SHORT && format != TONNX_TEXT_SVG && format != TONNX_TEXT_HTML)
      tonnx::capi::refuse("a program has no text format " + std::to_string(format));
    static const tonnx::exporting::Options defaults;
    const tonnx::exporting::Options& given = options ? options->options : defaults;
    const tonnx::ir::Arguments finished = tonnx_args::finished(args);
    const tonnx::backend::Untraced untraced;
    *out = tonnx::capi::new_buffer(
        format == TONNX_TEXT_SHORT
            ? tonnx::exporting::program_text(*program->source, finished, given)
            : tonnx::exporting::program_picture(*program->source, finished, given, format == TONNX_TEXT_HTML));
  });
}

tonnx_status tonnx_program_export(tonnx_model** out, const tonnx_program* program, const tonnx_args* args,
                                  const tonnx_options* options, const tonnx_registry* registry, tonnx_error** error) {
  if (out) *out = nullptr;
  tonnx::exporting::Report report;
  const tonnx_status status = guard(error, observer_of(options), limits_of(options), [&] {
    require(out, "out");
    require(program, "program");
    static const tonnx::exporting::Options defaults;
    const tonnx::backend::Untraced untraced;
    const tonnx::capi::Exporting exporting;
    auto made = std::make_unique<tonnx_model>();
    made->model = tonnx::exporting::export_program(*program->source, tonnx_args::finished(args),
                                                   options ? options->options : defaults,
                                                   tonnx_registry::snapshot(registry), &report);
    made->report.report = made->model->report;
    made->report.json = made->report.report.json();
    *out = made.release();
  });
  if (status != TONNX_STATUS_OK && error && *error && !report.reasons.empty()) (*error)->report = std::move(report);
  return status;
}

tonnx_status tonnx_program_export_difference(tonnx_buffer** out, const tonnx_program* program,
                                             const tonnx_args* const* groups, size_t count,
                                             const tonnx_options* options, const tonnx_registry* registry,
                                             tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, observer_of(options), limits_of(options), [&] {
    require(out, "out");
    require(program, "program");
    if (!groups && count > 0) refuse("argument 'groups' is NULL");
    static const tonnx::exporting::Options defaults;
    const tonnx::backend::Untraced untraced;
    const tonnx::capi::Exporting exporting;
    std::vector<const tonnx::ir::Arguments*> given;
    for (size_t i = 0; i < count; ++i) given.push_back(&tonnx_args::finished(groups[i]));
    *out = tonnx::capi::new_buffer(tonnx::exporting::export_difference(
        *program->source, given, options ? options->options : defaults, tonnx_registry::snapshot(registry)));
  });
}

void tonnx_program_free(tonnx_program* program) { tonnx::capi::destroy(program); }

tonnx_status tonnx_operators_load_library(const char* path, tonnx_error** error) {
  return guard(error, [&] {
    require(path, "path");
    tonnx::backend::libtorch().load_library(path);
  });
}

tonnx_status tonnx_operators_register(const char* schema, tonnx_error** error) {
  return guard(error, [&] {
    require(schema, "schema");
    tonnx::exporting::register_operator(schema);
  });
}
