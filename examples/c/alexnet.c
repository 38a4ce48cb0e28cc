/* AlexNet from LibTorch to ONNX through the C API: trace, export, verify, print.
 *   alexnet [OUTPUT.onnx] */
#include <stdio.h>

#include "alexnet_network.h"
#include "tonnx.h"

/* Records one run of the network; every parameter becomes a named weight. */
static int32_t run_network(tonnx_trace* trace, void* user_data) {
  alexnet* network = user_data;
  tonnx_error* error = NULL;
  for (size_t i = 0; i < alexnet_parameter_count(network); ++i) {
    if (tonnx_trace_weight(trace, alexnet_parameter_name(network, i), alexnet_parameter(network, i), &error)) {
      tonnx_trace_fail(trace, tonnx_error_message(error), NULL, NULL);
      tonnx_error_free(error);
      return 1;
    }
  }
  const void* output = alexnet_forward(network, tonnx_trace_input(trace, 0));
  if (!output) {
    tonnx_trace_fail(trace, "the network cannot be run", NULL, NULL);
    return 1;
  }
  return tonnx_trace_output(trace, NULL, output, NULL);
}

static tonnx_status set_names(tonnx_options* options, tonnx_error** error) {
  tonnx_status status = tonnx_options_add_input_name(options, "actual_input_1", error);
  for (int i = 0; i < 16 && status == TONNX_STATUS_OK; ++i) {
    char name[16];
    snprintf(name, sizeof name, "learned_%d", i);
    status = tonnx_options_add_input_name(options, name, error);
  }
  return status ? status : tonnx_options_add_output_name(options, "output1", error);
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "alexnet.onnx";
  alexnet* network = alexnet_new();
  if (!network) {
    fprintf(stderr, "alexnet: LibTorch cannot make the network\n");
    return 1;
  }

  tonnx_error* error = NULL;
  tonnx_tensor* example = NULL;
  tonnx_args* args = NULL;
  tonnx_program* program = NULL;
  tonnx_options* options = NULL;
  tonnx_model* model = NULL;
  tonnx_verify_options* verification = NULL;
  tonnx_buffer* text = NULL;

  tonnx_status status = tonnx_tensor_from_torch(&example, alexnet_example(network), &error);
  if (!status) status = tonnx_args_new(&args, &error);
  if (!status) status = tonnx_args_add_tensor(args, example, &error);
  if (!status) status = tonnx_program_trace(&program, run_network, network, NULL, args, NULL, &error);
  if (!status) status = tonnx_options_new(&options, &error);
  if (!status) status = set_names(options, &error);
  if (!status) status = tonnx_program_export(&model, program, args, options, NULL, &error);
  if (!status) status = tonnx_model_save(model, path, NULL, &error);
  /* Scores of some hundredths are sums of 4096 products, which LibTorch's kernels add up in an order of the
   * processor's. */
  if (!status) status = tonnx_verify_options_new(&verification, &error);
  if (!status) status = tonnx_verify_options_set_atol(verification, 1e-4, &error);
  if (!status) status = tonnx_model_verify(NULL, model, program, args, verification, &error);
  if (!status) status = tonnx_model_text(&text, model, TONNX_TEXT_SHORT, &error);

  if (status) {
    fprintf(stderr, "alexnet: %s\n", tonnx_error_message(error));
  } else {
    printf("%s\n%s: ONNX Runtime agrees with LibTorch\n", (const char*)tonnx_buffer_data(text), path);
  }

  tonnx_buffer_free(text);
  tonnx_verify_options_free(verification);
  tonnx_model_free(model);
  tonnx_options_free(options);
  tonnx_program_free(program);
  tonnx_args_free(args);
  tonnx_tensor_free(example);
  tonnx_error_free(error);
  alexnet_free(network);
  return status != TONNX_STATUS_OK;
}
