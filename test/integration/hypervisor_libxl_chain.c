/* The work of the Xen contract test's guests: the hash chain of docs/guest-contract.md as a Linux program,
   because the hash-chain guest proper does not run in PV guests. Usage: chain TOTAL UNIT (0: for ever). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  if (count != 3) return 2;
  const uint32_t total = (uint32_t)strtoul(words[1], NULL, 10);
  const uint32_t unit = (uint32_t)strtoul(words[2], NULL, 10);
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("MICRO start total=%u\n", total);
  uint32_t h = 2166136261u;
  for (uint32_t n = 0; total == 0 || n < total;) {
    for (uint32_t i = 0; i < unit; ++i) h = (h ^ (i + n)) * 16777619u;
    ++n;
    printf("MICRO n=%u h=%08x\n", n, h);
  }
  printf("MICRO done\n");
  return 0;
}
