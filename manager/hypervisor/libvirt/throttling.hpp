// Reads how long the cap of a VM held back its vCPU threads (throttled time), from the kernel's control
// groups, versions 1 and 2. Works only for VMs on the manager's own machine; libvirt does not report this
// time.
//
// Tested with version 1; the format of version 2 is that of the kernel document (cgroup-v2, cpu.stat).
// Kernels from 6.18 on count only part of the time.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

// The control group of a thread, from its /proc/PID/task/TID/cgroup: the path below the mount point of the
// cpu controller, and the name of that mount point in version 1 ("cpu,cpuacct"; empty: version 2).
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
  // Since the VM's QEMU was started, summed over its vCPUs; no value if its control groups cannot be read.
  [[nodiscard]] std::optional<Duration> read(const Uuid& vm);

 private:
  std::mutex mutex_;
  std::map<Uuid, std::string> processes_;  // where each VM was found last: "/proc/123"
};

}  // namespace aliquot
