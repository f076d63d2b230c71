/* Hands out the result files of a job when its command has ended (docs/guest-contract.md): one newc archive
   and a line with its SHA-256, on a virtio port. */
#ifndef ALIQUOT_GUEST_STAGE_OUT_H
#define ALIQUOT_GUEST_STAGE_OUT_H

#include <stddef.h>

/* `list`: the largest size of the archive in decimal, then the paths, each ended by a NUL. What is not
   there and what does not fit is said on the console. */
void stage_out(const char* list, size_t size, int console);

#endif
