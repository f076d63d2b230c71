#include "manager/libvirt_measures.hpp"

#include "manager/api/wire/error_names.hpp"

namespace aliquot {

CallObserver libvirt_measures(Inbox& inbox, Metrics& metrics, const std::vector<NodeSettings>& nodes) {
  const auto call = [&inbox, &metrics, &nodes](const CallReport& report) {
    inbox.post(Continuation{[&metrics, &nodes, report] {
      const std::string error(report.error ? wire_name(*report.error) : "");
      metrics.libvirt_called(nodes.at(report.node.raw).name, std::string(report.kind), report.took, error);
    }});
  };
  const auto downtime = [&inbox, &metrics](Duration took) {
    inbox.post(Continuation{[&metrics, took] { metrics.migrated(took); }});
  };
  return {call, downtime};
}

}  // namespace aliquot
