// What operators have planned for nodes: drains that are to begin at a time, and maintenance windows, whose
// nodes are drained before they start and put back into service when they end.
//
// When something of that is due, the scheduler adds the events that an operator would have sent, and they
// are recorded with the step: a replay does not look at the time again. An operator is stronger than a
// window: a node that an operator drains is left alone, and one that an operator has put back into service
// stays there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

void on(ClusterState& state, const DrainAnnounced& event);
void on(ClusterState& state, const WindowChanged& event);
void on(ClusterState& state, const MessageChanged& event);

// The drains and windows whose time has come.
[[nodiscard]] std::vector<Event> due_maintenance(const CoreState& state);
// When the next one is due; kNever: nothing is planned.
[[nodiscard]] Instant next_maintenance(const CoreState& state);

// The nodes that will close, for policies (ClusterView::closings).
[[nodiscard]] std::vector<NodeClosing> closings(const CoreState& state);
// After a change of what is planned: the view has them, and the policy decides again if they are others.
void show_closings(ClusterState& state);

// What ends this window: its nodes are put back, and it is forgotten.
[[nodiscard]] std::vector<Event> end_of_window(const CoreState& state, const MaintenanceWindow& window,
                                               const std::string& why, bool is_due = false);
// None: there is no such window.
[[nodiscard]] const MaintenanceWindow* window_named(const CoreState& state, std::string_view name);
// When the drain of its nodes begins, and when that drain's deadline is: what is left then is saved, so
// that the nodes are empty at the start.
[[nodiscard]] Instant drained_from(const MaintenanceWindow& window);
[[nodiscard]] Instant deadline_of(const MaintenanceWindow& window);

// What is wrong with a planned drain or window of so many nodes; empty: nothing.
[[nodiscard]] std::string fault_of(const MaintenanceWindow& window, std::size_t nodes);

}  // namespace aliquot
