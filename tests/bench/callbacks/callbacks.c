/* Nanoseconds of a callback and of a call in a callback, from C: see ../callbacks.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tonnx.h"

enum { NODES = 2000, REGISTRATIONS = 17, RUNS = 9, CALLS = 1000000 };

static size_t callbacks, outputs;

/* Seconds of processor time of this thread. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check(tonnx_status status, tonnx_error* error) {
  if (!status) return;
  fprintf(stderr, "%s\n", tonnx_error_message(error));
  exit(1);
}

static int32_t decline(tonnx_graph* graph, const tonnx_node* node, tonnx_value* const* inputs, size_t count,
                       void* user_data) {
  (void)graph, (void)node, (void)inputs, (void)count, (void)user_data;
  ++callbacks;
  return TONNX_SYMBOLIC_DECLINE;
}

static int32_t call(tonnx_graph* graph, const tonnx_node* node, tonnx_value* const* inputs, size_t count,
                    void* user_data) {
  (void)graph, (void)inputs, (void)count;
  const double start = now();
  for (int i = 0; i < CALLS; ++i) outputs += tonnx_node_output_count(node);
  *(double*)user_data = now() - start;
  return TONNX_SYMBOLIC_DECLINE;
}

static tonnx_args* example(void) {
  const int64_t dims[] = {4};
  const float elements[] = {1, 2, 3, 4};
  tonnx_error* error = NULL;
  tonnx_tensor* tensor;
  tonnx_args* args;
  check(tonnx_tensor_new(&tensor, TONNX_DTYPE_FLOAT32, dims, 1, elements, sizeof elements, &error), error);
  check(tonnx_args_new(&args, &error), error);
  check(tonnx_args_add_tensor(args, tensor, &error), error);
  tonnx_tensor_free(tensor);
  return args;
}

/* The seconds of an export with so many symbolics, which all decline. */
static double timed(const char* source, int registrations, tonnx_symbolic_fn symbolic, void* user_data) {
  tonnx_error* error = NULL;
  tonnx_program* program;
  tonnx_registry* registry;
  tonnx_options* options;
  tonnx_model* model;
  tonnx_args* args = example();
  double start, end;
  check(tonnx_program_compile(&program, source, NULL, NULL, &error), error);
  check(tonnx_registry_new(&registry, &error), error);
  for (int since = 1; since <= registrations; ++since)
    check(tonnx_registry_add(registry, "aten::relu", since, symbolic, user_data, NULL, &error), error);
  check(tonnx_options_new(&options, &error), error);
  check(tonnx_options_set_opset(options, REGISTRATIONS, &error), error);
  start = now();
  check(tonnx_program_export(&model, program, args, options, registry, &error), error);
  end = now();
  tonnx_model_free(model);
  tonnx_options_free(options);
  tonnx_registry_free(registry);
  tonnx_args_free(args);
  tonnx_program_free(program);
  return end - start;
}

int main(void) {
  static char source[64 + NODES * 32];
  double best[2] = {1e9, 1e9}, seconds = 0;
  size_t counts[2];
  const int registrations[2] = {1, REGISTRATIONS};
  strcpy(source, "def forward(x):\n");
  for (int i = 0; i < NODES; ++i) strcat(source, "    x = torch.relu(x)\n");
  strcat(source, "    return x\n");
  for (int run = 0; run < RUNS; ++run)
    for (int i = 0; i < 2; ++i) {
      double time;
      callbacks = 0;
      time = timed(source, registrations[i], decline, NULL);
      counts[i] = callbacks;
      if (time < best[i]) best[i] = time;
    }
  timed("def forward(x):\n    return torch.relu(x)\n", 1, call, &seconds);
  printf("%.0f %.1f\n", (best[1] - best[0]) * 1e9 / (double)(counts[1] - counts[0]), seconds * 1e9 / CALLS);
  return outputs == 0;
}
