#ifndef TONNX_SAVE_OPTIONS_H
#define TONNX_SAVE_OPTIONS_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* How to save a model. Only one thread may set options at a time; tonnx_model_save only reads them. */

/* Where the weights are written. */
typedef int32_t tonnx_external_data;
enum {
  TONNX_EXTERNAL_DATA_AUTO = 0, /* beside the model if the model would exceed 2 GiB */
  TONNX_EXTERNAL_DATA_YES = 1,  /* one file NAME.onnx.data beside the model, with all weights of 1 KiB or more */
  TONNX_EXTERNAL_DATA_NO = 2,   /* all in one file; TONNX_STATUS_ARGUMENT above 2 GiB */
  TONNX_EXTERNAL_DATA_ARCHIVE =
      3, /* no weights are written: the model refers to the .pt file, which must be in the same folder */
  TONNX_EXTERNAL_DATA_EACH = 4 /* one file per weight, in a folder NAME_initializers beside NAME.onnx, or
                                   FILE.initializers beside a FILE with another suffix */
};

TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_save_options_new(tonnx_save_options **out, tonnx_error **error);
/* Default: TONNX_EXTERNAL_DATA_AUTO. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_save_options_set_external_data(tonnx_save_options *options,
                                                                                       tonnx_external_data value,
                                                                                       tonnx_error **error);
/* Observes and cancels the calls with these options; NULL: none. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_save_options_set_observer(tonnx_save_options *options,
                                                                                  const tonnx_observer *observer,
                                                                                  tonnx_error **error);
TONNX_API void TONNX_CALL tonnx_save_options_free(tonnx_save_options *options);

TONNX_END_DECLS

#endif
