/* The interfaces of a task guest: its own loopback, and that of the job's network, or of the site's
   (docs/network.md). */
#ifndef ALIQUOT_GUEST_NETWORK_H
#define ALIQUOT_GUEST_NETWORK_H

/* Programs that talk to themselves over 127.0.0.1 find it there; a failure leaves it down. */
void loopback_up(void);

/* The driver of all interfaces but the loopback. */
void load_network_driver(void);

/* Returns -1 if there is no such interface. */
int interface_up(const char* name);

/* Brings up the interface to the other tasks. `network` is as the kernel's command line has it, for example
   "10.211.0.0/16", in which this machine has the address number `task` + 1; /etc/hosts gets a name, task0
   and so on, for each task of the job, and follows it when it grows and shrinks (task_list.h). Returns
   NULL, or what could not be done. */
const char* job_network_up(const char* network, int mtu, unsigned task, unsigned tasks);

/* Brings up the interface to the site's network, with an address from its DHCP; the client goes on in the
   background and renews it. Returns NULL, or what could not be done. */
const char* site_network_up(void);

#endif
