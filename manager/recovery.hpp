// Makes a scheduler from what the store has: a snapshot, then the recorded steps, without deciding anew; or
// goes on with the one that a standby has kept up to date.
// What has become of the nodes meanwhile is found out by the first step: start_events().
#pragma once

#include <memory>
#include <vector>

#include "config/settings.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/store/store.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Jobs get numbers above `newest_job`, the highest that the spool knows: a store that was restored from a
// backup does not know of those that came later. Errors: the policy that was in force is not known to this
// version.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> recover_scheduler(Recovered recovered,
                                                                   const Settings& settings,
                                                                   Scheduler::Stopwatch stopwatch,
                                                                   JobId newest_job = {});
// `hot` is after the newest step of the store if that is_known.
[[nodiscard]] Result<std::unique_ptr<Scheduler>> go_on_with(std::unique_ptr<Scheduler> hot,
                                                            Recovered recovered, const Settings& settings,
                                                            JobId newest_job);
[[nodiscard]] KnownStep newest_step(const Scheduler& scheduler);

// The capacity of a node with so many cores: without the host's reserve, in reference cores.
[[nodiscard]] Cpu capacity_of(const NodeSettings& setting, std::uint32_t cores_there);

// The nodes as configured, those that are `renamed` under their new names. What the configuration leaves to
// the node is as it was known, and 0 of a new node, until it has been asked. All nodes are suspect until
// they answer; while the manager is `running`, their states are as they are known. Devices keep the slots
// in which VMs of the cluster hold them; devices that libvirt is to name stay as they were known.
[[nodiscard]] Configured configured_nodes(const Settings& settings, const Cluster& cluster,
                                          const std::vector<NodeRenamed>& renamed = {},
                                          bool running = false);

// The events of the first step of this run.
[[nodiscard]] std::vector<Event> start_events(Configured nodes, const Settings& settings,
                                              const Cluster& cluster, std::uint64_t epoch);

// Policy and mode become what the configuration says, unless a command has set them.
[[nodiscard]] std::vector<Event> settings_taken(const PolicySettings& settings, const CoreState& state);
[[nodiscard]] std::vector<Event> moves_taken(const MoveTerms& configured, const CoreState& state);

// Gives the node these devices, none of which libvirt is to name. `before`: the node as it is known, if it
// is. `models` numbers the models of devices; new ones are added.
void set_devices(const std::vector<DeviceWord>& words, const Cluster& cluster, const Node* before,
                 std::vector<std::string>& models, Node& node);

[[nodiscard]] Mode mode_of(const std::string& word);

}  // namespace aliquot
