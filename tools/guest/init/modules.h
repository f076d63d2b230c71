/* Kernel modules of the guest. A kernel that has a driver built in needs none of these files. */
#ifndef ALIQUOT_GUEST_MODULES_H
#define ALIQUOT_GUEST_MODULES_H

#include <stddef.h>

/* In this order; what is not there, or loaded already, is passed over. */
void load_modules(const char* const* names, size_t count);

/* One with a parameter, "NAME=VALUE". */
void load_module(const char* name, const char* parameter);

/* What all virtio devices of a PC need. */
void load_virtio(void);

#endif
