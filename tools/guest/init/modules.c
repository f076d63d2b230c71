#define _GNU_SOURCE
#include "tools/guest/init/modules.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

void load_module(const char* name, const char* parameter) {
  char path[64];
  snprintf(path, sizeof path, "/lib/modules/%s.ko", name);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  syscall(SYS_finit_module, fd, parameter, 0);
  close(fd);
}

void load_modules(const char* const* names, size_t count) {
  for (size_t i = 0; i < count; ++i) load_module(names[i], "");
}

void load_virtio(void) {
  static const char* const modules[] = {"virtio_ring", "virtio", "virtio_pci_modern_dev",
                                        "virtio_pci_legacy_dev", "virtio_pci"};
  load_modules(modules, sizeof modules / sizeof *modules);
}
