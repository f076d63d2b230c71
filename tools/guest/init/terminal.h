/* A terminal on the running task, for `aliquot attach`: the console of virtio, /dev/hvc0. */
#ifndef ALIQUOT_TERMINAL_H
#define ALIQUOT_TERMINAL_H

/* Starts what serves it, in the environment and directory of the caller. It ends with all other processes
   when the command has ended. */
void start_terminal(void);

#endif
