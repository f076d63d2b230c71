/* Calls of the hypervisor that a Xen PVH domain runs on. */
#pragma once

#include <stdint.h>

#include "xen_interface.h"

/* Before any of the others; again after a suspension. */
void xen_find(void);
uint32_t xen_parameter(enum hvm_parameter which);
/* Tells the other end of an event channel to look at its ring. */
void xen_notify(uint32_t port);
/* Gives way to other domains; to be called while the other end of a ring is waited for. */
void xen_yield(void);
/* Returns if `reason` is a suspension: when the domain goes on, here or elsewhere. */
void xen_shut_down(enum shutdown_reason reason);
