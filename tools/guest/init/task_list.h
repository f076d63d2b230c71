/* The list of the tasks of the job: a read-only disk with a block of text, which the manager changes when
   tasks join the job or have left it (manager/hypervisor/task_list.hpp). */
#ifndef ALIQUOT_GUEST_TASK_LIST_H
#define ALIQUOT_GUEST_TASK_LIST_H

enum { kTaskListBytes = 4096 };

/* The disk; -1: this machine has none. */
int open_task_list(void);

/* Reads the ranges of the list, such as "0-1,4", into `ranges`. Returns -1 if it is not a list that names
   the task `own`. */
int read_task_list(int disk, unsigned own, char ranges[kTaskListBytes]);

/* Gives each task of the ranges its name, task0 and so on, in /etc/hosts: task T has the address number
   T + 1 of the network that begins at `network`. Names that the list does not have any more go, other lines
   stay. Returns -1 if the file cannot be written. */
int name_tasks(const char* ranges, unsigned network);

/* Goes on in a process of its own: names the tasks anew whenever the list has changed. */
void follow_task_list(int disk, unsigned own, const char* ranges, unsigned network);

#endif
