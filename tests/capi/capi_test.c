/* The C API from C99 alone: what each call answers to wrong use, who frees what, and in which order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tonnx.h"

static int failures = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

/* The call fails with this status, and its error says the same with a message. */
#define FAILS(wanted, call)                                          \
  do {                                                               \
    tonnx_error* error = NULL;                                       \
    CHECK((call) == (wanted));                                       \
    CHECK(error != NULL && tonnx_error_status(error) == (wanted));   \
    CHECK(*tonnx_error_message(error) && *tonnx_error_class(error)); \
    CHECK(tonnx_error_reason_count(error) == 0);                     \
    tonnx_error_free(error);                                         \
  } while (0)

#define REFUSES(call) FAILS(TONNX_STATUS_ARGUMENT, call)

#define PASSES(call)                              \
  do {                                            \
    tonnx_error* error = (tonnx_error*)&failures; \
    CHECK((call) == TONNX_STATUS_OK);             \
    CHECK(error == NULL);                         \
  } while (0)

static void count(void* user_data) { ++*(int*)user_data; }

static int32_t decline(tonnx_graph* graph, const tonnx_node* node, tonnx_value* const* inputs, size_t input_count,
                       void* user_data) {
  (void)graph, (void)node, (void)inputs, (void)input_count, (void)user_data;
  return TONNX_SYMBOLIC_DECLINE;
}

static void null_handles(void) {
  tonnx_error_free(NULL);
  tonnx_buffer_free(NULL);
  tonnx_tensor_free(NULL);
  tonnx_args_free(NULL);
  tonnx_program_free(NULL);
  tonnx_options_free(NULL);
  tonnx_registry_free(NULL);
  tonnx_attributes_free(NULL);
  tonnx_model_free(NULL);
  CHECK(tonnx_error_status(NULL) == TONNX_STATUS_OK);
  CHECK(strcmp(tonnx_error_message(NULL), "") == 0);
  CHECK(tonnx_error_reason_count(NULL) == 0);
  CHECK(strcmp(tonnx_error_reason_text(NULL, 3), "") == 0);
  CHECK(tonnx_buffer_size(NULL) == 0);
  CHECK(tonnx_args_count(NULL) == 0);
  CHECK(tonnx_program_method_count(NULL) == 0);
  CHECK(strcmp(tonnx_program_method(NULL, 0), "") == 0);
  CHECK(tonnx_registry_count(NULL) == 0);
  CHECK(strcmp(tonnx_registry_name(NULL, 0), "") == 0);
  CHECK(tonnx_contents_input_count(NULL) == 0 && tonnx_contents_output_count(NULL) == 0);
  CHECK(tonnx_report_warning_count(tonnx_model_report(NULL)) == 0);
  CHECK(tonnx_value_dtype(NULL) == TONNX_DTYPE_UNDEFINED && tonnx_value_rank(NULL) == 0);

  REFUSES(tonnx_args_new(NULL, &error));
  REFUSES(tonnx_options_new(NULL, &error));
  REFUSES(tonnx_registry_new(NULL, &error));
  REFUSES(tonnx_attributes_new(NULL, &error));
  REFUSES(tonnx_args_add_int(NULL, 1, &error));
  REFUSES(tonnx_args_end(NULL, &error));
  REFUSES(tonnx_options_set_opset(NULL, 17, &error));
  REFUSES(tonnx_registry_remove(NULL, "aten::relu", 7, &error));
  REFUSES(tonnx_model_check(NULL, &error));
  REFUSES(tonnx_model_save(NULL, "model.onnx", NULL, &error));
  REFUSES(tonnx_model_verify(NULL, NULL, NULL, NULL, NULL, &error));
  REFUSES(tonnx_file_check(NULL, &error));
  REFUSES(tonnx_operators_register(NULL, &error));
  tonnx_program* program = (tonnx_program*)&failures;
  REFUSES(tonnx_program_load(&program, NULL, &error));
  CHECK(program == NULL);
  tonnx_model* model = (tonnx_model*)&failures;
  REFUSES(tonnx_program_export(&model, NULL, NULL, NULL, NULL, &error));
  CHECK(model == NULL);
  CHECK(tonnx_options_set_opset(NULL, 17, NULL) == TONNX_STATUS_ARGUMENT);
}

static void tensors(void) {
  const float data[6] = {0, 1, 2, 3, 4, 5};
  const int64_t dims[2] = {2, 3}, negative[2] = {2, -3};
  tonnx_tensor* tensor = NULL;
  PASSES(tonnx_tensor_new(&tensor, TONNX_DTYPE_FLOAT32, dims, 2, data, sizeof data, &error));
  CHECK(tonnx_tensor_rank(tensor) == 2 && tonnx_tensor_dims(tensor)[1] == 3);
  CHECK(tonnx_tensor_size(tensor) == sizeof data && tonnx_tensor_data(tensor) != (const void*)data);
  CHECK(memcmp(tonnx_tensor_data(tensor), data, sizeof data) == 0);
  tonnx_tensor_free(tensor);
  REFUSES(tonnx_tensor_new(&tensor, TONNX_DTYPE_FLOAT32, dims, 2, data, sizeof data - 1, &error));
  CHECK(tensor == NULL);
  REFUSES(tonnx_tensor_new(&tensor, TONNX_DTYPE_FLOAT32, negative, 2, data, sizeof data, &error));
  REFUSES(tonnx_tensor_new(&tensor, TONNX_DTYPE_UNDEFINED, dims, 2, data, sizeof data, &error));
  REFUSES(tonnx_tensor_new(&tensor, TONNX_DTYPE_FLOAT32, NULL, 2, data, sizeof data, &error));

  /* Borrowed memory is let go once, when the last of tensor and arguments is freed. */
  int destroyed = 0;
  tonnx_args* args = NULL;
  PASSES(tonnx_tensor_new_borrowed(&tensor, TONNX_DTYPE_FLOAT32, dims, NULL, 2, data, &destroyed, count, &error));
  PASSES(tonnx_args_new(&args, &error));
  PASSES(tonnx_args_add_tensor(args, tensor, &error));
  tonnx_tensor_free(tensor);
  CHECK(destroyed == 0);
  tonnx_args_free(args);
  CHECK(destroyed == 1);
  REFUSES(tonnx_tensor_new_borrowed(&tensor, TONNX_DTYPE_UNDEFINED, dims, NULL, 2, data, &destroyed, count, &error));
  CHECK(destroyed == 2);

  /* A transposed view is gathered. */
  const int64_t turned[2] = {3, 2}, strides[2] = {1, 3};
  PASSES(tonnx_tensor_new_borrowed(&tensor, TONNX_DTYPE_FLOAT32, turned, strides, 2, data, NULL, NULL, &error));
  CHECK(((const float*)tonnx_tensor_data(tensor))[1] == 3);
  float read[2] = {0, 0};
  PASSES(tonnx_tensor_read(tensor, sizeof(float), read, sizeof read, &error));
  CHECK(read[0] == 3 && read[1] == 1);
  PASSES(tonnx_tensor_read(tensor, sizeof data, NULL, 0, &error));
  REFUSES(tonnx_tensor_read(tensor, sizeof data - 1, read, 2, &error));
  REFUSES(tonnx_tensor_read(tensor, SIZE_MAX, read, 2, &error));
  REFUSES(tonnx_tensor_read(tensor, 2, read, SIZE_MAX, &error));
  tonnx_tensor_free(tensor);

  CHECK(tonnx_dtype_from_name("half") == TONNX_DTYPE_FLOAT16);
  CHECK(tonnx_dtype_from_name("float31") == TONNX_DTYPE_UNDEFINED);
  CHECK(strcmp(tonnx_dtype_name(TONNX_DTYPE_UNDEFINED), "undefined") == 0);
  /* c10's Bits4x2, and c10's Undefined of LibTorch 2.11. */
  CHECK(tonnx_dtype_size(20) == 0 && tonnx_dtype_size(46) == 0);
  CHECK(strcmp(tonnx_dtype_name(20), "undefined") == 0 && strcmp(tonnx_dtype_name(46), "undefined") == 0);
  CHECK(strcmp(tonnx_dtype_name(TONNX_DTYPE_INT64), "int64") == 0);
  CHECK(strcmp(tonnx_dtype_name(1000), "undefined") == 0);
  CHECK(tonnx_dtype_size(TONNX_DTYPE_FLOAT64) == 8 && tonnx_dtype_size(TONNX_DTYPE_UNDEFINED) == 0);
}

static int32_t nothing(tonnx_trace* trace, void* user_data) {
  (void)trace, (void)user_data;
  return 0;
}

static void arguments(void) {
  tonnx_args* args = NULL;
  tonnx_program* program = NULL;
  PASSES(tonnx_args_new(&args, &error));
  REFUSES(tonnx_args_end(args, &error));
  PASSES(tonnx_args_begin_list(args, &error));
  PASSES(tonnx_args_begin_tuple(args, &error));
  PASSES(tonnx_args_add_int(args, 1, &error));
  PASSES(tonnx_args_end(args, &error));
  CHECK(tonnx_args_count(args) == 0);
  PASSES(tonnx_args_end(args, &error));
  PASSES(tonnx_args_begin_dict(args, &error));
  REFUSES(tonnx_args_add_none(args, &error));
  PASSES(tonnx_args_key(args, "a", &error));
  PASSES(tonnx_args_add_float(args, 0.5, &error));
  PASSES(tonnx_args_end(args, &error));
  REFUSES(tonnx_args_add_string(args, NULL, &error));
  PASSES(tonnx_args_key(args, "flag", &error));
  PASSES(tonnx_args_add_bool(args, 1, &error));
  REFUSES(tonnx_args_add_int(args, 1, &error)); /* positional after keyword */
  CHECK(tonnx_args_count(args) == 3);
  tonnx_args_free(args);

  /* A key without a value, and a list without an end. */
  PASSES(tonnx_args_new(&args, &error));
  PASSES(tonnx_args_key(args, "x", &error));
  REFUSES(tonnx_args_key(args, "y", &error));
  REFUSES(tonnx_program_trace(&program, nothing, NULL, NULL, args, NULL, &error));
  PASSES(tonnx_args_begin_list(args, &error));
  REFUSES(tonnx_program_trace(&program, nothing, NULL, NULL, args, NULL, &error));
  PASSES(tonnx_args_end(args, &error));
  tonnx_args_free(args);
  CHECK(program == NULL);
  FAILS(TONNX_STATUS_FILE, tonnx_args_load(&args, "nowhere/args.pt", &error));
  CHECK(args == NULL);
}

/* tonnx_args_extend appends all arguments of another object, or fails and appends none. */
static void extended_arguments(void) {
  tonnx_args *args = NULL, *other = NULL;
  PASSES(tonnx_args_new(&args, &error));
  PASSES(tonnx_args_new(&other, &error));
  PASSES(tonnx_args_add_int(other, 1, &error));
  PASSES(tonnx_args_key(other, "flag", &error));
  REFUSES(tonnx_args_extend(args, other, &error));
  PASSES(tonnx_args_add_bool(other, 1, &error));
  PASSES(tonnx_args_begin_list(args, &error));
  REFUSES(tonnx_args_extend(args, other, &error));
  PASSES(tonnx_args_end(args, &error));
  PASSES(tonnx_args_extend(args, other, &error));
  CHECK(tonnx_args_count(args) == 3 && tonnx_args_count(other) == 2);
  REFUSES(tonnx_args_extend(args, other, &error)); /* positional after keyword */
  REFUSES(tonnx_args_extend(other, other, &error));
  CHECK(tonnx_args_count(args) == 3 && tonnx_args_count(other) == 2);
  tonnx_args_free(other);
  PASSES(tonnx_args_new(&other, &error));
  PASSES(tonnx_args_key(other, "scale", &error));
  PASSES(tonnx_args_add_float(other, 2, &error));
  PASSES(tonnx_args_extend(args, other, &error));
  REFUSES(tonnx_args_extend(args, other, &error)); /* the same keyword */
  CHECK(tonnx_args_count(args) == 4);
  tonnx_args_free(other);
  tonnx_args_free(args);
}

static void options(void) {
  tonnx_options* options = NULL;
  PASSES(tonnx_options_new(&options, &error));
  for (int32_t opset = tonnx_opset_oldest(); opset <= tonnx_opset_newest(); ++opset)
    PASSES(tonnx_options_set_opset(options, opset, &error));
  REFUSES(tonnx_options_set_opset(options, tonnx_opset_oldest() - 1, &error));
  REFUSES(tonnx_options_set_opset(options, tonnx_opset_newest() + 1, &error));
  CHECK(tonnx_opset_default() == 17);
  PASSES(tonnx_options_set_training(options, TONNX_TRAINING_TRAIN, &error));
  REFUSES(tonnx_options_set_training(options, 3, &error));
  PASSES(tonnx_options_set_initializers_as_inputs(options, TONNX_INITIALIZERS_AS_INPUTS_ALWAYS, &error));
  REFUSES(tonnx_options_set_initializers_as_inputs(options, -1, &error));
  REFUSES(tonnx_options_set_method(options, NULL, &error));
  REFUSES(tonnx_options_add_input_name(options, NULL, &error));
  PASSES(tonnx_options_add_dynamic_axis(options, "x", -1, NULL, &error));
  REFUSES(tonnx_options_add_dynamic_axis(options, NULL, 0, "batch", &error));
  PASSES(tonnx_options_set_custom_opset(options, "mine", 2, &error));
  tonnx_options_free(options);
}

static void registry(void) {
  tonnx_registry* registry = NULL;
  int destroyed = 0;
  PASSES(tonnx_registry_new(&registry, &error));
  const size_t built_in = tonnx_registry_count(registry);
  CHECK(built_in > 100);
  CHECK(strcmp(tonnx_registry_name(registry, built_in), "") == 0 && tonnx_registry_since(registry, built_in) == 0);
  PASSES(tonnx_registry_add(registry, "mine::op", 9, decline, &destroyed, count, &error));
  CHECK(tonnx_registry_count(registry) == built_in + 1 && destroyed == 0);
  PASSES(tonnx_registry_add(registry, "mine::op", 9, decline, &destroyed, count, &error));
  CHECK(tonnx_registry_count(registry) == built_in + 1 && destroyed == 1); /* replaced */
  REFUSES(tonnx_registry_add(registry, "mine::op", 9, NULL, &destroyed, count, &error));
  CHECK(destroyed == 2);
  REFUSES(tonnx_registry_add(NULL, "mine::op", 9, decline, &destroyed, count, &error));
  CHECK(destroyed == 3);
  REFUSES(tonnx_registry_remove(registry, "mine::op", 10, &error));
  PASSES(tonnx_registry_remove(registry, "mine::op", 9, &error));
  CHECK(destroyed == 4);
  REFUSES(tonnx_registry_remove(registry, "mine::op", 9, &error));
  PASSES(tonnx_registry_add(registry, "aten::relu", 7, decline, &destroyed, count, &error));
  tonnx_registry_free(registry);
  CHECK(destroyed == 5);
}

static void libtorch(void) {
  CHECK(tonnx_libtorch_version() == 0);
  FAILS(TONNX_STATUS_FILE, tonnx_libtorch_load("nowhere", &error));
  CHECK(tonnx_libtorch_version() == 0);
  REFUSES(tonnx_libtorch_load("", &error));
  tonnx_program* program = NULL;
  PASSES(tonnx_program_compile(&program, "def forward(self, x):\n  return x\n", "net.py", NULL, &error));
  tonnx_program_free(program);
  char expected[32];
  const uint32_t version = tonnx_libtorch_version();
  snprintf(expected, sizeof expected, "LibTorch %u.%u,", (unsigned)(version >> 16), (unsigned)(version >> 8 & 0xFF));
  CHECK(strncmp(tonnx_build_info(), expected, strlen(expected)) == 0);
  FAILS(TONNX_STATUS_FILE, tonnx_libtorch_load("nowhere", &error));
}

static void files(void) {
  tonnx_program* program = NULL;
  FAILS(TONNX_STATUS_FILE, tonnx_program_load(&program, "nowhere/model.pt", &error));
  FAILS(TONNX_STATUS_FILE, tonnx_program_load_bytes(&program, "", 0, &error));
  FAILS(TONNX_STATUS_FILE, tonnx_program_load_bytes(&program, "no archive at all", 17, &error));
  CHECK(program == NULL);
  FAILS(TONNX_STATUS_FILE, tonnx_file_check("nowhere/model.onnx", &error));
  tonnx_buffer* text = NULL;
  FAILS(TONNX_STATUS_FILE, tonnx_file_text(&text, "nowhere/model.onnx", TONNX_TEXT_SHORT, &error));
  CHECK(text == NULL);
}

static void version(void) {
#if TONNX_VERSION_NUMBER < TONNX_MAKE_VERSION(0, 1, 0) || TONNX_MAKE_VERSION(2, 11, 1) != 0x020B01
  CHECK(!"the preprocessor compares versions");
#endif
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", TONNX_VERSION_MAJOR, TONNX_VERSION_MINOR, TONNX_VERSION_PATCH);
  CHECK(strcmp(tonnx_version(), expected) == 0);
  CHECK(tonnx_version_number() == TONNX_VERSION_NUMBER);
  CHECK(*tonnx_build_info());
}

int main(void) {
  libtorch();
  null_handles();
  tensors();
  arguments();
  extended_arguments();
  options();
  registry();
  files();
  CHECK(strcmp(tonnx_status_name(TONNX_STATUS_OK), "ok") == 0);
  version();
  printf("%d failures\n", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
