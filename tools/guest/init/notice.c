#define _GNU_SOURCE
#include "tools/guest/init/notice.h"

#include <fcntl.h>
#include <linux/input.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/guest/init/modules.h"

enum {
  kLater = 1, /* see terminal.c: the start of the command has the better use for the processor */
  kMostDevices = 8
};

static pid_t command;

/* Xen: the kernel calls poweroff, and that of busybox sends init this signal. */
static void on_power_off(int number) {
  (void)number;
  kill(-command, SIGTERM);
}

static int open_power_button(void) {
  for (int number = 0; number < kMostDevices; ++number) {
    char path[32], name[64] = "";
    snprintf(path, sizeof path, "/dev/input/event%d", number);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    if (ioctl(fd, EVIOCGNAME(sizeof name - 1), name) > 0 && strcmp(name, "Power Button") == 0) return fd;
    close(fd);
  }
  return -1;
}

void pass_notice_to(pid_t its) {
  static const char* const drivers[] = {"evdev", "button"};
  command = its;
  signal(SIGUSR2, on_power_off);
  if (fork() != 0) return;
  sleep(kLater);
  load_modules(drivers, sizeof drivers / sizeof *drivers);
  const int button = open_power_button();
  struct input_event event;
  while (button >= 0 && read(button, &event, sizeof event) == (ssize_t)sizeof event)
    if (event.type == EV_KEY && event.code == KEY_POWER && event.value == 1) kill(-command, SIGTERM);
  _exit(0);
}
