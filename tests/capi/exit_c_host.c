/* Returns from main() while threads export through the C API: exit_c_host KIND MILLISECONDS. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tonnx.h"

static const char* const source =
    "def forward(x):\n"
    "    for i in range(x.size(0)):\n"
    "        if bool(x.sum() > 0):\n"
    "            x = torch.softmax(x, -1) * i\n"
    "    return torch.relu(x)\n";

/* A failed call ends the process with code 3. */
static void check(tonnx_status status, const tonnx_error* error) {
  if (status == TONNX_STATUS_OK) return;
  fprintf(stderr, "%s\n", tonnx_error_message(error));
  _exit(3);
}

static void export_once(const char* kind) {
  tonnx_error* error = NULL;
  tonnx_program* program = NULL;
  tonnx_args* args = NULL;
  tonnx_model* model = NULL;
  check(tonnx_args_new(&args, &error), error);
  if (strcmp(kind, "archive") == 0) {
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/exported/torch-2.9.1.pt2", getenv("TONNX_SOURCE_ROOT"));
    check(tonnx_program_load(&program, path, &error), error);
  } else {
    const int64_t dims[2] = {2, 3};
    const float numbers[6] = {1, 2, 3, 4, 5, 6};
    tonnx_tensor* x = NULL;
    check(tonnx_program_compile(&program, source, "", NULL, &error), error);
    check(tonnx_tensor_new(&x, TONNX_DTYPE_FLOAT32, dims, 2, numbers, sizeof numbers, &error), error);
    check(tonnx_args_add_tensor(args, x, &error), error);
    tonnx_tensor_free(x);
  }
  check(tonnx_program_export(&model, program, args, NULL, NULL, &error), error);
  tonnx_model_free(model);
  tonnx_args_free(args);
  tonnx_program_free(program);
}

static void* export_without_end(void* kind) {
  for (;;) export_once(kind);
  return NULL;
}

int main(int count, char** arguments) {
  struct timespec pause;
  int milliseconds, k;
  if (count != 3) return 2;
  milliseconds = atoi(arguments[2]);
  for (k = 0; k < 4; ++k) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, export_without_end, arguments[1]) != 0) return 2;
    pthread_detach(thread);
  }
  pause.tv_sec = milliseconds / 1000;
  pause.tv_nsec = milliseconds % 1000 * 1000000L;
  nanosleep(&pause, NULL);
  return 0;
}
