#define _GNU_SOURCE
#include "tools/guest/init/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void put(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) bytes += written, size -= (size_t)written;
  }
}

void say(int fd, const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  put(fd, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
}

char* slurp(const char* path, size_t limit, size_t* size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NULL;
  char* content = malloc(limit + 1);
  *size = 0;
  for (ssize_t got = 1; content && got > 0 && *size < limit;) {
    got = read(fd, content + *size, limit - *size);
    if (got > 0) *size += (size_t)got;
  }
  close(fd);
  if (content) content[*size] = 0;
  return content;
}
