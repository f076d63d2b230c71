#include "manager/measurements.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "manager/api/wire/error_names.hpp"

namespace aliquot {

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  statm >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::uintmax_t store_bytes(const std::string& state_dir) {
  std::uintmax_t all = 0;
  for (const auto* name : {"/aliquot.db", "/aliquot.db-wal"}) {
    std::error_code absent;
    const auto size = std::filesystem::file_size(state_dir + name, absent);
    if (!absent) all += size;
  }
  return all;
}

CallObserver libvirt_measures(Inbox& inbox, Metrics& metrics, const NodeRoster& roster) {
  const auto call = [&inbox, &metrics, &roster](const CallReport& report) {
    inbox.post(Continuation{[&metrics, &roster, report] {
      const std::string error(report.error ? wire_name(*report.error) : "");
      const std::string& node = roster.nodes().at(report.node.raw).name;
      metrics.libvirt_called(node, std::string(report.kind), report.took, error);
    }});
  };
  const auto downtime = [&inbox, &metrics](Duration took) {
    inbox.post(Continuation{[&metrics, took] { metrics.migrated(took); }});
  };
  return {call, downtime};
}

}  // namespace aliquot
