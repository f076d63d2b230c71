// Reads what the kernel of this machine counts of the vCPU threads of a VM, and their cap: from /proc and
// the control groups, versions 1 and 2. Works only for VMs on the manager's, or the agent's, own machine.
//
// libvirt reports the same times, but asks QEMU at each reading whether a vCPU is halted, which costs many
// times as much (docs/performance.md), and it does not report for how long a cap held a VM back.
//
// Kernels from 6.18 on count only part of the throttled time.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manager/hypervisor/libvirt/caps.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

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

// From a group's cpu.max (version 2); the quota of "max" is -1, as version 1 has it.
[[nodiscard]] std::optional<CpuCap> cap_of(std::string_view cpu_max);

// Since the VM's QEMU was started, summed over its vCPUs.
struct VcpuCounters {
  std::uint32_t vcpus = 0;
  Duration cpu;
  std::optional<Duration>
      waited;  // ready and not running; includes the throttled time: the kernel counts a capped thread so
  std::optional<Duration> throttled;  // none: the control groups cannot be read, or libvirt was asked
  friend bool operator==(const VcpuCounters&, const VcpuCounters&) = default;
};

// Remembers where it found the threads of a VM, since to look for them takes a walk through /proc.
class VcpuReader {
 public:
  explicit VcpuReader(std::string proc = "/proc", std::string groups = "/sys/fs/cgroup")
      : proc_(std::move(proc)), groups_(std::move(groups)) {}

  // `domain` is the number that libvirt gave the VM at this start. No value: its process, its threads or
  // their counters cannot be read here; or the VM is being moved between two nodes of this machine, and its
  // two processes cannot be told apart.
  [[nodiscard]] std::optional<VcpuCounters> read(NodeId node, const Uuid& vm, int domain);
  // The cap that is in force on its first vCPU. No value: its counters have not been read, or it cannot be
  // read here.
  [[nodiscard]] std::optional<CpuCap> cap(NodeId node, const Uuid& vm);

 private:
  struct Thread {
    std::string schedstat;  // paths
    std::string cpu_stat;   // empty: not found
    bool in_own_group = false;
  };
  struct Known {
    int domain = 0;
    std::string process;  // "/proc/123"; empty: not found yet
    std::vector<Thread> threads;
    int walks = 0;  // in vain, in search of its process
  };
  using Key = std::pair<Uuid, NodeId>;
  void find(Known& known, const Key& key) const;
  [[nodiscard]] std::string process_of(const Key& key, int& walks) const;
  [[nodiscard]] std::vector<Thread> threads_of(const std::string& process) const;
  [[nodiscard]] std::string cpu_stat_of(const std::string& thread) const;

  std::string proc_;
  std::string groups_;
  std::mutex mutex_;
  std::map<Key, Known> known_;
};

}  // namespace aliquot
