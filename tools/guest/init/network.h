/* The one piece of networking a task guest has: its own loopback interface. */
#ifndef ALIQUOT_GUEST_NETWORK_H
#define ALIQUOT_GUEST_NETWORK_H

/* Programs that talk to themselves over 127.0.0.1 find it there; a failure leaves it down. */
void loopback_up(void);

#endif
