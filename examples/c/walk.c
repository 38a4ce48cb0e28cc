/* Walks a program with branches and a loop, and the model that it becomes: prints graphs, nodes and values. */
#include <stdio.h>
#include <stdlib.h>

#include "tonnx.h"

static const char SOURCE[] =
    "def forward(x, steps: int):\n"
    "    y = x * 0.5\n"
    "    if bool(y.sum() > 0.25):\n"
    "        y = torch.relu(y)\n"
    "    for i in range(steps):\n"
    "        y = torch.softmax(y + x, 1)\n"
    "    return y\n";

/* Values are numbered in the order in which they are printed. */
static const tonnx_value* printed[256];
static size_t printed_count;

static void print_name(const tonnx_value* value) {
  size_t i = 0;
  if (!value) {
    printf("none");
    return;
  }
  while (i < printed_count && printed[i] != value) ++i;
  if (i == sizeof printed / sizeof *printed) {
    fputs("walk: too many values\n", stderr);
    exit(1);
  }
  if (i == printed_count) printed[printed_count++] = value;
  printf("%%%zu", i);
}

/* The content of an attribute or of a constant. */
static void print_content(const tonnx_value* value) {
  int64_t number;
  double real;
  int32_t truth;
  const char* text;
  const int64_t* numbers;
  size_t count;
  switch (tonnx_value_kind(value)) {
    case TONNX_KIND_INT:
      if (!tonnx_value_get_int(&number, value, NULL)) printf("%lld", (long long)number);
      break;
    case TONNX_KIND_FLOAT:
      if (!tonnx_value_get_float(&real, value, NULL)) printf("%g", real);
      break;
    case TONNX_KIND_BOOL:
      if (!tonnx_value_get_bool(&truth, value, NULL)) printf(truth ? "true" : "false");
      break;
    case TONNX_KIND_STRING:
      if (!tonnx_value_get_string(&text, value, NULL)) printf("'%s'", text);
      break;
    case TONNX_KIND_LIST:
      if (!tonnx_value_get_ints(&numbers, &count, value, NULL))
        for (size_t i = 0; i < count; ++i) printf("%s%lld", i ? " " : "", (long long)numbers[i]);
      break;
    default: printf("%s", tonnx_value_type(value));
  }
}

static void print_typed(const tonnx_value* value) {
  print_name(value);
  printf(": %s", tonnx_value_type(value));
  if (tonnx_value_kind(value) == TONNX_KIND_TENSOR && tonnx_value_has_rank(value)) {
    printf(" %s[", tonnx_dtype_name(tonnx_value_dtype(value)));
    for (size_t axis = 0; axis < tonnx_value_rank(value); ++axis) {
      const int64_t size = tonnx_value_dim(value, axis);
      if (axis) printf(" ");
      if (size >= 0)
        printf("%lld", (long long)size);
      else
        printf("%s", tonnx_value_dim_symbol(value, axis));
    }
    printf("]");
  } else if (tonnx_value_is_constant(value) && !tonnx_value_is_none(value)) {
    printf(" ");
    print_content(value);
  }
  printf(" (used %zu)", tonnx_value_use_count(value));
}

static void print_graph(const tonnx_graph* graph, int depth);

static void print_node(const tonnx_node* node, int depth) {
  printf("%*s", depth * 2, "");
  for (size_t i = 0; i < tonnx_node_output_count(node); ++i) {
    if (i) printf(", ");
    print_typed(tonnx_node_output(node, i));
  }
  printf(" = %s", tonnx_node_operator(node));
  if (*tonnx_node_overload(node)) printf(".%s", tonnx_node_overload(node));
  for (size_t i = 0; i < tonnx_node_attribute_count(node); ++i) {
    const char* name = tonnx_node_attribute_name(node, i);
    printf(" %s=", name);
    print_content(tonnx_node_attribute(node, name));
  }
  printf("(");
  for (size_t i = 0; i < tonnx_node_input_count(node); ++i) {
    if (i) printf(", ");
    print_name(tonnx_node_input(node, i));
  }
  printf(")");
  if (*tonnx_node_source(node)) printf(" at %s", tonnx_node_source(node));
  printf("\n");
  for (size_t i = 0; i < tonnx_node_graph_count(node); ++i) print_graph(tonnx_node_graph(node, i), depth + 1);
}

static void print_graph(const tonnx_graph* graph, int depth) {
  const tonnx_node* owner = tonnx_graph_owner(graph);
  printf("%*s%s(", depth * 2, "", owner ? tonnx_graph_name(graph) : "graph");
  for (size_t i = 0; i < tonnx_graph_input_count(graph); ++i) {
    if (i) printf(", ");
    print_typed(tonnx_graph_input(graph, i));
  }
  printf(")\n");
  for (size_t i = 0; i < tonnx_graph_node_count(graph); ++i) print_node(tonnx_graph_node(graph, i), depth + 1);
  printf("%*sreturn", depth * 2 + 2, "");
  for (size_t i = 0; i < tonnx_graph_output_count(graph); ++i) {
    printf(" ");
    print_name(tonnx_graph_output(graph, i));
  }
  printf("\n");
}

static void print_contents(const tonnx_contents* contents) {
  printed_count = 0;
  print_graph(tonnx_contents_graph(contents), 0);
}

static tonnx_status make_args(tonnx_args** args, tonnx_error** error) {
  const int64_t dims[2] = {2, 3};
  const float elements[6] = {1, 2, 3, 4, 5, 6};
  tonnx_tensor* tensor = NULL;
  tonnx_status status = tonnx_tensor_new(&tensor, TONNX_DTYPE_FLOAT32, dims, 2, elements, sizeof elements, error);
  if (!status) status = tonnx_args_new(args, error);
  if (!status) status = tonnx_args_add_tensor(*args, tensor, error);
  if (!status) status = tonnx_args_add_int(*args, 2, error);
  tonnx_tensor_free(tensor);
  return status;
}

int main(void) {
  tonnx_program* program = NULL;
  tonnx_args* args = NULL;
  tonnx_options* options = NULL;
  tonnx_model* model = NULL;
  tonnx_contents *of_program = NULL, *of_model = NULL;
  tonnx_error* error = NULL;
  tonnx_status status = tonnx_program_compile(&program, SOURCE, "net.py", NULL, &error);
  if (!status) status = make_args(&args, &error);
  if (!status) status = tonnx_options_new(&options, &error);
  if (!status) status = tonnx_options_add_dynamic_axis(options, "x", 0, "batch", &error);
  if (!status) status = tonnx_program_contents(&of_program, program, args, options, &error);
  if (!status) status = tonnx_program_export(&model, program, args, options, NULL, &error);
  if (!status) status = tonnx_model_contents(&of_model, model, &error);
  if (status) {
    fprintf(stderr, "walk: %s\n", tonnx_error_message(error));
  } else {
    print_contents(of_program);
    print_contents(of_model);
  }
  tonnx_contents_free(of_model);
  tonnx_contents_free(of_program);
  tonnx_model_free(model);
  tonnx_options_free(options);
  tonnx_args_free(args);
  tonnx_program_free(program);
  tonnx_error_free(error);
  return status != TONNX_STATUS_OK;
}
