#include <tonnx.h>
#include <stdio.h>
int main(void) {
  puts(tonnx_version());
  return 0;
}
