#include "manager/hypervisor/libvirt/vcpu_counters.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "manager/hypervisor/descriptor.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kReadAtMost = 64 << 10;
// A process that is not there yet is there at the next reading. One that is not found then runs where /proc
// does not show it, as libvirtd's do for a manager in a container.
constexpr int kWalksAtMost = 5;
// Nothing tells this reader that a VM has ended. Of too many all are forgotten; those that run are found
// again.
constexpr std::size_t kRememberedAtMost = 4096;

// Files of /proc and of control groups report no size.
std::string slurp(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string out;
  std::array<char, 4096> part;
  while (file.is_open() && out.size() < kReadAtMost) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got <= 0) break;
    out.append(part.data(), static_cast<std::size_t>(got));
  }
  return out;
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Takes a number and the blank behind it.
std::optional<std::int64_t> next_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [stop, broken] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (broken != std::errc{} || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (!text.empty()) text.remove_prefix(1);
  return value;
}

bool runs(const std::string& process, const std::string& uuid) {
  return slurp(process + "/cmdline").find(std::string("-uuid\0", 6) + uuid) != std::string::npos;
}

std::vector<std::string> processes_of(const std::string& proc, const std::string& uuid) {
  std::vector<std::string> found;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(proc, fault)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (runs(entry.path(), uuid)) found.push_back(entry.path());
  }
  return found;
}

}  // namespace

std::optional<CpuGroup> cpu_group(std::string_view proc_cgroup) {
  std::optional<CpuGroup> unified;
  while (!proc_cgroup.empty()) {
    const std::string_view line = next_line(proc_cgroup);  // number:controllers:path
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    CpuGroup group{std::string(line.substr(first + 1, second - first - 1)),
                   std::string(line.substr(second + 1))};
    const std::string listed = "," + group.controllers + ",";
    if (listed.find(",cpu,") != std::string::npos) return group;
    if (group.controllers.empty()) unified = std::move(group);
  }
  return unified;
}

std::optional<Duration> throttled_time(std::string_view cpu_stat) {
  while (!cpu_stat.empty()) {
    const std::string_view line = next_line(cpu_stat);
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view name = line.substr(0, blank);
    if (name != "throttled_time" && name != "throttled_usec") continue;
    std::string_view digits = line.substr(std::min(blank + 1, line.size()));
    const auto value = next_number(digits);
    if (!value) return std::nullopt;
    return Duration{name == "throttled_time" ? *value / 1000 : *value};
  }
  return std::nullopt;
}

std::optional<CpuCap> cap_of(std::string_view cpu_max) {
  const bool is_free = cpu_max.starts_with("max ");
  if (is_free) cpu_max.remove_prefix(4);
  const auto quota = is_free ? std::optional<std::int64_t>(-1) : next_number(cpu_max);
  const auto period = next_number(cpu_max);
  if (!quota || !period) return std::nullopt;
  return CpuCap{Duration{*period}, Duration{*quota}};
}

std::string VcpuReader::cpu_stat_of(const std::string& thread) const {
  const auto group = cpu_group(slurp(thread + "/cgroup"));
  if (!group) return {};
  for (const std::string& mount :
       {group->controllers, std::string(group->controllers.empty() ? "unified" : "cpu")}) {
    std::string path = groups_ + "/" + mount + group->path + "/cpu.stat";
    if (throttled_time(slurp(path))) return path;
  }
  return {};
}

std::vector<VcpuReader::Thread> VcpuReader::threads_of(const std::string& process) const {
  std::vector<Thread> threads;
  std::error_code fault;
  for (const auto& thread : fs::directory_iterator(process + "/task", fault))
    if (slurp(thread.path() / "comm").starts_with("CPU ")) {
      std::string cpu_stat = cpu_stat_of(thread.path());
      const std::string group = fs::path(cpu_stat).parent_path().filename();
      threads.push_back({thread.path() / "schedstat", std::move(cpu_stat), group.starts_with("vcpu")});
    }
  return threads;
}

// While a VM is moved between two nodes of this machine it has two processes.
std::string VcpuReader::process_of(const Key& key, int& walks) const {
  std::vector<std::string> found = processes_of(proc_, to_string(key.first));
  walks = found.empty() ? walks + 1 : 0;
  for (auto other = known_.lower_bound({key.first, NodeId{}});
       other != known_.end() && other->first.first == key.first; ++other)
    if (other->first != key) std::erase(found, other->second.process);
  return found.size() == 1 ? found.front() : std::string();
}

void VcpuReader::find(Known& known, const Key& key) const {
  if (!known.process.empty() && !runs(known.process, to_string(key.first))) known.process.clear();
  if (known.process.empty() && known.walks < kWalksAtMost) known.process = process_of(key, known.walks);
  known.threads = known.process.empty() ? std::vector<Thread>{} : threads_of(known.process);
}

std::optional<VcpuCounters> VcpuReader::read(NodeId node, const Uuid& vm, int domain) {
  const std::lock_guard lock(mutex_);
  if (known_.size() > kRememberedAtMost) known_.clear();
  const Key key{vm, node};
  Known& known = known_[key];
  if (known.domain != domain) known = {domain, {}, {}, 0};
  // Until each vCPU's thread is in a group of its own, before the VM runs, more threads may come.
  if (known.threads.empty() ||
      std::any_of(known.threads.begin(), known.threads.end(), [](auto& t) { return !t.in_own_group; }))
    find(known, key);
  VcpuCounters sum{static_cast<std::uint32_t>(known.threads.size()), {}, Duration{}, Duration{}};
  for (const Thread& thread : known.threads) {
    const std::string text = slurp(thread.schedstat);  // ran, waited, in nanoseconds; times scheduled
    std::string_view rest = text;
    const auto ran = next_number(rest);
    const auto waited = next_number(rest);
    if (!ran || !waited) {
      known.threads.clear();
      return std::nullopt;
    }
    sum.cpu += Duration{*ran / 1000};
    *sum.waited += Duration{*waited / 1000};
    const auto throttled = throttled_time(slurp(thread.cpu_stat));
    if (!throttled) sum.throttled.reset();
    if (sum.throttled) *sum.throttled += *throttled;
  }
  if (sum.vcpus == 0) return std::nullopt;
  return sum;
}

std::optional<CpuCap> VcpuReader::cap(NodeId node, const Uuid& vm) {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find({vm, node});
  if (known == known_.end() || known->second.threads.empty()) return std::nullopt;
  const Thread& first = known->second.threads.front();
  if (!first.in_own_group) return std::nullopt;
  const fs::path group = fs::path(first.cpu_stat).parent_path();
  if (const auto cap = cap_of(slurp(group / "cpu.max"))) return cap;
  std::string quota = slurp(group / "cpu.cfs_quota_us");  // version 1; -1: no limit
  if (quota.starts_with("-")) quota = "max\n";
  std::replace(quota.begin(), quota.end(), '\n', ' ');
  return cap_of(quota + slurp(group / "cpu.cfs_period_us"));
}

}  // namespace aliquot
