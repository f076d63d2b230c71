#define _GNU_SOURCE
#include "tools/guest/init/network.h"

#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

void loopback_up(void) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strcpy(request.ifr_name, "lo");
  if (ioctl(fd, SIOCGIFFLAGS, &request) == 0) {
    request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
    ioctl(fd, SIOCSIFFLAGS, &request);
  }
  close(fd);
}
