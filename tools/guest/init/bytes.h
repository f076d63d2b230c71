/* Small files read whole, and bytes and lines written to a descriptor. */
#ifndef ALIQUOT_GUEST_BYTES_H
#define ALIQUOT_GUEST_BYTES_H

#include <stddef.h>

void put(int fd, const char* bytes, size_t size);
__attribute__((format(printf, 2, 3))) void say(int fd, const char* format, ...);

/* Whole content of a small file with a final NUL, or NULL. */
char* slurp(const char* path, size_t limit, size_t* size);

#endif
