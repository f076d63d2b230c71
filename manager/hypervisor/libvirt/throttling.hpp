// How long the vCPU threads of a VM were held back by their cap, from the kernel's control groups: for VMs
// on the manager's own machine, where they can be seen. libvirt does not tell. Version 1 and 2.
//
// Seen on version 1; the form of version 2 is the kernel document's (cgroup-v2, cpu.stat). Kernels
// from 6.18 on count less than the whole time a thread was held back.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

// The directory below the mount point of the cpu controller that this thread stands in, from its
// /proc/PID/task/TID/cgroup, with the name version 1 mounts it under ("cpu,cpuacct"; empty: version 2).
struct CpuGroup {
  std::string controllers;
  std::string path;
  friend bool operator==(const CpuGroup&, const CpuGroup&) = default;
};
[[nodiscard]] std::optional<CpuGroup> cpu_group(std::string_view proc_cgroup);

// From a group's cpu.stat.
[[nodiscard]] std::optional<Duration> throttled_time(std::string_view cpu_stat);

class ThrottleReader {
 public:
  // Since the VM's QEMU was started, over all its vCPUs; none if it cannot be seen from here.
  [[nodiscard]] std::optional<Duration> read(const Uuid& vm);

 private:
  std::mutex mutex_;
  std::map<Uuid, std::string> processes_;  // where it was found last: "/proc/123"
};

}  // namespace aliquot
