#include "tonnx/mismatch.h"

#include "contents.h"
#include "export/mismatch.h"
#include "guard.h"

using tonnx::capi::guard;
using tonnx::capi::limits_of;
using tonnx::capi::observer_of;
using tonnx::capi::refuse;
using tonnx::capi::require;

struct tonnx_mismatch {
  std::unique_ptr<const tonnx::exporting::Mismatch> mismatch;
};

tonnx_status tonnx_program_find_mismatch(tonnx_mismatch** out, const tonnx_program* program, const tonnx_args* args,
                                         const tonnx_options* options, const tonnx_registry* registry,
                                         const tonnx_verify_options* verification, tonnx_error** error) {
  if (out) *out = nullptr;
  const std::shared_ptr<tonnx::ir::Observer> own = observer_of(verification);
  return guard(error, own ? own : observer_of(options), limits_of(options), [&] {
    require(out, "out");
    require(program, "program");
    static const tonnx::exporting::Options defaults;
    static const tonnx::exporting::VerifyOptions plain;
    const tonnx::backend::Untraced untraced;
    const tonnx::capi::Exporting exporting;
    auto made = std::make_unique<tonnx_mismatch>();
    made->mismatch = tonnx::exporting::find_mismatch(
        program->source, tonnx_args::finished(args), options ? options->options : defaults,
        tonnx_registry::snapshot(registry), verification ? verification->options : plain);
    *out = made.release();
  });
}

int32_t tonnx_mismatch_found(const tonnx_mismatch* mismatch) { return mismatch && mismatch->mismatch->found(); }

size_t tonnx_mismatch_leaf_count(const tonnx_mismatch* mismatch) {
  return mismatch ? mismatch->mismatch->leaves().size() : 0;
}

const char* tonnx_mismatch_leaf(const tonnx_mismatch* mismatch, size_t index) {
  return index < tonnx_mismatch_leaf_count(mismatch) ? mismatch->mismatch->leaves()[index].c_str() : "";
}

const char* tonnx_mismatch_text(const tonnx_mismatch* mismatch) {
  return mismatch ? mismatch->mismatch->text().c_str() : "";
}

const char* tonnx_mismatch_json(const tonnx_mismatch* mismatch) {
  return mismatch ? mismatch->mismatch->json().c_str() : "";
}

tonnx_status tonnx_mismatch_save_part(const tonnx_mismatch* mismatch, const char* id, const char* folder,
                                      tonnx_error** error) {
  return guard(error, [&] {
    require(mismatch, "mismatch");
    require(id, "id");
    require(folder, "folder");
    if (!*folder) refuse("the folder's path is empty");
    const tonnx::backend::Untraced untraced;
    mismatch->mismatch->save_part(id, folder);
  });
}

tonnx_status tonnx_mismatch_program_contents(tonnx_contents** out, const tonnx_mismatch* mismatch, const char* id,
                                             tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(mismatch, "mismatch");
    require(id, "id");
    const tonnx::backend::Untraced untraced;
    *out = new tonnx_contents(mismatch->mismatch->program_contents(id), 0);
  });
}

tonnx_status tonnx_mismatch_model_contents(tonnx_contents** out, const tonnx_mismatch* mismatch, const char* id,
                                           tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(mismatch, "mismatch");
    require(id, "id");
    const tonnx::backend::Untraced untraced;
    const auto model = mismatch->mismatch->part_model(id);
    *out = new tonnx_contents(tonnx::exporting::contents_of(model), model->info.opset);
  });
}

void tonnx_mismatch_free(tonnx_mismatch* mismatch) { tonnx::capi::destroy(mismatch); }
