/* The notice of a task that is to leave its job: the power button of the machine, or of Xen the request to
   power off. The command gets SIGTERM. */
#pragma once

#include <sys/types.h>

/* `command` leads its process group. Called once, when it has been started. */
void pass_notice_to(pid_t command);
