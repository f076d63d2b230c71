#include "manager/hypervisor/agent/stop_signals.hpp"

#include <sys/signalfd.h>

#include <csignal>
#include <initializer_list>

namespace aliquot::agent {

int stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace aliquot::agent
