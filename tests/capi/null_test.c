/* Every function of the C API with NULL for every pointer: null_test SYMBOLS, the list of functions. A function that
 * can fail answers TONNX_STATUS_ARGUMENT and says so, one that cannot answers "", 0 or NULL, and none crashes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tonnx.h"

static int failures = 0;
static char called[400][64];
static size_t called_count = 0;

static void note(const char* name) {
  if (called_count < sizeof called / sizeof *called) strcpy(called[called_count++], name);
}

static void check(int holds, const char* name, const char* what) {
  if (holds) return;
  printf("%s: %s\n", name, what);
  ++failures;
}

#define PASSES(name, ...) check(name(__VA_ARGS__) == TONNX_STATUS_OK, #name, "it fails")

/* The last argument is the error's address; the others are as given. */
#define REFUSES(name, ...)                                                                                  \
  do {                                                                                                      \
    tonnx_error* error = NULL;                                                                              \
    note(#name);                                                                                            \
    check(name(__VA_ARGS__, &error) == TONNX_STATUS_ARGUMENT, #name, "NULL is not refused");                \
    check(error && tonnx_error_status(error) == TONNX_STATUS_ARGUMENT, #name, "the error is not set");      \
    check(strstr(tonnx_error_message(error), "NULL") != NULL, #name, tonnx_error_message(error));           \
    tonnx_error_free(error);                                                                                \
    check(name(__VA_ARGS__, NULL) == TONNX_STATUS_ARGUMENT, #name, "NULL is not refused without an error"); \
  } while (0)

#define ZERO(name, ...)                                                           \
  do {                                                                            \
    note(#name);                                                                  \
    check(name(__VA_ARGS__) == 0, #name, "the answer for NULL is not 0 or NULL"); \
  } while (0)

#define EMPTY(name, ...)                                                         \
  do {                                                                           \
    note(#name);                                                                 \
    check(*name(__VA_ARGS__) == '\0', #name, "the answer for NULL is not \"\""); \
  } while (0)

#define RUNS(name, ...) \
  do {                  \
    note(#name);        \
    name(__VA_ARGS__);  \
  } while (0)

static void errors_and_buffers(void) {
  ZERO(tonnx_error_status, NULL);
  EMPTY(tonnx_error_message, NULL);
  EMPTY(tonnx_error_class, NULL);
  ZERO(tonnx_error_class_is, NULL, "FileError");
  ZERO(tonnx_error_class_is, "FileError", NULL);
  ZERO(tonnx_error_cause, NULL, NULL);
  EMPTY(tonnx_error_report, NULL);
  ZERO(tonnx_error_reason_count, NULL);
  EMPTY(tonnx_error_reason_operator, NULL, 0);
  EMPTY(tonnx_error_reason_text, NULL, 0);
  EMPTY(tonnx_error_reason_module, NULL, 0);
  EMPTY(tonnx_error_reason_source, NULL, 0);
  ZERO(tonnx_error_reason_places, NULL, 0);
  RUNS(tonnx_error_free, NULL);
  ZERO(tonnx_buffer_data, NULL);
  ZERO(tonnx_buffer_size, NULL);
  RUNS(tonnx_buffer_free, NULL);
}

static void tensors_and_args(void) {
  const int64_t dims[1] = {1};
  tonnx_tensor* tensor = NULL;
  REFUSES(tonnx_tensor_new, NULL, TONNX_DTYPE_INT64, dims, 1, dims, 8);
  REFUSES(tonnx_tensor_new, &tensor, TONNX_DTYPE_INT64, NULL, 1, dims, 8);
  REFUSES(tonnx_tensor_new, &tensor, TONNX_DTYPE_INT64, dims, 1, NULL, 8);
  REFUSES(tonnx_tensor_new_borrowed, NULL, TONNX_DTYPE_INT64, dims, NULL, 1, dims, NULL, NULL);
  REFUSES(tonnx_tensor_new_borrowed, &tensor, TONNX_DTYPE_INT64, NULL, NULL, 1, dims, NULL, NULL);
  REFUSES(tonnx_tensor_new_borrowed, &tensor, TONNX_DTYPE_INT64, dims, NULL, 1, NULL, NULL, NULL);
  REFUSES(tonnx_tensor_from_torch, NULL, dims);
  REFUSES(tonnx_tensor_from_torch, &tensor, NULL);
  REFUSES(tonnx_tensor_from_dlpack, &tensor, NULL);
  REFUSES(tonnx_tensor_from_dlpack_versioned, &tensor, NULL);
  void* given = NULL;
  struct DLManagedTensor* managed = NULL;
  struct DLManagedTensorVersioned* versioned = NULL;
  check(tonnx_tensor_new(&tensor, TONNX_DTYPE_INT64, dims, 1, dims, 8, NULL) == TONNX_STATUS_OK, "tonnx_tensor_new",
        "it fails");
  REFUSES(tonnx_tensor_to_torch, NULL, tensor);
  REFUSES(tonnx_tensor_to_torch, &given, NULL);
  REFUSES(tonnx_tensor_to_dlpack, NULL, tensor);
  REFUSES(tonnx_tensor_to_dlpack, &managed, NULL);
  REFUSES(tonnx_tensor_to_dlpack_versioned, NULL, tensor);
  REFUSES(tonnx_tensor_to_dlpack_versioned, &versioned, NULL);
  RUNS(tonnx_tensor_delete_torch, NULL);
  tonnx_tensor_free(tensor);
  note("tonnx_tensor_dtype");
  check(tonnx_tensor_dtype(NULL) == TONNX_DTYPE_UNDEFINED, "tonnx_tensor_dtype", "NULL has a dtype");
  ZERO(tonnx_tensor_rank, NULL);
  ZERO(tonnx_tensor_dims, NULL);
  REFUSES(tonnx_tensor_read, NULL, 0, NULL, 1);
  ZERO(tonnx_tensor_data, NULL);
  ZERO(tonnx_tensor_size, NULL);
  RUNS(tonnx_tensor_free, NULL);
  note("tonnx_dtype_from_name");
  check(tonnx_dtype_from_name(NULL) == TONNX_DTYPE_UNDEFINED, "tonnx_dtype_from_name", "NULL is a dtype");

  tonnx_args* args = NULL;
  REFUSES(tonnx_args_new, NULL);
  REFUSES(tonnx_args_load, NULL, "args.pt");
  REFUSES(tonnx_args_load, &args, NULL);
  REFUSES(tonnx_args_key, NULL, "x");
  REFUSES(tonnx_args_add_tensor, NULL, NULL);
  REFUSES(tonnx_args_add_int, NULL, 1);
  REFUSES(tonnx_args_add_float, NULL, 1);
  REFUSES(tonnx_args_add_bool, NULL, 1);
  REFUSES(tonnx_args_add_string, NULL, "text");
  REFUSES(tonnx_args_add_none, NULL);
  REFUSES(tonnx_args_begin_list, NULL);
  REFUSES(tonnx_args_begin_tuple, NULL);
  REFUSES(tonnx_args_begin_dict, NULL);
  REFUSES(tonnx_args_end, NULL);
  REFUSES(tonnx_args_extend, NULL, NULL);
  RUNS(tonnx_args_fail, NULL, "why", NULL, NULL);
  ZERO(tonnx_args_count, NULL);
  REFUSES(tonnx_args_tensor, NULL, NULL, 0);
  check(tonnx_args_new(&args, NULL) == TONNX_STATUS_OK, "tonnx_args_new", "it fails");
  REFUSES(tonnx_args_key, args, NULL);
  REFUSES(tonnx_args_add_tensor, args, NULL);
  REFUSES(tonnx_args_add_string, args, NULL);
  REFUSES(tonnx_args_extend, args, NULL);
  check(tonnx_args_count(args) == 0, "tonnx_args_count", "what was refused counts");
  tonnx_args_free(args);
  RUNS(tonnx_args_free, NULL);
}

static int32_t resize_nothing(tonnx_args* args, const char* const* symbols, const int64_t* sizes, size_t count,
                              void* user_data) {
  (void)args, (void)symbols, (void)sizes, (void)count, (void)user_data;
  return 0;
}

static int32_t trace_nothing(tonnx_trace* trace, void* user_data) {
  (void)trace, (void)user_data;
  return 0;
}

static int32_t symbolic(tonnx_graph* graph, const tonnx_node* node, tonnx_value* const* inputs, size_t count,
                        void* data) {
  (void)graph, (void)node, (void)inputs, (void)count, (void)data;
  return TONNX_SYMBOLIC_DECLINE;
}

static int32_t write_nothing(tonnx_writer* writer, const void* data, size_t size, void* user_data) {
  (void)writer, (void)data, (void)size, (void)user_data;
  return 0;
}

static int32_t serialize_nothing(const tonnx_model* model, tonnx_writer* writer, void* user_data) {
  (void)model, (void)writer, (void)user_data;
  return 0;
}

static void programs_and_models(void) {
  tonnx_args* outputs = NULL;
  tonnx_args* args = NULL;
  tonnx_program* program = NULL;
  tonnx_buffer* buffer = NULL;
  tonnx_model* model = NULL;
  tonnx_mismatch* mismatch = NULL;
  tonnx_contents* contents = NULL;
  PASSES(tonnx_args_new, &args, NULL);
  REFUSES(tonnx_program_with_weights, NULL, NULL, NULL);
  REFUSES(tonnx_program_load, NULL, "model.pt");
  REFUSES(tonnx_program_load, &program, NULL);
  REFUSES(tonnx_program_load_bytes, NULL, "x", 1);
  REFUSES(tonnx_program_load_bytes, &program, NULL, 1);
  REFUSES(tonnx_program_trace, NULL, trace_nothing, NULL, NULL, args, NULL);
  REFUSES(tonnx_program_trace, &program, NULL, NULL, NULL, args, NULL);
  REFUSES(tonnx_program_trace, &program, trace_nothing, NULL, NULL, NULL, NULL);
  int32_t again = 0;
  void* given = NULL;
  tonnx_trace* trace = NULL;
  REFUSES(tonnx_trace_begin, NULL, args, NULL);
  REFUSES(tonnx_trace_begin, &trace, NULL, NULL);
  check(tonnx_trace_begin(&trace, args, NULL, NULL) == TONNX_STATUS_OK, "tonnx_trace_begin", "it fails");
  REFUSES(tonnx_trace_next, NULL, trace);
  REFUSES(tonnx_trace_next, &again, NULL);
  REFUSES(tonnx_trace_end, NULL, trace);
  REFUSES(tonnx_trace_end, &program, NULL);
  REFUSES(tonnx_trace_new_input, NULL, trace, 0);
  REFUSES(tonnx_trace_new_input, &given, NULL, 0);
  REFUSES(tonnx_trace_weight, trace, NULL, NULL);
  REFUSES(tonnx_trace_enter, trace, NULL, "name");
  REFUSES(tonnx_trace_enter, trace, "Type", NULL);
  RUNS(tonnx_trace_free, NULL);
  tonnx_trace_free(trace);
  REFUSES(tonnx_trace_options_new, NULL);
  tonnx_trace_options* trace_options = NULL;
  /* Made from options.json by scripts/options.py. */
  REFUSES(tonnx_trace_options_set_share_weights, NULL, 1);
  REFUSES(tonnx_trace_options_set_replay, NULL, 1);
  REFUSES(tonnx_trace_options_add_dynamic_axis, NULL, 0, 0, NULL);
  REFUSES(tonnx_trace_options_add_size, NULL, "x", 2);
  REFUSES(tonnx_trace_options_set_allow_fixed_axes, NULL, 1);
  REFUSES(tonnx_trace_options_set_largest_size, NULL, 17);
  REFUSES(tonnx_trace_options_set_single_run, NULL, 1);
  REFUSES(tonnx_trace_options_set_other_values, NULL, 1);
  REFUSES(tonnx_trace_options_set_resize, NULL, resize_nothing, NULL, NULL);
  PASSES(tonnx_trace_options_new, &trace_options, NULL);
  REFUSES(tonnx_trace_options_add_size, trace_options, NULL, 2);
  REFUSES(tonnx_trace_options_set_resize, trace_options, NULL, NULL, NULL);
  /* Made until here. */
  REFUSES(tonnx_trace_options_set_observer, NULL, NULL);
  tonnx_trace_options_free(trace_options);
  RUNS(tonnx_trace_options_free, NULL);
  tonnx_args_free(args);
  ZERO(tonnx_trace_input_count, NULL);
  ZERO(tonnx_trace_input, NULL, 0);
  REFUSES(tonnx_trace_weight, NULL, "w", NULL);
  REFUSES(tonnx_trace_size, NULL, NULL, NULL, 0);
  REFUSES(tonnx_trace_begin_function, NULL, "F", NULL, 0, NULL);
  REFUSES(tonnx_trace_end_function, NULL, NULL, 0);
  REFUSES(tonnx_trace_abandon_function, NULL);
  REFUSES(tonnx_trace_output, NULL, "y", NULL);
  REFUSES(tonnx_trace_enter, NULL, "Type", "name");
  REFUSES(tonnx_trace_leave, NULL);
  RUNS(tonnx_trace_fail, NULL, "text", NULL, NULL);
  REFUSES(tonnx_program_compile, NULL, "def f(x): return x", NULL, NULL);
  REFUSES(tonnx_program_compile, &program, NULL, NULL, NULL);
  REFUSES(tonnx_program_from_module, NULL, args, 0);
  REFUSES(tonnx_program_from_module, &program, NULL, 0);
  ZERO(tonnx_program_method_count, NULL);
  EMPTY(tonnx_program_method, NULL, 0);
  REFUSES(tonnx_program_text, NULL, NULL, NULL, NULL, TONNX_TEXT_SVG);
  REFUSES(tonnx_program_text, &buffer, NULL, NULL, NULL, TONNX_TEXT_SVG);
  RUNS(tonnx_program_free, NULL);
  REFUSES(tonnx_libtorch_load, NULL);
  REFUSES(tonnx_operators_load_library, NULL);
  REFUSES(tonnx_operators_register, NULL);

  REFUSES(tonnx_program_export, NULL, NULL, NULL, NULL, NULL);
  REFUSES(tonnx_program_export, &model, NULL, NULL, NULL, NULL);
  REFUSES(tonnx_program_export_difference, NULL, NULL, NULL, 0, NULL, NULL);
  REFUSES(tonnx_program_export_difference, &buffer, NULL, NULL, 2, NULL, NULL);
  REFUSES(tonnx_model_difference, NULL, NULL, NULL);
  REFUSES(tonnx_model_difference, &buffer, NULL, NULL);
  REFUSES(tonnx_model_save, NULL, "model.onnx", NULL);
  REFUSES(tonnx_save_options_new, NULL);
  REFUSES(tonnx_save_options_set_external_data, NULL, TONNX_EXTERNAL_DATA_NO);
  REFUSES(tonnx_save_options_set_observer, NULL, NULL);
  RUNS(tonnx_save_options_free, NULL);
  REFUSES(tonnx_model_write, NULL, write_nothing, NULL);
  REFUSES(tonnx_model_write_fd, NULL, 1);
  REFUSES(tonnx_model_serialize, NULL, "model.bin", serialize_nothing, NULL);
  REFUSES(tonnx_writer_write, NULL, "text", 4);
  RUNS(tonnx_writer_fail, NULL, "text", NULL, NULL);
  REFUSES(tonnx_model_bytes, &buffer, NULL);
  REFUSES(tonnx_model_text, &buffer, NULL, TONNX_TEXT_SHORT);
  REFUSES(tonnx_model_check, NULL);
  REFUSES(tonnx_model_verify, NULL, NULL, program, args, NULL);
  REFUSES(tonnx_verify_options_new, NULL);
  tonnx_verify_options* verify_options = NULL;
  /* Made from options.json by scripts/options.py. */
  REFUSES(tonnx_verify_options_set_rtol, NULL, -1);
  REFUSES(tonnx_verify_options_set_atol, NULL, -1);
  REFUSES(tonnx_verify_options_add_operator_tolerance, NULL, "x", 1, 1);
  REFUSES(tonnx_verify_options_set_accepted_share, NULL, -1);
  REFUSES(tonnx_verify_options_set_check_dtype, NULL, 1);
  REFUSES(tonnx_verify_options_set_check_shape, NULL, 1);
  REFUSES(tonnx_verify_options_set_provider, NULL, "x");
  REFUSES(tonnx_verify_options_add_runtime_library, NULL, "x");
  REFUSES(tonnx_verify_options_add_size, NULL, "x", 2);
  REFUSES(tonnx_verify_options_set_other_sizes, NULL, 1);
  REFUSES(tonnx_verify_options_set_every_operator, NULL, 1);
  PASSES(tonnx_verify_options_new, &verify_options, NULL);
  REFUSES(tonnx_verify_options_add_operator_tolerance, verify_options, NULL, 1, 1);
  REFUSES(tonnx_verify_options_set_provider, verify_options, NULL);
  REFUSES(tonnx_verify_options_add_runtime_library, verify_options, NULL);
  REFUSES(tonnx_verify_options_add_size, verify_options, NULL, 2);
  /* Made until here. */
  REFUSES(tonnx_verify_options_set_observer, NULL, NULL);
  tonnx_verify_options_free(verify_options);
  RUNS(tonnx_verify_options_free, NULL);
  REFUSES(tonnx_program_find_mismatch, NULL, NULL, NULL, NULL, NULL, NULL);
  REFUSES(tonnx_program_find_mismatch, &mismatch, NULL, NULL, NULL, NULL, NULL);
  ZERO(tonnx_mismatch_found, NULL);
  ZERO(tonnx_mismatch_leaf_count, NULL);
  EMPTY(tonnx_mismatch_leaf, NULL, 0);
  EMPTY(tonnx_mismatch_text, NULL);
  EMPTY(tonnx_mismatch_json, NULL);
  REFUSES(tonnx_mismatch_save_part, NULL, "", "folder");
  REFUSES(tonnx_mismatch_program_contents, NULL, NULL, "");
  REFUSES(tonnx_mismatch_program_contents, &contents, NULL, "");
  REFUSES(tonnx_mismatch_model_contents, NULL, NULL, "");
  REFUSES(tonnx_mismatch_model_contents, &contents, NULL, "");
  RUNS(tonnx_mismatch_free, NULL);
  REFUSES(tonnx_model_contents, NULL, NULL);
  REFUSES(tonnx_model_contents, &contents, NULL);
  REFUSES(tonnx_program_contents, NULL, NULL, NULL, NULL);
  REFUSES(tonnx_program_contents, &contents, NULL, NULL, NULL);
  ZERO(tonnx_contents_input_count, NULL);
  ZERO(tonnx_contents_input, NULL, 0);
  ZERO(tonnx_contents_output_count, NULL);
  ZERO(tonnx_contents_output, NULL, 0);
  ZERO(tonnx_contents_weight_count, NULL);
  ZERO(tonnx_contents_weight, NULL, 0);
  ZERO(tonnx_contents_operator_count, NULL);
  EMPTY(tonnx_contents_operator, NULL, 0);
  ZERO(tonnx_contents_operator_uses, NULL, 0);
  ZERO(tonnx_contents_graph, NULL);
  RUNS(tonnx_contents_free, NULL);
  ZERO(tonnx_model_opset, NULL);
  ZERO(tonnx_model_ir_version, NULL);
  REFUSES(tonnx_model_flat_inputs, NULL, NULL, NULL);
  REFUSES(tonnx_model_flat_outputs, NULL, NULL, NULL);
  EMPTY(tonnx_model_call, NULL);
  ZERO(tonnx_model_report, NULL);
  ZERO(tonnx_report_warning_count, NULL);
  EMPTY(tonnx_report_warning, NULL, 0);
  EMPTY(tonnx_report_json, NULL);
  REFUSES(tonnx_report_save, NULL, "{}");
  REFUSES(tonnx_report_save, "report.sarif", NULL);
  RUNS(tonnx_model_free, NULL);
  REFUSES(tonnx_file_check, NULL);
  REFUSES(tonnx_file_run, NULL, NULL, "model.onnx", NULL, NULL);
  REFUSES(tonnx_file_run, &outputs, NULL, NULL, NULL, NULL);
  REFUSES(tonnx_file_infer, NULL, "typed.onnx");
  REFUSES(tonnx_file_infer, "model.onnx", NULL);
  REFUSES(tonnx_file_text, NULL, "model.onnx", TONNX_TEXT_SHORT);
  REFUSES(tonnx_file_text, &buffer, NULL, TONNX_TEXT_SHORT);
  REFUSES(tonnx_file_picture, NULL, "model.onnx", TONNX_TEXT_SVG, NULL);
  REFUSES(tonnx_file_picture, &buffer, NULL, TONNX_TEXT_SVG, NULL);
}

static int32_t observe_nothing(const tonnx_event* event, void* user_data) {
  (void)event;
  (void)user_data;
  return 0;
}

static void observers(void) {
  tonnx_observer* observer = NULL;
  REFUSES(tonnx_observer_new, NULL, observe_nothing, NULL, NULL);
  REFUSES(tonnx_observer_new, &observer, NULL, NULL, NULL);
  REFUSES(tonnx_observer_set_level, NULL, TONNX_LEVEL_DEBUG);
  PASSES(tonnx_observer_new, &observer, observe_nothing, NULL, NULL, NULL);
  tonnx_observer_free(observer);
  RUNS(tonnx_observer_free, NULL);
  ZERO(tonnx_event_kind, NULL);
  ZERO(tonnx_event_level, NULL);
  ZERO(tonnx_event_category, NULL);
  EMPTY(tonnx_event_stage, NULL);
  ZERO(tonnx_event_done, NULL);
  ZERO(tonnx_event_total, NULL);
  ZERO(tonnx_event_is_bytes, NULL);
  EMPTY(tonnx_event_text, NULL);
  EMPTY(tonnx_event_module, NULL);
  EMPTY(tonnx_event_source, NULL);
  RUNS(tonnx_event_fail, NULL, "text", NULL, NULL);
}

static void options_and_registry(void) {
  tonnx_options* options = NULL;
  REFUSES(tonnx_options_new, NULL);
  /* Made from options.json by scripts/options.py. */
  REFUSES(tonnx_options_set_opset, NULL, 17);
  REFUSES(tonnx_options_set_target, NULL, 0);
  REFUSES(tonnx_options_set_method, NULL, "x");
  REFUSES(tonnx_options_set_mode, NULL, 0);
  REFUSES(tonnx_options_set_training, NULL, 0);
  REFUSES(tonnx_options_set_constant_folding, NULL, 1);
  REFUSES(tonnx_options_set_merge_equal_weights, NULL, 1);
  REFUSES(tonnx_options_set_export_params, NULL, 1);
  REFUSES(tonnx_options_set_initializers_as_inputs, NULL, 0);
  REFUSES(tonnx_options_set_operator_export_type, NULL, 0);
  REFUSES(tonnx_options_set_autograd_inlining, NULL, 1);
  REFUSES(tonnx_options_set_check, NULL, 1);
  REFUSES(tonnx_options_set_invalid_model, NULL, "x");
  REFUSES(tonnx_options_set_doc_strings, NULL, 1);
  REFUSES(tonnx_options_set_node_names, NULL, 1);
  REFUSES(tonnx_options_set_weight_names, NULL, 1);
  REFUSES(tonnx_options_set_value_info, NULL, 1);
  REFUSES(tonnx_options_add_module_function, NULL, "x");
  REFUSES(tonnx_options_set_written_outputs, NULL, 1);
  REFUSES(tonnx_options_set_warnings_as_errors, NULL, 1);
  REFUSES(tonnx_options_set_sequence_inputs, NULL, 1);
  REFUSES(tonnx_options_set_sequence_outputs, NULL, 1);
  REFUSES(tonnx_options_add_input_name, NULL, "x");
  REFUSES(tonnx_options_add_output_name, NULL, "x");
  REFUSES(tonnx_options_add_dynamic_axis, NULL, "x", 0, NULL);
  REFUSES(tonnx_options_set_all_axes_dynamic, NULL, 1);
  REFUSES(tonnx_options_set_fixed_dynamic_axes, NULL, 0);
  REFUSES(tonnx_options_add_fixed_axis, NULL, "x");
  REFUSES(tonnx_options_set_custom_opset, NULL, "x", 1);
  REFUSES(tonnx_options_set_max_seconds, NULL, 17);
  REFUSES(tonnx_options_set_max_steps, NULL, 17);
  REFUSES(tonnx_options_set_max_constant_mib, NULL, 17);
  REFUSES(tonnx_options_set_max_call_depth, NULL, 17);
  REFUSES(tonnx_options_add_print_after, NULL, "x");
  REFUSES(tonnx_options_set_print_changes, NULL, 1);
  REFUSES(tonnx_options_set_pass_statistics, NULL, 1);
  PASSES(tonnx_options_new, &options, NULL);
  REFUSES(tonnx_options_set_method, options, NULL);
  REFUSES(tonnx_options_set_invalid_model, options, NULL);
  REFUSES(tonnx_options_add_module_function, options, NULL);
  REFUSES(tonnx_options_add_input_name, options, NULL);
  REFUSES(tonnx_options_add_output_name, options, NULL);
  REFUSES(tonnx_options_add_dynamic_axis, options, NULL, 0, NULL);
  REFUSES(tonnx_options_add_fixed_axis, options, NULL);
  REFUSES(tonnx_options_set_custom_opset, options, NULL, 1);
  REFUSES(tonnx_options_add_print_after, options, NULL);
  /* Made until here. */
  REFUSES(tonnx_options_set_observer, NULL, NULL);
  tonnx_options_free(options);
  RUNS(tonnx_options_free, NULL);

  tonnx_registry* registry = NULL;
  REFUSES(tonnx_registry_new, NULL);
  REFUSES(tonnx_registry_add, NULL, "mine::op", 9, symbolic, NULL, NULL);
  REFUSES(tonnx_registry_add_functions, NULL, "f", 1, NULL, 0);
  EMPTY(tonnx_registry_kind, NULL, 0);
  REFUSES(tonnx_registry_set_arguments, NULL, "mine::op", 9, "v");
  REFUSES(tonnx_registry_remove, NULL, "mine::op", 9);
  PASSES(tonnx_registry_new, &registry, NULL);
  REFUSES(tonnx_registry_add, registry, NULL, 9, symbolic, NULL, NULL);
  REFUSES(tonnx_registry_add, registry, "mine::op", 9, NULL, NULL, NULL);
  REFUSES(tonnx_registry_add_functions, registry, NULL, 1, NULL, 0);
  REFUSES(tonnx_registry_set_arguments, registry, NULL, 9, "v");
  REFUSES(tonnx_registry_set_arguments, registry, "mine::op", 9, NULL);
  REFUSES(tonnx_registry_remove, registry, NULL, 9);
  tonnx_registry_free(registry);
  RUNS(tonnx_registry_free, NULL);
  ZERO(tonnx_registry_count, NULL);
  EMPTY(tonnx_registry_name, NULL, 0);
  ZERO(tonnx_registry_since, NULL, 0);
  ZERO(tonnx_registry_is_custom, NULL, 0);
}

static void destroy(void* user_data) { ++*(int*)user_data; }

static void graphs(void) {
  int destroyed = 0;
  tonnx_attributes* attributes = NULL;
  tonnx_graph* subgraph = NULL;
  tonnx_value* value = NULL;
  int64_t number = 0;
  double real = 0;
  int32_t truth = 0;
  size_t count = 0;
  const char* text = NULL;
  const int64_t* ints = NULL;
  const size_t* order = NULL;
  const double* floats = NULL;
  const char* const* strings = NULL;
  tonnx_tensor* tensor = NULL;
  tonnx_value* const* list = NULL;
  REFUSES(tonnx_attributes_new, NULL);
  REFUSES(tonnx_attributes_set_int, NULL, "a", 1);
  REFUSES(tonnx_attributes_set_float, NULL, "a", 1);
  REFUSES(tonnx_attributes_set_string, NULL, "a", "b");
  REFUSES(tonnx_attributes_set_tensor, NULL, "a", NULL);
  REFUSES(tonnx_attributes_set_ints, NULL, "a", NULL, 0);
  REFUSES(tonnx_attributes_set_floats, NULL, "a", NULL, 0);
  REFUSES(tonnx_attributes_set_strings, NULL, "a", NULL, 0);
  REFUSES(tonnx_attributes_set_tensors, NULL, "a", NULL, 0);
  REFUSES(tonnx_attributes_set_type, NULL, "a", TONNX_DTYPE_FLOAT32, NULL, 0);
  PASSES(tonnx_attributes_new, &attributes, NULL);
  REFUSES(tonnx_attributes_set_int, attributes, NULL, 1);
  REFUSES(tonnx_attributes_set_string, attributes, "a", NULL);
  REFUSES(tonnx_attributes_set_tensor, attributes, "a", NULL);
  REFUSES(tonnx_attributes_set_ints, attributes, "a", NULL, 1);
  REFUSES(tonnx_attributes_set_graph, attributes, "body", NULL);
  tonnx_attributes_free(attributes);
  RUNS(tonnx_attributes_free, NULL);

  REFUSES(tonnx_graph_op, &value, 1, NULL, "Relu", NULL, 0, NULL);
  REFUSES(tonnx_graph_constant, &value, NULL, NULL);
  REFUSES(tonnx_attributes_set_graph, NULL, "body", NULL);
  REFUSES(tonnx_attributes_set_suffixed, NULL, "n_i", NULL);
  REFUSES(tonnx_attributes_set_suffixed, attributes, NULL, NULL);
  REFUSES(tonnx_graph_call, &value, 1, NULL, "aten::relu", NULL, 0, NULL);
  REFUSES(tonnx_graph_list, &value, NULL, NULL, 0);
  REFUSES(tonnx_graph_add_subgraph, &subgraph, NULL);
  REFUSES(tonnx_graph_add_input, &value, NULL);
  ZERO(tonnx_graph_is_training, NULL);
  REFUSES(tonnx_graph_cast, &value, NULL, NULL, TONNX_DTYPE_FLOAT32);
  REFUSES(tonnx_graph_set_results, NULL, NULL, 0);
  RUNS(tonnx_graph_fail, NULL, "text", &destroyed, destroy);
  check(destroyed == 1, "tonnx_graph_fail", "what it takes is not let go once");
  ZERO(tonnx_graph_opset, NULL);
  EMPTY(tonnx_graph_name, NULL);
  ZERO(tonnx_graph_owner, NULL);
  ZERO(tonnx_graph_node_count, NULL);
  ZERO(tonnx_graph_node, NULL, 0);
  ZERO(tonnx_graph_input_count, NULL);
  ZERO(tonnx_graph_input, NULL, 0);
  ZERO(tonnx_graph_output_count, NULL);
  ZERO(tonnx_graph_output, NULL, 0);
  EMPTY(tonnx_node_operator, NULL);
  EMPTY(tonnx_node_overload, NULL);
  EMPTY(tonnx_node_module, NULL);
  EMPTY(tonnx_node_source, NULL);
  note("tonnx_node_argument_index");
  check(tonnx_node_argument_index(NULL, "x") == -1, "tonnx_node_argument_index", "NULL has an argument");
  EMPTY(tonnx_node_argument_name, NULL, 0);
  REFUSES(tonnx_node_get_tensors_first, &order, &count, NULL);
  ZERO(tonnx_node_output_count, NULL);
  ZERO(tonnx_node_output, NULL, 0);
  ZERO(tonnx_node_input_count, NULL);
  ZERO(tonnx_node_input, NULL, 0);
  ZERO(tonnx_node_attribute_count, NULL);
  EMPTY(tonnx_node_attribute_name, NULL, 0);
  ZERO(tonnx_node_attribute, NULL, "x");
  ZERO(tonnx_node_graph_count, NULL);
  ZERO(tonnx_node_graph, NULL, 0);
  ZERO(tonnx_node_parent, NULL);
  EMPTY(tonnx_node_name, NULL);
  EMPTY(tonnx_value_name, NULL);
  ZERO(tonnx_value_kind, NULL);
  EMPTY(tonnx_value_type, NULL);
  ZERO(tonnx_value_producer, NULL);
  ZERO(tonnx_value_use_count, NULL);
  ZERO(tonnx_value_user, NULL, 0);
  ZERO(tonnx_value_use_index, NULL, 0);
  note("tonnx_value_dtype");
  check(tonnx_value_dtype(NULL) == TONNX_DTYPE_UNDEFINED, "tonnx_value_dtype", "NULL has a dtype");
  ZERO(tonnx_value_has_rank, NULL);
  ZERO(tonnx_value_rank, NULL);
  note("tonnx_value_dim");
  check(tonnx_value_dim(NULL, 0) == -1, "tonnx_value_dim", "NULL has a dimension");
  EMPTY(tonnx_value_dim_symbol, NULL, 0);
  note("tonnx_value_is_none");
  check(tonnx_value_is_none(NULL) == 1, "tonnx_value_is_none", "NULL is a value");
  ZERO(tonnx_value_requires_grad, NULL);
  ZERO(tonnx_value_is_constant, NULL);
  REFUSES(tonnx_value_get_int, &number, NULL);
  REFUSES(tonnx_value_get_float, &real, NULL);
  REFUSES(tonnx_value_get_bool, &truth, NULL);
  REFUSES(tonnx_value_get_string, &text, NULL);
  REFUSES(tonnx_value_get_ints, &ints, &count, NULL);
  REFUSES(tonnx_value_get_floats, &floats, &count, NULL);
  REFUSES(tonnx_value_get_strings, &strings, &count, NULL);
  REFUSES(tonnx_value_get_tensor, &tensor, NULL);
  REFUSES(tonnx_value_get_list, &list, &count, NULL);
  REFUSES(tonnx_value_set_type, NULL, TONNX_DTYPE_FLOAT32, NULL, 0);
  REFUSES(tonnx_value_copy_type, NULL, NULL);
}

#define HOLDS(name, holds, what) \
  do {                           \
    note(#name);                 \
    check((holds), #name, what); \
  } while (0)

/* Functions that take no pointer. */
static void others(void) {
  HOLDS(tonnx_status_name, strcmp(tonnx_status_name(TONNX_STATUS_OK), "ok") == 0, "another text for TONNX_STATUS_OK");
  HOLDS(tonnx_status_name, tonnx_status_name((tonnx_status)-1) != NULL, "no text for an unknown status");
  HOLDS(tonnx_category_name, strcmp(tonnx_category_name(TONNX_CATEGORY_STATE), "state") == 0, "another text for state");
  HOLDS(tonnx_category_name, strcmp(tonnx_category_name((tonnx_category)-1), "unknown") == 0, "a text for no category");
  HOLDS(tonnx_dtype_name, strcmp(tonnx_dtype_name(TONNX_DTYPE_FLOAT32), "float32") == 0, "another text for float32");
  HOLDS(tonnx_dtype_name, strcmp(tonnx_dtype_name((tonnx_dtype)-5), "undefined") == 0, "another text for no dtype");
  HOLDS(tonnx_dtype_size, tonnx_dtype_size(TONNX_DTYPE_FLOAT32) == 4, "float32 has four bytes");
  HOLDS(tonnx_dtype_size, tonnx_dtype_size(TONNX_DTYPE_UNDEFINED) == 0, "no dtype has a size");
  note("tonnx_dtype_bits");
  check(tonnx_dtype_bits(TONNX_DTYPE_INT4) == 4, "tonnx_dtype_bits", "int4 has four bits");
  HOLDS(tonnx_version, strlen(tonnx_version()) > 0, "it is empty");
  note("tonnx_version_number");
  check(tonnx_version_number() > 0, "tonnx_version_number", "it is 0");
  note("tonnx_libtorch_version");
  check(tonnx_libtorch_version() < 0x030000, "tonnx_libtorch_version", "it is not 2.x");
  HOLDS(tonnx_build_info, strlen(tonnx_build_info()) > 0, "it is empty");
  HOLDS(tonnx_opset_oldest, tonnx_opset_oldest() < tonnx_opset_default(), "it is not below the default");
  HOLDS(tonnx_opset_newest, tonnx_opset_newest() > tonnx_opset_default(), "it is not above the default");
  HOLDS(tonnx_opset_default, tonnx_opset_default() > 0, "it is not positive");
  note("tonnx_is_exporting");
  check(tonnx_is_exporting() == 0, "tonnx_is_exporting", "no export runs");
}

static void every_symbol_is_called(const char* path) {
  FILE* file = fopen(path, "r");
  char line[128];
  int any = 0;
  check(file != NULL, path, "it cannot be read");
  while (file && fgets(line, sizeof line, file)) {
    int found = 0;
    line[strcspn(line, " \r\n")] = '\0';
    if (strncmp(line, "tonnx_", 6) != 0) continue;
    any = 1;
    for (size_t i = 0; i < called_count && !found; ++i) found = strcmp(called[i], line) == 0;
    check(found, line, "nothing calls it with NULL here");
  }
  check(any, path, "it names no function");
  if (file) fclose(file);
}

int main(int argc, char** argv) {
  errors_and_buffers();
  tensors_and_args();
  programs_and_models();
  observers();
  options_and_registry();
  graphs();
  others();
  every_symbol_is_called(argc > 1 ? argv[1] : "");
  printf("%d failures\n", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
