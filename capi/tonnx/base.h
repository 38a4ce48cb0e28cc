#ifndef TONNX_BASE_H
#define TONNX_BASE_H

#include <stddef.h>
#include <stdint.h>

/* What a function's declaration consists of: TONNX_NODISCARD TONNX_API result TONNX_CALL name(...).
 *
 * TONNX_API: the library exports the function. TONNX_CALL: its calling convention, also that of callbacks.
 * TONNX_NODISCARD: a result that is not used is a mistake; in C++ a cast to void silences the compiler, in C an `if`.
 * TONNX_DEPRECATED: the message names the replacement. A host may define any of them before it includes tonnx. */
#ifndef TONNX_API
#if defined(__GNUC__)
#define TONNX_API __attribute__((visibility("default")))
#else
#define TONNX_API
#endif
#endif
#ifndef TONNX_CALL
#if defined(_WIN32)
#define TONNX_CALL __cdecl
#else
#define TONNX_CALL
#endif
#endif
#ifndef TONNX_NODISCARD
#if defined(__cplusplus) && __cplusplus >= 201703L
#define TONNX_NODISCARD [[nodiscard]]
#elif defined(__GNUC__)
#define TONNX_NODISCARD __attribute__((warn_unused_result))
#else
#define TONNX_NODISCARD
#endif
#endif
#ifndef TONNX_DEPRECATED
#if defined(__cplusplus) && __cplusplus >= 201402L
#define TONNX_DEPRECATED(message) [[deprecated(message)]]
#elif defined(__GNUC__)
#define TONNX_DEPRECATED(message) __attribute__((deprecated(message)))
#else
#define TONNX_DEPRECATED(message)
#endif
#endif

#ifdef __cplusplus
#define TONNX_BEGIN_DECLS extern "C" {
#define TONNX_END_DECLS }
#else
#define TONNX_BEGIN_DECLS
#define TONNX_END_DECLS
#endif

TONNX_BEGIN_DECLS

/* Result of a call that can fail. */
typedef int32_t tonnx_status;
enum {
  TONNX_STATUS_OK = 0,
  TONNX_STATUS_UNSUPPORTED = 1,  /* the program cannot be exported; the error lists every reason */
  TONNX_STATUS_ARGUMENT = 2,     /* wrong use: null handle, unknown name, wrong count, dtype or shape */
  TONNX_STATUS_VERIFICATION = 3, /* the model disagrees with LibTorch */
  TONNX_STATUS_FILE = 4,         /* input or output file: missing, damaged, wrong format, not writable, disk full */
  TONNX_STATUS_CALLBACK = 5,     /* a callback of the caller failed; the message is the callback's */
  TONNX_STATUS_CHECKER = 6,      /* the ONNX checker rejected the model */
  TONNX_STATUS_PROGRAM =
      7, /* the program itself fails: its source does not compile, or it fails on the example inputs */
  TONNX_STATUS_MEMORY = 8,   /* out of memory */
  TONNX_STATUS_INTERNAL = 9, /* a bug in tonnx */
  TONNX_STATUS_WARNING =
      10, /* the export warns, and warnings are errors (warnings_as_errors); the error lists every warning */
  TONNX_STATUS_CANCELLED = 11 /* the caller's observer cancelled the call, or it exceeds a limit of the options */
};

/* Element types. Values below 64 are those of c10::ScalarType. Those from 64 on are types of ONNX, for symbolics
 * (tonnx_graph_cast, tonnx_graph_constant, attributes) and model files: no tensor of LibTorch can have them.
 * TONNX_DTYPE_UNDEFINED is 255, because c10's own changes with each of its releases. */
typedef int32_t tonnx_dtype;
enum {
  TONNX_DTYPE_UINT8 = 0,
  TONNX_DTYPE_INT8 = 1,
  TONNX_DTYPE_INT16 = 2,
  TONNX_DTYPE_INT32 = 3,
  TONNX_DTYPE_INT64 = 4,
  TONNX_DTYPE_FLOAT16 = 5,
  TONNX_DTYPE_FLOAT32 = 6,
  TONNX_DTYPE_FLOAT64 = 7,
  TONNX_DTYPE_COMPLEX32 = 8,
  TONNX_DTYPE_COMPLEX64 = 9,
  TONNX_DTYPE_COMPLEX128 = 10,
  TONNX_DTYPE_BOOL = 11,
  TONNX_DTYPE_QINT8 = 12,
  TONNX_DTYPE_QUINT8 = 13,
  TONNX_DTYPE_QINT32 = 14,
  TONNX_DTYPE_BFLOAT16 = 15,
  TONNX_DTYPE_FLOAT8E5M2 = 23,
  TONNX_DTYPE_FLOAT8E4M3FN = 24,
  TONNX_DTYPE_FLOAT8E5M2FNUZ = 25,
  TONNX_DTYPE_FLOAT8E4M3FNUZ = 26,
  TONNX_DTYPE_UINT16 = 27,
  TONNX_DTYPE_UINT32 = 28,
  TONNX_DTYPE_UINT64 = 29,
  TONNX_DTYPE_INT4 = 65,       /* from opset 21 on */
  TONNX_DTYPE_UINT4 = 66,      /* from opset 21 on */
  TONNX_DTYPE_INT2 = 67,       /* from opset 25 on */
  TONNX_DTYPE_UINT2 = 68,      /* from opset 25 on */
  TONNX_DTYPE_FLOAT4E2M1 = 69, /* from opset 23 on */
  TONNX_DTYPE_FLOAT8E8M0 = 70, /* from opset 24 on */
  TONNX_DTYPE_UNDEFINED = 255
};

/* What a value is. */
typedef int32_t tonnx_kind;
enum {
  TONNX_KIND_NONE = 0, /* None, or no value */
  TONNX_KIND_TENSOR = 1,
  TONNX_KIND_INT = 2,
  TONNX_KIND_FLOAT = 3,
  TONNX_KIND_BOOL = 4,
  TONNX_KIND_STRING = 5,
  TONNX_KIND_LIST = 6,        /* a list of numbers, strings or other values */
  TONNX_KIND_TENSOR_LIST = 7, /* a list of tensors: in a model a sequence */
  TONNX_KIND_OTHER = 8,       /* a dict, tuple, object, device, complex number, or a value of unknown type */
  TONNX_KIND_TYPE = 9         /* an attribute that is the type of a tensor or a sequence, with dtype and dims */
};

/* Forms of a model or program as text. */
typedef int32_t tonnx_text_format;
enum {
  TONNX_TEXT_SHORT = 0, /* one line per node */
  TONNX_TEXT_FULL = 1,  /* the protobuf message as text, without the bytes of the weights */
  TONNX_TEXT_SVG = 2,   /* a picture of the graph by module */
  TONNX_TEXT_HTML = 3   /* a page for a web browser with the same picture; modules open and close */
};

typedef struct tonnx_error tonnx_error;
typedef struct tonnx_buffer tonnx_buffer;
typedef struct tonnx_tensor tonnx_tensor;
typedef struct tonnx_args tonnx_args;
typedef struct tonnx_program tonnx_program;
typedef struct tonnx_trace tonnx_trace;
typedef struct tonnx_trace_options tonnx_trace_options;
typedef struct tonnx_verify_options tonnx_verify_options;
typedef struct tonnx_save_options tonnx_save_options;
typedef struct tonnx_options tonnx_options;
typedef struct tonnx_registry tonnx_registry;
typedef struct tonnx_attributes tonnx_attributes;
typedef struct tonnx_graph tonnx_graph;
typedef struct tonnx_node tonnx_node;
typedef struct tonnx_value tonnx_value;
typedef struct tonnx_model tonnx_model;
typedef struct tonnx_contents tonnx_contents;
typedef struct tonnx_mismatch tonnx_mismatch;
typedef struct tonnx_report tonnx_report;
typedef struct tonnx_writer tonnx_writer;
typedef struct tonnx_observer tonnx_observer;
typedef struct tonnx_event tonnx_event;

/* Frees the user_data of a callback. Called exactly once, also if the call that took it fails. */
typedef void(TONNX_CALL *tonnx_destroy_fn)(void *user_data);

/* Receives bytes of a file in order. Returns 0; any other value, with or without tonnx_writer_fail, stops the call with
 * TONNX_STATUS_CALLBACK. The writer is borrowed for the call; here it only reports failures. */
typedef int32_t(TONNX_CALL *tonnx_write_fn)(tonnx_writer *writer, const void *data, size_t size, void *user_data);

TONNX_END_DECLS

#endif
