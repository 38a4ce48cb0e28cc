/* Preloaded: the process is killed before the call, counted from 1 by STOP_AT, that gives a file its name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>

static void count(void) {
  static int calls = 0;
  const char* at = getenv("STOP_AT");
  if (at && ++calls == atoi(at)) raise(SIGKILL);
}

int rename(const char* from, const char* to) {
  count();
  return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned int flags) {
  count();
  return ((int (*)(int, const char*, int, const char*, unsigned int))dlsym(RTLD_NEXT, "renameat2"))(
      from_folder, from, to_folder, to, flags);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  count();
  return ((int (*)(int, const char*, int, const char*, int))dlsym(RTLD_NEXT, "linkat"))(from_folder, from, to_folder,
                                                                                        to, flags);
}
