/* What the hash chain needs of the machine that it runs on: a PC (pc.c) or a Xen PVH domain (xen.c). */
#pragma once

struct platform {
  void (*put_console)(const char* text);
  /* One line of the status channel, with its newline. */
  void (*put_status)(const char* line);
  /* Called many times a second: takes part in a save of the VM if the hypervisor asks for one. Not 0: the
     guest is to leave. */
  int (*attend)(void);
  void (*power_off)(void);
};

/* Runs the chain that this command line asks for, then powers off. */
void run_chain(const struct platform* machine, const char* command_line);
