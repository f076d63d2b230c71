/* The work of the Xen contract test's guests: the hash chain of docs/guest-contract.md as a Linux program,
   because the hash-chain guest proper does not run in PV guests. Usage: chain TOTAL UNIT [unrolled] (TOTAL
   0: for ever). The same hashes either way. An emulated processor goes through its memory at each short
   block of code, whose speed depends on what other machines do on the same core; the long blocks of the
   unrolled loop compute in registers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t plain(uint32_t h, uint32_t n, uint32_t unit) {
  for (uint32_t i = 0; i < unit; ++i) h = (h ^ (i + n)) * 16777619u;
  return h;
}

static uint32_t unrolled(uint32_t h, uint32_t n, uint32_t unit) {
#pragma GCC unroll 64
  for (uint32_t i = 0; i < unit; ++i) h = (h ^ (i + n)) * 16777619u;
  return h;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const uint32_t total = (uint32_t)strtoul(words[1], NULL, 10);
  const uint32_t unit = (uint32_t)strtoul(words[2], NULL, 10);
  uint32_t (*const link)(uint32_t, uint32_t, uint32_t) = count > 3 ? unrolled : plain;
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("MICRO start total=%u\n", total);
  uint32_t h = 2166136261u;
  for (uint32_t n = 0; total == 0 || n < total;) {
    h = link(h, n, unit);
    ++n;
    printf("MICRO n=%u h=%08x\n", n, h);
  }
  printf("MICRO done\n");
  return 0;
}
