#ifndef TONNX_ARGS_H
#define TONNX_ARGS_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Example inputs of a program: positional arguments, then keyword arguments. Values are added in order. Values added
 * between a begin call and its end call go into that list, tuple or dict. Tensors are shared, not copied. Only one
 * thread may add at a time; an export or a trace only reads the arguments. */

TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_new(tonnx_args **out, tonnx_error **error);
/* Loads a file written by torch.save: a tensor, or a tuple of arguments whose last item may be a dict of keyword
 * arguments. Returns new args. TONNX_STATUS_FILE if the file cannot be read or is another one (a program). */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_load(tonnx_args **out, const char *path,
                                                                  tonnx_error **error);

/* Names the next value: as keyword argument `name` or, inside a dict, as the value of that key. A key is parsed as an
 * integer if the program's dict has int keys. TONNX_STATUS_ARGUMENT if an earlier key has no value yet. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_key(tonnx_args *args, const char *name,
                                                                 tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_add_tensor(tonnx_args *args, const tonnx_tensor *tensor,
                                                                        tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_add_int(tonnx_args *args, int64_t value,
                                                                     tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_add_float(tonnx_args *args, double value,
                                                                       tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_add_bool(tonnx_args *args, int32_t value,
                                                                      tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_add_string(tonnx_args *args, const char *value,
                                                                        tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_add_none(tonnx_args *args, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_begin_list(tonnx_args *args, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_begin_tuple(tonnx_args *args, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_begin_dict(tonnx_args *args, tonnx_error **error);
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_end(tonnx_args *args, tonnx_error **error);

/* Appends all positional and keyword arguments of other, which is not changed. TONNX_STATUS_ARGUMENT if a list, tuple,
 * dict or key of either handle is still open; nothing is added then. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_extend(tonnx_args *args, const tonnx_args *other,
                                                                    tonnx_error **error);

/* Number of positional and keyword arguments. */
TONNX_API size_t TONNX_CALL tonnx_args_count(const tonnx_args *args);

/* Returns the positional argument at `index` as a new tensor that shares its elements. A number or bool becomes a
 * rank-0 tensor of int64, float64 or bool. TONNX_STATUS_ARGUMENT if there is no such argument, or if it is neither a
 * tensor nor a number. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_args_tensor(tonnx_tensor **out, const tonnx_args *args,
                                                                    size_t index, tonnx_error **error);

/* Reports why a tonnx_resize_fn fails. The message is copied and becomes part of the error message. cause
 * and destroy as in tonnx_graph_fail. */
TONNX_API void TONNX_CALL tonnx_args_fail(tonnx_args *args, const char *message, void *cause, tonnx_destroy_fn destroy);

TONNX_API void TONNX_CALL tonnx_args_free(tonnx_args *args);

TONNX_END_DECLS

#endif
