#define _GNU_SOURCE
#include "tools/guest/init/xen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A message to xenstored, and the head of its answer (Xen's public/io/xs_wire.h). */
struct message {
  uint32_t type, request, transaction, length;
};
enum { kXsWrite = 11, kXsError = 16, kLongestValue = 256 };

/* Relative to the domain's own directory, whose `data` it may write. */
static const char kStatusKey[] = "data/aliquot-status";

int is_xen_guest(void) {
  char type[8] = "";
  const int fd = open("/sys/hypervisor/type", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, type, sizeof type - 1);
  close(fd);
  return got >= 3 && strncmp(type, "xen", 3) == 0;
}

static int read_all(int fd, void* into, size_t size) {
  for (char* at = into; size > 0;) {
    const ssize_t got = read(fd, at, size);
    if (got == 0 || (got < 0 && errno != EINTR)) return -1;
    if (got > 0) at += got, size -= (size_t)got;
  }
  return 0;
}

int xen_write_status(const char* value) {
  char bytes[sizeof(struct message) + sizeof kStatusKey + kLongestValue];
  const size_t length = strlen(value);
  if (length > kLongestValue) return -1;
  struct message head = {kXsWrite, 1, 0, (uint32_t)(sizeof kStatusKey + length)};
  memcpy(bytes, &head, sizeof head);
  memcpy(bytes + sizeof head, kStatusKey, sizeof kStatusKey); /* with its NUL, which ends the path */
  memcpy(bytes + sizeof head + sizeof kStatusKey, value, length);

  const int fd = open("/dev/xen/xenbus", O_RDWR | O_CLOEXEC);
  if (fd < 0) return -1;
  const size_t size = sizeof head + head.length;
  int result = write(fd, bytes, size) == (ssize_t)size ? 0 : -1;
  if (result == 0) result = read_all(fd, &head, sizeof head);
  if (result == 0 && head.length <= sizeof bytes) result = read_all(fd, bytes, head.length);
  if (result == 0 && head.type == kXsError) result = -1;
  close(fd);
  return result;
}
