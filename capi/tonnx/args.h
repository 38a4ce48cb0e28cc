#ifndef TONNX_ARGS_H
#define TONNX_ARGS_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Example inputs of a program: positional arguments, then keyword arguments. Values are added in order; between a begin
 * and its end they go into that list, tuple or dict. Tensors are shared, not copied. One thread at a time while adding;
 * an export or a trace only reads them. */

TONNX_API tonnx_status tonnx_args_new(tonnx_args **out, tonnx_error **error);
/* What torch.save wrote for a tensor or a tuple of arguments whose last item may be a dict of keyword arguments. */
TONNX_API tonnx_status tonnx_args_load(tonnx_args **out, const char *path, tonnx_error **error);

/* The next value added is the keyword argument `name` (or, inside a dict, the value of that key, which is read as a
 * number where the program's dict has int keys). TONNX_ARGUMENT where a key waits for its value already. */
TONNX_API tonnx_status tonnx_args_key(tonnx_args *args, const char *name, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_add_tensor(tonnx_args *args, const tonnx_tensor *tensor, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_add_int(tonnx_args *args, int64_t value, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_add_float(tonnx_args *args, double value, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_add_bool(tonnx_args *args, int32_t value, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_add_string(tonnx_args *args, const char *value, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_add_none(tonnx_args *args, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_begin_list(tonnx_args *args, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_begin_tuple(tonnx_args *args, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_begin_dict(tonnx_args *args, tonnx_error **error);
TONNX_API tonnx_status tonnx_args_end(tonnx_args *args, tonnx_error **error);

/* Adds all that other holds: its positional, then its keyword arguments. other stays as it is. TONNX_ARGUMENT, and
 * nothing is added, while a list, tuple, dict or key of either is open. */
TONNX_API tonnx_status tonnx_args_extend(tonnx_args *args, const tonnx_args *other, tonnx_error **error);

/* How many positional and keyword arguments there are. */
TONNX_API size_t tonnx_args_count(const tonnx_args *args);

/* The positional argument of this index as a new tensor that shares its elements; a number or bool becomes a rank-0
 * tensor of int64, float64 or bool. TONNX_ARGUMENT if there is no such argument, or it is neither. */
TONNX_API tonnx_status tonnx_args_tensor(tonnx_tensor **out, const tonnx_args *args, size_t index, tonnx_error **error);

/* Says why a tonnx_resize_fn fails: the text, which is copied, becomes part of the error's, and cause is what
 * tonnx_error_cause gives. cause is taken, and destroy(cause) is called once nothing needs it any longer; both may be
 * NULL. */
TONNX_API void tonnx_args_fail_with(tonnx_args *args, const char *message, void *cause, tonnx_destroy_fn destroy);

TONNX_API void tonnx_args_free(tonnx_args *args);

TONNX_END_DECLS

#endif
