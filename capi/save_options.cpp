#include "tonnx/save_options.h"

#include "guard.h"

using tonnx::capi::guard;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::onnx::ExternalData;

static_assert(TONNX_EXTERNAL_DATA_AUTO == static_cast<int>(ExternalData::Auto) &&
              TONNX_EXTERNAL_DATA_YES == static_cast<int>(ExternalData::Yes) &&
              TONNX_EXTERNAL_DATA_NO == static_cast<int>(ExternalData::No) &&
              TONNX_EXTERNAL_DATA_ARCHIVE == static_cast<int>(ExternalData::Archive) &&
              TONNX_EXTERNAL_DATA_EACH == static_cast<int>(ExternalData::Each));

tonnx_status tonnx_save_options_new(tonnx_save_options** out, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    *out = std::make_unique<tonnx_save_options>().release();
  });
}

tonnx_status tonnx_save_options_set_external_data(tonnx_save_options* options, tonnx_external_data value,
                                                  tonnx_error** error) {
  return guard(error, [&] {
    require(options, "options");
    if (value < TONNX_EXTERNAL_DATA_AUTO || value > TONNX_EXTERNAL_DATA_EACH)
      refuse("external data mode " + std::to_string(value) + " is unknown");
    options->options.external_data = static_cast<ExternalData>(value);
  });
}

tonnx_status tonnx_save_options_set_observer(tonnx_save_options* options, const tonnx_observer* observer,
                                             tonnx_error** error) {
  return guard(error, [&] {
    require(options, "options");
    options->options.observer = observer ? observer->callback : nullptr;
  });
}

void tonnx_save_options_free(tonnx_save_options* options) { tonnx::capi::destroy(options); }
