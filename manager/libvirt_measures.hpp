// What is measured of libvirt goes to the metrics by way of the loop, whose they are.
#pragma once

#include <string>
#include <vector>

#include "config/settings.hpp"
#include "manager/hypervisor/libvirt/call_observer.hpp"
#include "manager/inbox.hpp"
#include "monitor/metrics.hpp"

namespace aliquot {

// All outlive the hypervisor that is given this. `nodes` by NodeId.
[[nodiscard]] CallObserver libvirt_measures(Inbox& inbox, Metrics& metrics,
                                            const std::vector<NodeSettings>& nodes);

}  // namespace aliquot
