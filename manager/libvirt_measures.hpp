// What is measured of libvirt goes to the metrics by way of the loop, whose they are.
#pragma once

#include "manager/hypervisor/measures.hpp"
#include "manager/inbox.hpp"
#include "monitor/metrics.hpp"

namespace aliquot {

// Both outlive the hypervisor that is given this.
[[nodiscard]] Measures libvirt_measures(Inbox& inbox, Metrics& metrics);

}  // namespace aliquot
