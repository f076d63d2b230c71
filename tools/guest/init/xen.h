/* What a task guest does differently under Xen: a paravirtualised guest has no serial ports. Its console is
   /dev/hvc0, and its status channel a key in xenstore (docs/guest-contract.md). */
#ifndef ALIQUOT_GUEST_XEN_H
#define ALIQUOT_GUEST_XEN_H

/* Whether this machine runs under Xen. /sys must be mounted. */
int is_xen_guest(void);

/* Replaces the value of the status key. Returns 0, or -1 if xenstore cannot be written. */
int xen_write_status(const char* value);

#endif
