/* An archive with a custom operator becomes an ONNX model through a symbolic of our own.
 *   custom_operator LIBRARY ARCHIVE OUTPUT.onnx */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tonnx.h"

/* Hands a failed call's text to the graph. */
static int32_t fail(tonnx_graph* graph, tonnx_error* error) {
  tonnx_graph_fail(graph, tonnx_error_message(error), NULL, NULL);
  tonnx_error_free(error);
  return TONNX_SYMBOLIC_FAIL;
}

/* The first version knows what it cannot do yet. */
static int32_t refuse(tonnx_graph* graph, const tonnx_node* node, tonnx_value* const* inputs, size_t count,
                      void* data) {
  (void)node, (void)count, (void)data;
  double alpha;
  char text[64];
  tonnx_error* error = NULL;
  if (tonnx_value_get_float(&alpha, inputs[1], &error)) return fail(graph, error);
  snprintf(text, sizeof text, "alpha %g is not supported yet", alpha);
  tonnx_graph_fail(graph, text, NULL, NULL);
  return TONNX_SYMBOLIC_FAIL;
}

/* gated_softmax(x, alpha): ONNX Runtime's QuickGelu is x * sigmoid(alpha * x). */
static int32_t gated_softmax(tonnx_graph* graph, const tonnx_node* node, tonnx_value* const* inputs, size_t count,
                             void* data) {
  (void)node, (void)count, (void)data;
  tonnx_value* x = inputs[0];
  if (tonnx_value_dtype(x) != TONNX_DTYPE_FLOAT32) return TONNX_SYMBOLIC_DECLINE;

  double alpha;
  tonnx_attributes *gelu = NULL, *softmax = NULL;
  tonnx_value *gated = NULL, *result = NULL;
  tonnx_error* error = NULL;
  tonnx_status status = tonnx_value_get_float(&alpha, inputs[1], &error);
  if (!status) status = tonnx_attributes_new(&gelu, &error);
  if (!status) status = tonnx_attributes_set_float(gelu, "alpha", alpha, &error);
  if (!status) status = tonnx_graph_op(&gated, 1, graph, "com.microsoft::QuickGelu", &x, 1, gelu, &error);
  if (!status) status = tonnx_value_copy_type(gated, x, &error);
  if (!status) status = tonnx_attributes_new(&softmax, &error);
  if (!status) status = tonnx_attributes_set_int(softmax, "axis", (int64_t)tonnx_value_rank(x) - 1, &error);
  if (!status) status = tonnx_graph_op(&result, 1, graph, "Softmax", &gated, 1, softmax, &error);
  if (!status) status = tonnx_graph_set_results(graph, &result, 1, &error);
  tonnx_attributes_free(softmax);
  tonnx_attributes_free(gelu);
  return status ? fail(graph, error) : TONNX_SYMBOLIC_DONE;
}

static tonnx_status make_args(tonnx_args** args, tonnx_error** error) {
  float values[8];
  const int64_t dims[2] = {2, 4};
  for (int i = 0; i < 8; ++i) values[i] = 0.25f * (float)i - 1;
  tonnx_tensor* tensor = NULL;
  tonnx_status status = tonnx_tensor_new(&tensor, TONNX_DTYPE_FLOAT32, dims, 2, values, sizeof values, error);
  if (!status) status = tonnx_args_new(args, error);
  if (!status) status = tonnx_args_add_tensor(*args, tensor, error);
  tonnx_tensor_free(tensor);
  return status;
}

static tonnx_status make_options(tonnx_options** options, tonnx_error** error) {
  tonnx_status status = tonnx_options_new(options, error);
  if (!status) status = tonnx_options_set_opset(*options, 15, error);
  if (!status) status = tonnx_options_add_input_name(*options, "tokens", error);
  if (!status) status = tonnx_options_add_output_name(*options, "weights", error);
  if (!status) status = tonnx_options_add_dynamic_axis(*options, "tokens", 0, "batch", error);
  if (!status) status = tonnx_options_set_custom_opset(*options, "com.microsoft", 1, error);
  return status;
}

static int same_as_file(const tonnx_buffer* bytes, const char* path) {
  const size_t size = tonnx_buffer_size(bytes);
  char* content = malloc(size + 1);
  FILE* file = fopen(path, "rb");
  const int same = content && file && fread(content, 1, size + 1, file) == size &&
                   memcmp(content, tonnx_buffer_data(bytes), size) == 0;
  if (file) fclose(file);
  free(content);
  return same;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "custom_operator LIBRARY ARCHIVE OUTPUT.onnx\n");
    return 1;
  }
  tonnx_program* program = NULL;
  tonnx_args* args = NULL;
  tonnx_options* options = NULL;
  tonnx_registry* registry = NULL;
  tonnx_model* model = NULL;
  tonnx_buffer *bytes = NULL, *text = NULL;
  tonnx_error* error = NULL;

  tonnx_status status = tonnx_operators_load_library(argv[1], &error);
  if (!status) status = tonnx_program_load(&program, argv[2], &error);
  if (!status) status = make_args(&args, &error);
  if (!status) status = make_options(&options, &error);
  if (!status) status = tonnx_registry_new(&registry, &error);
  if (!status) status = tonnx_registry_add(registry, "my_ops::gated_softmax", 9, refuse, NULL, NULL, &error);
  if (!status && tonnx_program_export(&model, program, args, options, registry, &error) == TONNX_STATUS_CALLBACK) {
    printf("refused: %s at %s: %s\n", tonnx_error_reason_operator(error, 0), tonnx_error_reason_module(error, 0),
           tonnx_error_reason_text(error, 0));
    tonnx_error_free(error);
    error = NULL;
  }

  if (!status) status = tonnx_registry_add(registry, "my_ops::gated_softmax", 9, gated_softmax, NULL, NULL, &error);
  if (!status) status = tonnx_program_export(&model, program, args, options, registry, &error);
  if (!status) status = tonnx_model_bytes(&bytes, model, &error);
  if (!status) status = tonnx_model_save(model, argv[3], NULL, &error);
  if (!status) status = tonnx_model_verify(NULL, model, program, args, NULL, &error);
  if (!status) status = tonnx_model_text(&text, model, TONNX_TEXT_SHORT, &error);

  int exit_code = 1;
  if (status)
    fprintf(stderr, "custom_operator: %s\n", tonnx_error_message(error));
  else if (!same_as_file(bytes, argv[3]))
    fprintf(stderr, "custom_operator: the file and the memory differ\n");
  else {
    printf("verified\n%s\n", (const char*)tonnx_buffer_data(text));
    exit_code = 0;
  }

  tonnx_buffer_free(text);
  tonnx_buffer_free(bytes);
  tonnx_model_free(model);
  tonnx_registry_free(registry);
  tonnx_options_free(options);
  tonnx_args_free(args);
  tonnx_program_free(program);
  tonnx_error_free(error);
  return exit_code;
}
