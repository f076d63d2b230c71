#include "manager/libvirt_measures.hpp"

#include <string>

#include "manager/api/error_names.hpp"

namespace aliquot {

Measures libvirt_measures(Inbox& inbox, Metrics& metrics) {
  const auto call = [&inbox, &metrics](const CallReport& report) {
    const std::string error(report.error ? wire_name(*report.error) : "");
    inbox.post(Continuation{[&metrics, kind = std::string(report.kind), took = report.took, error] {
      metrics.libvirt_called(kind, took, error);
    }});
  };
  const auto downtime = [&inbox, &metrics](Duration took) {
    inbox.post(Continuation{[&metrics, took] { metrics.migrated(took); }});
  };
  return {call, downtime};
}

}  // namespace aliquot
