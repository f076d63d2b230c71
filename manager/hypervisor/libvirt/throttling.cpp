#include "manager/hypervisor/libvirt/throttling.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace aliquot {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kReadAtMost = 64 << 10;

// Files of /proc and of control groups report no size.
std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string out(kReadAtMost, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return out;
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool runs(const std::string& process, const std::string& uuid) {
  const std::string line = slurp(process + "/cmdline");
  return line.find(std::string("-uuid\0", 6) + uuid) != std::string::npos;
}

std::optional<std::string> find_process(const std::string& uuid) {
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator("/proc", fault)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (runs(entry.path(), uuid)) return entry.path();
  }
  return std::nullopt;
}

std::optional<Duration> throttled_of_thread(const std::string& thread) {
  const auto group = cpu_group(slurp(thread + "/cgroup"));
  if (!group) return std::nullopt;
  for (const std::string& mount :
       {group->controllers, std::string(group->controllers.empty() ? "unified" : "cpu")}) {
    const auto found = throttled_time(slurp("/sys/fs/cgroup/" + mount + group->path + "/cpu.stat"));
    if (found) return found;
  }
  return std::nullopt;
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
    const std::string_view digits = line.substr(std::min(blank + 1, line.size()));
    std::int64_t value = 0;
    const auto [stop, broken] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (broken != std::errc{} || value < 0) return std::nullopt;
    return Duration{name == "throttled_time" ? value / 1000 : value};
  }
  return std::nullopt;
}

std::optional<Duration> ThrottleReader::read(const Uuid& vm) {
  const std::string uuid = to_string(vm);
  const std::lock_guard lock(mutex_);
  auto known = processes_.find(vm);
  if (known == processes_.end() || !runs(known->second, uuid)) {
    if (known != processes_.end()) processes_.erase(known);
    const auto found = find_process(uuid);
    if (!found) return std::nullopt;
    known = processes_.emplace(vm, *found).first;
  }
  std::optional<Duration> sum;
  std::error_code fault;
  for (const auto& thread : fs::directory_iterator(known->second + "/task", fault)) {
    if (!slurp(thread.path() / "comm").starts_with("CPU ")) continue;
    if (const auto one = throttled_of_thread(thread.path())) sum = sum.value_or(Duration{}) + *one;
  }
  return sum;
}

}  // namespace aliquot
