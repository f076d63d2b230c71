#define _GNU_SOURCE
#include "tools/guest/init/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/guest/init/modules.h"
#include "tools/guest/init/task_list.h"

static int bring_up(int fd, const char* name) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  if (ioctl(fd, SIOCGIFFLAGS, &request) != 0) return -1;
  request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
  return ioctl(fd, SIOCSIFFLAGS, &request);
}

int interface_up(const char* name) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int done = bring_up(fd, name);
  close(fd);
  return done;
}

void loopback_up(void) { interface_up("lo"); }

void load_network_driver(void) {
  static const char* const drivers[] = {"failover", "net_failover", "virtio_net"};
  load_virtio();
  load_modules(drivers, sizeof drivers / sizeof *drivers);
}

static int set_address(int fd, unsigned long request_code, struct ifreq* request, unsigned address) {
  struct sockaddr_in value;
  memset(&value, 0, sizeof value);
  value.sin_family = AF_INET;
  value.sin_addr.s_addr = htonl(address);
  memcpy(&request->ifr_addr, &value, sizeof value);
  return ioctl(fd, request_code, request);
}

/* A machine without the list, which an older manager has made, has `tasks` tasks for ever. */
static int write_hosts(unsigned network, unsigned task, unsigned tasks) {
  char ranges[kTaskListBytes];
  const int disk = open_task_list();
  const int listed = disk >= 0 && read_task_list(disk, task, ranges) == 0;
  if (!listed) snprintf(ranges, sizeof ranges, "0-%u", tasks > task ? tasks - 1 : task);
  if (name_tasks(ranges, network) != 0) return -1;
  if (disk >= 0) follow_task_list(disk, task, ranges, network);
  return 0;
}

const char* job_network_up(const char* network, int mtu, unsigned task, unsigned tasks) {
  char first[32];
  unsigned prefix = 0;
  struct in_addr base;
  if (sscanf(network, "%31[0-9.]/%u", first, &prefix) != 2 || prefix > 30 || !inet_aton(first, &base))
    return "the kernel's command line has no network";
  load_network_driver();
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return "no socket";
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strcpy(request.ifr_name, "eth0");
  request.ifr_mtu = mtu;
  const unsigned number = ntohl(base.s_addr);
  const char* failed = NULL;
  if (ioctl(fd, SIOCSIFMTU, &request) != 0)
    failed = "no interface eth0: has this kernel a driver for virtio?";
  else if (set_address(fd, SIOCSIFADDR, &request, number + 1 + task) != 0 ||
           set_address(fd, SIOCSIFNETMASK, &request, ~0U << (32 - prefix)) != 0 ||
           bring_up(fd, "eth0") != 0)
    failed = "eth0 takes no address";
  else if (write_hosts(number, task, tasks) != 0)
    failed = "/etc/hosts cannot be written";
  char host[32];
  const int length = snprintf(host, sizeof host, "task%u", task);
  if (!failed && sethostname(host, (size_t)length) != 0) failed = "the name of this host cannot be set";
  close(fd);
  return failed;
}

const char* site_network_up(void) {
  load_network_driver();
  const pid_t client = fork();
  if (client == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) dup2(nowhere, fd);
    execl("/bin/busybox", "udhcpc", "-i", "eth0", "-n", "-t", "15", "-T", "2", (char*)NULL);
    _exit(127);
  }
  int status = 0;
  if (client < 0 || waitpid(client, &status, 0) != client || status != 0)
    return "eth0 got no address: does DHCP answer on the bridge of the site?";
  return NULL;
}
