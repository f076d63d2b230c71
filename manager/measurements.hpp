// What the manager measures of itself and of its calls to libvirt, for the metrics and for `status`.
#pragma once

#include <cstdint>
#include <string>

#include "manager/hypervisor/libvirt/call_observer.hpp"
#include "manager/inbox.hpp"
#include "manager/node_roster.hpp"
#include "monitor/metrics.hpp"

namespace aliquot {

// The memory of this process, as the kernel counts it.
[[nodiscard]] std::int64_t resident_bytes();
// Of the database and its write-ahead log.
[[nodiscard]] std::uintmax_t store_bytes(const std::string& state_dir);

// Carries measurements of libvirt calls to the metrics, which belong to the loop, through its inbox. All
// three outlive what is returned.
[[nodiscard]] CallObserver libvirt_measures(Inbox& inbox, Metrics& metrics, const NodeRoster& roster);

}  // namespace aliquot
