#define _GNU_SOURCE
#include "tools/guest/init/stage_out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/guest/init/bytes.h"
#include "tools/guest/init/modules.h"
#include "tools/guest/init/sha256.h"

static const char kPortName[] = "org.aliquot.results";
enum { kPiece = 1 << 15 }; /* what the driver passes on at once */

/* What becomes of the archive's bytes: first they are only counted, then they are sent. */
struct sink {
  int sends;
  int console;
  uint64_t size;
  struct sha256 hash;
  int port;
  size_t waiting; /* of the bytes in `piece` */
  char piece[kPiece];
};

/* The device of the port with our name, or -1. */
static int look_for_port(void) {
  DIR* ports = opendir("/sys/class/virtio-ports");
  int found = -1;
  for (struct dirent* each = ports ? readdir(ports) : NULL; each && found < 0; each = readdir(ports)) {
    char path[300];
    size_t size = 0;
    snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", each->d_name);
    char* name = each->d_name[0] == '.' ? NULL : slurp(path, 64, &size);
    snprintf(path, sizeof path, "/dev/%s", each->d_name);
    if (name && strncmp(name, kPortName, strlen(kPortName)) == 0) found = open(path, O_WRONLY | O_CLOEXEC);
    free(name);
  }
  if (ports) closedir(ports);
  return found;
}

/* A kernel that has the driver built in needs no file. The driver learns of its ports by and by. */
static int open_port(void) {
  static const char* const driver[] = {"virtio_console"};
  load_virtio();
  load_modules(driver, 1);
  int port = look_for_port();
  for (int waits = 0; port < 0 && waits < 300; ++waits) {
    usleep(100000);
    port = look_for_port();
  }
  return port;
}

static void flush(struct sink* to) {
  put(to->port, to->piece, to->waiting);
  to->waiting = 0;
}

static void send(struct sink* to, const char* bytes, size_t size) {
  while (size > 0) {
    const size_t room = kPiece - to->waiting, part = size < room ? size : room;
    memcpy(to->piece + to->waiting, bytes, part);
    to->waiting += part;
    bytes += part;
    size -= part;
    if (to->waiting == kPiece) flush(to);
  }
}

static void emit(struct sink* to, const void* bytes, size_t size) {
  to->size += size;
  if (!to->sends) return;
  sha256_add(&to->hash, bytes, size);
  send(to, bytes, size);
}

static void pad(struct sink* to) { emit(to, "\0\0\0", (4 - to->size % 4) % 4); }

static void emit_head(struct sink* to, const char* name, uint32_t mode, uint64_t size) {
  char head[111];
  snprintf(head, sizeof head, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", 0U, mode, 0U,
           0U, 1U, 0U, (uint32_t)size, 0U, 0U, 0U, 0U, (uint32_t)strlen(name) + 1, 0U);
  emit(to, head, 110);
  emit(to, name, strlen(name) + 1);
  pad(to);
}

static void emit_file(struct sink* to, const char* path, const char* name, const struct stat* found) {
  static char piece[1 << 16];
  uint64_t left = (uint64_t)found->st_size;
  const int fd = to->sends ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  emit_head(to, name, S_IFREG | (found->st_mode & 0777), left);
  if (!to->sends) to->size += left, left = 0;
  while (left > 0) {
    const size_t wanted = left < sizeof piece ? (size_t)left : sizeof piece;
    const ssize_t got = fd < 0 ? -1 : read(fd, piece, wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) memset(piece, 0, wanted);
    const size_t size = got > 0 ? (size_t)got : wanted;
    emit(to, piece, size);
    left -= size;
  }
  pad(to);
  if (fd >= 0) close(fd);
}

static void emit_link(struct sink* to, const char* path, const char* name) {
  char target[PATH_MAX];
  const ssize_t size = readlink(path, target, sizeof target);
  if (size <= 0) return;
  emit_head(to, name, S_IFLNK | 0777, (uint64_t)size);
  emit(to, target, (size_t)size);
  pad(to);
}

static void emit_path(struct sink* to, const char* path, const char* name, const struct stat* found);

static void emit_directory(struct sink* to, const char* path, const char* name, const struct stat* found) {
  if (*name) {
    emit_head(to, name, S_IFDIR | (found->st_mode & 0777), 0);
  }
  DIR* directory = opendir(path);
  for (struct dirent* entry = directory ? readdir(directory) : NULL; entry; entry = readdir(directory)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char* below = NULL;
    char* shown = NULL;
    struct stat inner;
    if (asprintf(&below, "%s/%s", path, entry->d_name) < 0 ||
        asprintf(&shown, "%s%s%s", name, *name ? "/" : "", entry->d_name) < 0) {
      break;
    }
    if (lstat(below, &inner) == 0) emit_path(to, below, shown, &inner);
    free(below);
    free(shown);
  }
  if (directory) closedir(directory);
}

static void emit_path(struct sink* to, const char* path, const char* name, const struct stat* found) {
  if (S_ISREG(found->st_mode)) {
    emit_file(to, path, name, found);
  } else if (S_ISDIR(found->st_mode)) {
    emit_directory(to, path, name, found);
  } else if (S_ISLNK(found->st_mode)) {
    emit_link(to, path, name);
  } else if (!to->sends) {
    say(to->console, "aliquot: --stage-out %s: neither a file nor a directory, left out\n", name);
  }
}

/* Its name in the archive: without a leading slash, without empty and "." parts. */
static void name_in_archive(const char* path, char name[PATH_MAX]) {
  size_t size = 0;
  while (*path) {
    const size_t part = strcspn(path, "/");
    const int counts = part > 0 && !(part == 1 && *path == '.');
    if (counts && size + part + 2 < PATH_MAX) {
      if (size > 0) name[size++] = '/';
      memcpy(name + size, path, part);
      size += part;
    }
    path += part;
    if (*path == '/') ++path;
  }
  name[size] = 0;
}

static void emit_all(struct sink* to, const char* paths, const char* end) {
  to->size = 0;
  for (const char* path = paths; path < end; path += strlen(path) + 1) {
    char name[PATH_MAX];
    struct stat found;
    name_in_archive(path, name);
    if (stat(path, &found) == 0) {
      emit_path(to, path, name, &found);
    } else if (!to->sends) {
      say(to->console, "aliquot: --stage-out %s: %s\n", path, strerror(errno));
    }
  }
  emit_head(to, "TRAILER!!!", 0, 0);
}

void stage_out(const char* list, size_t size, int console) {
  const unsigned long long limit = strtoull(list, NULL, 10);
  const char* paths = list + strlen(list) + 1;
  static struct sink to; /* too large for a stack */
  char line[128];
  to.console = console;
  to.port = open_port();
  if (to.port < 0) {
    say(console, "aliquot: the result files cannot be handed out: this machine has no port for them\n");
    return;
  }
  emit_all(&to, paths, list + size);
  if (to.size > limit) {
    say(console, "aliquot: the result files take %llu bytes, more than the %llu that may be handed out\n",
        (unsigned long long)to.size, limit);
    snprintf(line, sizeof line, "aliquot-stage-out 1 too_large %llu\n", (unsigned long long)to.size);
    send(&to, line, strlen(line));
    flush(&to);
    return;
  }
  char text[65];
  to.sends = 1;
  sha256_start(&to.hash);
  emit_all(&to, paths, list + size);
  sha256_finish(&to.hash, text);
  snprintf(line, sizeof line, "aliquot-stage-out 1 sha256 %s\n", text);
  send(&to, line, strlen(line));
  flush(&to);
}
