/* SHA-256 (FIPS 180-4) of bytes that come in pieces. */
#ifndef ALIQUOT_GUEST_SHA256_H
#define ALIQUOT_GUEST_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
  uint32_t state[8];
  uint64_t size;
  unsigned char block[64];
};

void sha256_start(struct sha256* hash);
void sha256_add(struct sha256* hash, const void* bytes, size_t size);
/* 64 hexadecimal digits and a NUL. */
void sha256_finish(struct sha256* hash, char text[65]);

#endif
