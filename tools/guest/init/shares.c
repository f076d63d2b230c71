#define _GNU_SOURCE
#include "tools/guest/init/shares.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/guest/init/bytes.h"
#include "tools/guest/init/modules.h"
#include "tools/guest/init/network.h"

enum { kMostShares = 16, kLongestList = 1 << 16, kAttempts = 50, kTenthOfSecond = 100000 };

static char failure[1024];
static const char* mounted[kMostShares]; /* paths, in this order */
static int mounts = 0;

/* The name of the interface whose hardware address says that it leads to the shares. */
static int find_interface(char* name, size_t size) {
  char path[320];
  int found = -1;
  DIR* all = opendir("/sys/class/net");
  for (struct dirent* each = all ? readdir(all) : NULL; each && found != 0; each = readdir(all)) {
    size_t length = 0;
    snprintf(path, sizeof path, "/sys/class/net/%s/address", each->d_name);
    char* address = each->d_name[0] == '.' ? NULL : slurp(path, 64, &length);
    if (address && strncmp(address, "0a:", 3) == 0) {
      snprintf(name, size, "%.15s", each->d_name);
      found = 0;
    }
    free(address);
  }
  if (all) closedir(all);
  return found;
}

/* There is one host at the other end, whose address is another: none is waited for. */
static void do_not_detect_duplicates(const char* interface) {
  char path[128];
  snprintf(path, sizeof path, "/proc/sys/net/ipv6/conf/%s/accept_dad", interface);
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  put(fd, "0", 1);
  close(fd);
}

/* Servers tell their clients apart by this id; the names of guests are the same in all jobs. */
static void load_nfs(const char* client) {
  static const char* const before[] = {"sunrpc", "grace", "lockd", "netfs", "fscache", "dns_resolver"};
  static const char* const after[] = {"nfsv4"};
  size_t size = 0;
  char parameter[160];
  char* random = slurp("/proc/sys/kernel/random/uuid", 64, &size);
  if (random) random[strcspn(random, "\n")] = 0;
  snprintf(parameter, sizeof parameter, "nfs4_unique_id=aliquot-%.64s-%.40s", client, random ? random : "");
  free(random);
  load_modules(before, sizeof before / sizeof *before);
  load_module("nfs", parameter);
  load_modules(after, sizeof after / sizeof *after);
}

static void make_path(const char* path) {
  char part[1024];
  snprintf(part, sizeof part, "%s", path);
  for (char* at = strchr(part + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = 0;
    mkdir(part, 0755);
    *at = '/';
  }
  mkdir(part, 0755);
}

/* The address of the interface appears a moment after it is up. */
static int mount_share(const char* interface, const char* port, const char* mode, const char* source,
                       const char* path) {
  char options[512];
  const unsigned long flags = MS_NOSUID | MS_NODEV | (strcmp(mode, "ro") == 0 ? MS_RDONLY : 0);
  snprintf(options, sizeof options,
           "vers=4.1,proto=tcp6,addr=fe80::1%%%s,clientaddr=::,port=%s,sec=sys,hard,rsize=1048576,"
           "wsize=1048576",
           interface, port);
  make_path(path);
  for (int attempt = 0;; ++attempt) {
    if (mount(source, path, "nfs4", flags, options) == 0) return 0;
    if ((errno != EADDRNOTAVAIL && errno != ENETUNREACH && errno != EHOSTUNREACH) || attempt == kAttempts)
      return -1;
    usleep(kTenthOfSecond);
  }
}

const char* mount_shares(const char* client) {
  size_t size = 0;
  char interface[16];
  char* list = slurp("/aliquot/shares", kLongestList, &size);
  if (!list) return NULL;
  load_network_driver();
  if (find_interface(interface, sizeof interface) != 0)
    return "there is no interface that leads to them: has this kernel a driver for virtio?";
  do_not_detect_duplicates(interface);
  if (interface_up(interface) != 0) return "their interface cannot be used";
  load_nfs(client);
  const char* failed = NULL;
  for (char* at = list; !failed && at < list + size;) {
    const char* words[4];
    for (int i = 0; i < 4; ++i) {
      words[i] = at < list + size ? at : "";
      at += strlen(words[i]) + 1;
    }
    if (mounts == kMostShares) return "there are too many";
    if (mount_share(interface, words[0], words[1], words[2], words[3]) == 0) {
      mounted[mounts++] = words[3];
      continue;
    }
    snprintf(failure, sizeof failure, "%.400s is not mounted at %.400s: %s", words[2], words[3],
             strerror(errno));
    failed = failure;
  }
  return failed;
}

void unmount_shares(void) {
  if (mounts > 0 && chdir("/") != 0) return;
  while (mounts > 0) umount2(mounted[--mounts], 0);
}
