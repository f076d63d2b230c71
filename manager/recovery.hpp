// From what the store remembers to a scheduler that goes on: snapshot, then the recorded steps, deciding
// nothing. What the nodes have become meanwhile is for the first round: start_events().
#pragma once

#include <memory>
#include <vector>

#include "config/settings.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/store/store.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Errors: the policy that was in force is not known to this version.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> recover_scheduler(Recovered recovered,
                                                                   const Settings& settings,
                                                                   Scheduler::Stopwatch stopwatch);

// What a node of so many cores has to give: without the host's reserve, in reference cores.
[[nodiscard]] Cpu capacity_of(const NodeSettings& setting, std::uint32_t cores_there);

// The nodes as configured; what the configuration leaves to the node stands at 0 until it has been asked.
// All are suspect until they answer. Devices keep the slots in which VMs of the cluster hold them; those
// that libvirt is to name stay as they were known.
[[nodiscard]] Configured configured_nodes(const Settings& settings, const Cluster& cluster);

// What the first round of this run is to be told.
[[nodiscard]] std::vector<Event> start_events(const Settings& settings, const Cluster& cluster,
                                              std::uint64_t epoch);

// Gives the node these devices, none of which asks libvirt; `models` numbers them, and new ones are added.
void set_devices(const std::vector<DeviceWord>& words, const Cluster& cluster,
                 std::vector<std::string>& models, Node& node);

[[nodiscard]] Mode mode_of(const std::string& word);

}  // namespace aliquot
