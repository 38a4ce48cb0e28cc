#include <stdio.h>
#include <tonnx.h>
int main(void) {
  puts(tonnx_version());
  return 0;
}
