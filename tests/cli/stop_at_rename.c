/* Preloaded: kills the process before call number STOP_AT (from 1) of those that name a file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef int rename_fn(const char*, const char*);
typedef int renameat2_fn(int, const char*, int, const char*, unsigned int);
typedef int linkat_fn(int, const char*, int, const char*, int);

static void count(void) {
  static int calls = 0;
  const char* at = getenv("STOP_AT");
  if (at && ++calls == atoi(at)) raise(SIGKILL);
}

/* ISO C converts no object pointer to a function pointer. */
static void find_next(void* function, const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  memcpy(function, &found, sizeof found);
}

int rename(const char* from, const char* to) {
  rename_fn* next;
  count();
  find_next(&next, "rename");
  return next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned int flags) {
  renameat2_fn* next;
  count();
  find_next(&next, "renameat2");
  return next(from_folder, from, to_folder, to, flags);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  linkat_fn* next;
  count();
  find_next(&next, "linkat");
  return next(from_folder, from, to_folder, to, flags);
}
