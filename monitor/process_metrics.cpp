#include "monitor/process_metrics.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace aliquot {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

void add(std::vector<MetricFamily>& families, const char* name, const char* help, MetricType type,
         std::optional<double> value) {
  if (!value) return;
  MetricFamily family{name, help, type, {}};
  prometheus::ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = *value;
  family.metric.push_back(std::move(metric));
  families.push_back(std::move(family));
}

// Fields 3 and on of /proc/self/stat: behind the command, which may hold blanks and brackets (proc(5)).
std::vector<double> stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto end = text.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream rest(text.substr(end + 1));
  std::string state;
  rest >> state;
  std::vector<double> fields{0};
  for (double value = 0; rest >> value;) fields.push_back(value);
  return fields;
}

// When the machine was started (Unix time).
std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  std::string word;
  for (double value = 0; file >> word;) {
    if (word == "btime" && file >> value) return value;
  }
  return std::nullopt;
}

std::optional<double> open_files() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  return error ? std::nullopt : std::optional(count);
}

}  // namespace

std::vector<MetricFamily> process_metrics() {
  std::vector<MetricFamily> families;
  const auto stat = stat_fields();
  const auto field = [&](std::size_t number) -> std::optional<double> {  // as proc(5) counts them
    return number - 3 < stat.size() ? std::optional(stat[number - 3]) : std::nullopt;
  };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto user = field(14), system = field(15), threads = field(20), started = field(22);
  const auto virtual_size = field(23), resident = field(24), boot = boot_time();
  if (user && system) {
    add(families, "process_cpu_seconds_total", "CPU time used, user and system.", MetricType::Counter,
        (*user + *system) / ticks);
  }
  if (started && boot) {
    add(families, "process_start_time_seconds", "When the process started (Unix time).", MetricType::Gauge,
        *boot + *started / ticks);
  }
  add(families, "process_threads", "Threads.", MetricType::Gauge, threads);
  add(families, "process_virtual_memory_bytes", "Virtual memory.", MetricType::Gauge, virtual_size);
  add(families, "process_resident_memory_bytes", "Resident memory.", MetricType::Gauge,
      resident ? std::optional(*resident * page) : std::nullopt);
  add(families, "process_open_fds", "Open file descriptors.", MetricType::Gauge, open_files());
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    add(families, "process_max_fds", "Most file descriptors that may be open.", MetricType::Gauge,
        static_cast<double>(limit.rlim_cur));
  }
  return families;
}

}  // namespace aliquot
