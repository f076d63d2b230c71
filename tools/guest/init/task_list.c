#define _GNU_SOURCE
#include "tools/guest/init/task_list.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/guest/init/modules.h"

enum { kLookEvery = 2 /* seconds */ };

static const char kHead[] = "aliquot-tasks 1 ";

static int has_serial(const char* device) {
  char path[64], serial[32] = "";
  snprintf(path, sizeof path, "/sys/block/%s/serial", device);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, serial, sizeof serial - 1);
  close(fd);
  return got > 0 && strncmp(serial, "aliquot-tasks", 13) == 0;
}

/* Past the cache of this kernel, which does not know that the disk changes. */
int open_task_list(void) {
  static const char* const drivers[] = {"virtio_blk"};
  load_modules(drivers, sizeof drivers / sizeof *drivers);
  for (char letter = 'a'; letter <= 'd'; ++letter) {
    const char device[] = {'v', 'd', letter, 0};
    char path[16];
    if (!has_serial(device)) continue;
    snprintf(path, sizeof path, "/dev/%s", device);
    return open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
  }
  return -1;
}

/* Takes one range off the text. Returns 0 at its end, -1 if it is none. */
static int next_range(const char** at, unsigned* first, unsigned* last) {
  char* end;
  if (!**at) return 0;
  if (!isdigit((unsigned char)**at)) return -1;
  *first = *last = (unsigned)strtoul(*at, &end, 10);
  if (*end == '-') {
    if (!isdigit((unsigned char)end[1])) return -1;
    *last = (unsigned)strtoul(end + 1, &end, 10);
  }
  if (*end != ',' && *end != 0) return -1;
  *at = *end ? end + 1 : end;
  return *first <= *last ? 1 : -1;
}

static int names(const char* ranges, unsigned own) {
  unsigned first, last;
  int found = 0, got;
  while ((got = next_range(&ranges, &first, &last)) > 0) found |= first <= own && own <= last;
  return got == 0 && found;
}

int read_task_list(int disk, unsigned own, char ranges[kTaskListBytes]) {
  static _Alignas(kTaskListBytes) char block[kTaskListBytes];
  const size_t head = sizeof kHead - 1;
  if (pread(disk, block, sizeof block, 0) != (ssize_t)sizeof block) return -1;
  const char* end = memchr(block, '\n', sizeof block);
  if (!end || strncmp(block, kHead, head) != 0) return -1;
  const size_t length = (size_t)(end - block) - head;
  memcpy(ranges, block + head, length);
  ranges[length] = 0;
  return names(ranges, own) ? 0 : -1;
}

static int is_task_name(const char* line) {
  const char* name = strstr(line, " task");
  if (!name || !isdigit((unsigned char)name[5])) return 0;
  return name[5 + strspn(name + 5, "0123456789")] == '\n';
}

int name_tasks(const char* ranges, unsigned network) {
  FILE* before = fopen("/etc/hosts", "re");
  FILE* hosts = fopen("/etc/hosts.new", "we");
  char line[1024];
  unsigned first, last;
  if (!hosts) {
    if (before) fclose(before);
    return -1;
  }
  while (before && fgets(line, sizeof line, before))
    if (!is_task_name(line)) fputs(line, hosts);
  if (before) fclose(before);
  while (next_range(&ranges, &first, &last) > 0) {
    for (unsigned task = first; task <= last; ++task) {
      const struct in_addr address = {htonl(network + 1 + task)};
      fprintf(hosts, "%s task%u\n", inet_ntoa(address), task);
    }
  }
  const int failed = ferror(hosts);
  if (fclose(hosts) != 0 || failed) return -1;
  return rename("/etc/hosts.new", "/etc/hosts");
}

void follow_task_list(int disk, unsigned own, const char* ranges, unsigned network) {
  char known[kTaskListBytes], now[kTaskListBytes];
  if (fork() != 0) return;
  strcpy(known, ranges);
  for (;;) {
    sleep(kLookEvery);
    if (read_task_list(disk, own, now) != 0 || strcmp(now, known) == 0) continue;
    if (name_tasks(now, network) == 0) strcpy(known, now);
  }
}
