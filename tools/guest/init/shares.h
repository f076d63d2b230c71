/* The directories of the site that the job has: mounted before the command starts. */
#ifndef ALIQUOT_GUEST_SHARES_H
#define ALIQUOT_GUEST_SHARES_H

/* Mounts what /aliquot/shares lists, if there is such a file: port, "ro" or "rw", source and path of each
   mount, each ended by a NUL. `client`: how the servers are to know this guest. Returns what failed, or
   NULL. */
const char* mount_shares(const char* client);

/* Unmounts them, when no process is left but the first: all that was written is at the servers then, and
   they keep no lock of this guest. Waits for a server that does not answer. */
void unmount_shares(void);

#endif
