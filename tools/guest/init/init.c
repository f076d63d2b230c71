/* The first process of the Linux task guest: runs the task's command, passes its output to the console,
   reports on the status channel and switches the machine off (docs/guest-contract.md).

   It reads /aliquot/argv (arguments separated by NUL) and, where the archive has it, /aliquot/program: the
   absolute path that argv[0] meant on the submitting machine. The command writes to a pseudo-terminal in
   raw mode, so that its lines appear when they are written, not when a buffer of 4 KiB is full; its bytes
   are not changed. /aliquot/env, /aliquot/workdir, /aliquot/stdin and /aliquot/stage-out are what the job
   says of its data, each where there is any. Serial port 0 is the console, port 1 the status channel; xen.h
   says what they are under Xen. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tools/guest/init/bytes.h"
#include "tools/guest/init/network.h"
#include "tools/guest/init/notice.h"
#include "tools/guest/init/shares.h"
#include "tools/guest/init/stage_out.h"
#include "tools/guest/init/terminal.h"
#include "tools/guest/init/xen.h"

enum { kMaxArguments = 4096, kMaxCommand = 1 << 20, kCouldNotStart = 127 };

struct command {
  char* argv[kMaxArguments + 1];
  char program[4096]; /* empty: argv[0] is looked up in PATH */
};

static int console = 2;
static int status_channel = -1; /* of a PC */
static int under_xen = 0;

static int open_serial(const char* path) {
  const int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios mode;
  if (fd >= 0 && tcgetattr(fd, &mode) == 0) {
    cfmakeraw(&mode);
    cfsetspeed(&mode, B115200);
    tcsetattr(fd, TCSANOW, &mode);
  }
  return fd;
}

static void set_up_machine(void) {
  mount("dev", "/dev", "devtmpfs", MS_NOSUID, NULL);
  mount("proc", "/proc", "proc", 0, NULL);
  mount("sys", "/sys", "sysfs", 0, NULL);
  under_xen = is_xen_guest();
  console = open_serial(under_xen ? "/dev/hvc0" : "/dev/ttyS0");
  if (!under_xen) status_channel = open_serial("/dev/ttyS1");
  mkdir("/dev/pts", 0755);
  mount("devpts", "/dev/pts", "devpts", MS_NOSUID, "ptmxmode=0666,mode=0620");
  mkdir("/dev/shm", 01777);
  mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
  symlink("/proc/self/fd", "/dev/fd");
  chmod("/tmp", 01777); /* an archive with a program below /tmp brings its own /tmp */
  loopback_up();
}

/* The kernel says on its console that it switches off, and the console is the task's. */
static void silence_kernel(void) {
  const int fd = open("/proc/sys/kernel/printk", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  put(fd, "0", 1);
  close(fd);
}

static void power_off(void) {
  if (console >= 0) tcdrain(console);
  if (status_channel >= 0) tcdrain(status_channel);
  sync();
  /* Straight to the power port: the kernel's own way takes longer and writes on the console, which is the
     task's. A busy QEMU takes its time to act on it: only a machine without that port is still on then. */
  if (!under_xen && ioperm(0x604, 2, 1) == 0) {
    outw(0x2000, 0x604);
    sleep(10);
  }
  silence_kernel();
  reboot(RB_POWER_OFF);
  for (;;) pause();
}

static void tell_status(const char* lines) {
  if (under_xen && xen_write_status(lines) != 0)
    say(console, "aliquot: xenstore does not take the status\n");
  if (status_channel >= 0) put(status_channel, lines, strlen(lines));
}

/* Processes that the kernel ended because memory ran out. */
static int oom_kills = 0;

/* The list of result files. Read before the command runs, which may write where it likes. */
static char* results = NULL;
static size_t results_size = 0;

static void finish(int code) {
  char lines[128];
  int written = 0;
  if (results && results_size > 0) stage_out(results, results_size, console);
  unmount_shares();
  if (oom_kills > 0)
    written = snprintf(lines, sizeof lines, "aliquot-status 1 out_of_memory %d\n", oom_kills);
  snprintf(lines + written, sizeof lines - (size_t)written, "aliquot-status 1 exit %d\n", code);
  tell_status(lines);
  power_off();
}

static unsigned number_in(const char* variable) {
  const char* text = getenv(variable);
  return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

/* A task without the network that it was promised does not start. */
static void join_network(const char* network, int mtu) {
  const char* failed =
      strcmp(network, "dhcp") == 0
          ? site_network_up()
          : job_network_up(network, mtu, number_in("ALIQUOT_TASK"), number_in("ALIQUOT_TASKS"));
  if (!failed) return;
  say(console, "aliquot: the network of the task: %s\n", failed);
  finish(kCouldNotStart);
}

/* Nor does one without the directories of the site. */
static void take_shares(void) {
  char client[64];
  snprintf(client, sizeof client, "%u.%u", number_in("ALIQUOT_JOB"), number_in("ALIQUOT_TASK"));
  const char* failed = mount_shares(client);
  if (!failed) return;
  say(console, "aliquot: the shares of the task: %s\n", failed);
  finish(kCouldNotStart);
}

/* The kernel's command line becomes the task's environment. Returns how many bytes of output may pass. */
static unsigned long long read_kernel_command_line(void) {
  static const struct {
    const char *key, *variable;
  } passed[] = {{"aliquot.job=", "ALIQUOT_JOB"},
                {"aliquot.task=", "ALIQUOT_TASK"},
                {"aliquot.tasks=", "ALIQUOT_TASKS"},
                {"aliquot.units=", "ALIQUOT_UNITS"},
                {"aliquot.first_unit=", "ALIQUOT_FIRST_UNIT"},
                {"aliquot.all_units=", "ALIQUOT_ALL_UNITS"}};
  unsigned long long limit = 16ULL << 20;
  const char* network = NULL;
  int mtu = 1450;
  size_t size = 0;
  char* line = slurp("/proc/cmdline", 4096, &size);
  for (char* word = line ? strtok(line, " \n") : NULL; word; word = strtok(NULL, " \n")) {
    for (size_t i = 0; i < sizeof passed / sizeof *passed; ++i) {
      const size_t length = strlen(passed[i].key);
      if (strncmp(word, passed[i].key, length) == 0) setenv(passed[i].variable, word + length, 1);
    }
    if (strncmp(word, "aliquot.output=", 15) == 0) limit = strtoull(word + 15, NULL, 10);
    if (strncmp(word, "aliquot.network=", 16) == 0) network = word + 16;
    if (strncmp(word, "aliquot.mtu=", 12) == 0) mtu = atoi(word + 12);
  }
  setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
  setenv("HOME", "/root", 1);
  setenv("TERM", "dumb", 1);
  if (network) join_network(network, mtu);
  return limit;
}

/* The job's own environment and working directory. Returns -1 if it cannot be entered. */
static int take_job_data(void) {
  size_t size = 0;
  char* variables = slurp("/aliquot/env", kMaxCommand, &size);
  for (char* at = variables; variables && at < variables + size; at += strlen(at) + 1) putenv(at);
  results = slurp("/aliquot/stage-out", kMaxCommand, &results_size);
  char* folder = slurp("/aliquot/workdir", 4096, &size);
  if (!folder) return 0;
  for (char* at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = 0;
    mkdir(folder, 0755);
    *at = '/';
  }
  mkdir(folder, 0755);
  if (chdir(folder) == 0) return 0;
  say(console, "aliquot: cannot enter the working directory %s: %s\n", folder, strerror(errno));
  return -1;
}

static int read_command(struct command* command) {
  size_t size = 0, count = 0;
  char* content = slurp("/aliquot/argv", kMaxCommand, &size);
  if (!content || size == 0) return -1;
  for (char* at = content; at < content + size && count < kMaxArguments; at += strlen(at) + 1) {
    command->argv[count++] = at;
  }
  command->argv[count] = NULL;
  char* program = slurp("/aliquot/program", sizeof command->program - 1, &size);
  if (program) memcpy(command->program, program, size + 1);
  return 0;
}

/* Says on the console, and with the exit status, that the kernel ended processes because memory ran out;
   its own message is not on the console. */
static void report_lack_of_memory(void) {
  size_t size = 0;
  char* counters = slurp("/proc/vmstat", 65536, &size);
  const char* killed = counters ? strstr(counters, "\noom_kill ") : NULL;
  oom_kills = killed ? atoi(killed + 10) : 0;
  if (oom_kills > 0)
    say(console, "\naliquot: out of memory: the kernel ended %d of the task's processes\n", oom_kills);
}

/* In the child: never returns. The parent has set no signal apart, so all stand at their defaults. */
static void run(const struct command* command, const char* terminal, int report) {
  setsid();
  const int given = open("/aliquot/stdin", O_RDONLY);
  const int input = given >= 0 ? given : open("/dev/null", O_RDONLY);
  const int output = open(terminal, O_RDWR | O_NOCTTY);
  dup2(input, 0);
  dup2(output, 1);
  dup2(output, 2);
  if (input > 2) close(input);
  if (output > 2) close(output);
  if (command->program[0]) {
    execv(command->program, command->argv);
  } else {
    execvp(command->argv[0], command->argv);
  }
  const int error = errno;
  put(report, (const char*)&error, sizeof error);
  _exit(kCouldNotStart);
}

/* Copies what the command and its descendants write until `child` has ended and nothing is left to read
   (poll(2) on a terminal first lets the kernel hand over what is on its way). Returns the wait status. */
static int pass_output(int terminal, pid_t child, unsigned long long limit) {
  char buffer[16384];
  unsigned long long left = limit;
  int wait_status = 0, ended = 0, cut = 0;
  struct pollfd ready[2] = {{terminal, POLLIN, 0}, {pidfd_open(child, 0), POLLIN, 0}};
  for (;;) {
    poll(ready, ended ? 1 : 2, ended ? 0 : 1000);
    while (!ended) { /* orphans come to the first process to be waited for */
      const pid_t pid = waitpid(-1, &wait_status, WNOHANG);
      if (pid <= 0) break;
      ended = pid == child;
      if (ended) kill(-1, SIGKILL); /* what it left in the background must not keep the machine on */
    }
    const ssize_t got = ready[0].revents ? read(terminal, buffer, sizeof buffer) : 0;
    if (got <= 0 && ended) return wait_status;
    if (got <= 0) continue;
    const size_t pass = (unsigned long long)got < left ? (size_t)got : (size_t)left;
    put(console, buffer, pass);
    left -= pass;
    if (pass < (size_t)got && !cut) {
      cut = 1;
      say(console, "\naliquot: output cut after %llu bytes\n", limit);
    }
  }
}

static int open_terminal(char* name, size_t size) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0 ||
      ptsname_r(terminal, name, size) != 0) {
    return -1;
  }
  return terminal;
}

int main(void) {
  static struct command command;
  set_up_machine();
  const unsigned long long limit = read_kernel_command_line();
  tell_status("aliquot-status 1 start\n");
  if (read_command(&command) != 0) {
    say(console, "aliquot: /aliquot/argv is missing or empty: there is no command to run\n");
    finish(kCouldNotStart);
  }
  take_shares();
  if (take_job_data() != 0) finish(kCouldNotStart);
  if (!under_xen) start_terminal(); /* there /dev/hvc0 is the console of the task */

  char name[64];
  const int terminal = open_terminal(name, sizeof name);
  const int held = terminal < 0 ? -1 : open(name, O_RDWR | O_NOCTTY | O_CLOEXEC); /* keeps it alive */
  int report[2];
  struct termios mode;
  if (held < 0 || pipe2(report, O_CLOEXEC) != 0 || tcgetattr(held, &mode) != 0) {
    say(console, "aliquot: no terminal for the command: %s\n", strerror(errno));
    finish(kCouldNotStart);
  }
  cfmakeraw(&mode);
  tcsetattr(held, TCSANOW, &mode);

  const pid_t child = fork();
  if (child == 0) run(&command, name, report[1]);
  close(report[1]);
  int error = 0;
  if (child < 0) error = errno;
  if (child < 0 || read(report[0], &error, sizeof error) == (ssize_t)sizeof error) {
    say(console, "aliquot: cannot start %s: %s\n", command.argv[0], strerror(error));
    finish(kCouldNotStart);
  }
  pass_notice_to(child);
  const int ended = pass_output(terminal, child, limit);
  report_lack_of_memory();
  finish(WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended));
}
