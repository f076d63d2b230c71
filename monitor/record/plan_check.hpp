// The independent checker of plans. It knows the laws and no policy.
//
// A plan that breaks a law is refused as a whole and reported; the cluster goes on as it was.
#pragma once

#include <memory_resource>
#include <string>
#include <vector>

#include "policies/model/plan.hpp"

namespace aliquot {

enum class Law : std::uint8_t {
  known_job,         // every change names a job of the view, once, in increasing id
  known_node,        // every share names a node of the view, in increasing id, with positive units
  all_tasks,         // a placement holds exactly the job's tasks, or none
  yield_in_range,    // 0 < yield <= 1 when placed, 0 when paused
  guaranteed_yield,  // never below the job's minimum
  memory,            // the memory of a node is never exceeded
  cpu,               // the CPU given on a node is never above its capacity
  held_stays_out,    // a held job is not placed
  pinned_stays,      // what cannot be moved is neither moved nor paused
  node_usable,       // nothing new is placed on a node that is not up
  wakes_later,       // wake_at lies after now
  immovable_stays,   // what is immovable, or holds a device, is neither moved nor paused
  devices,           // exactly the slots asked for, of the model asked for; none if none is asked for
  devices_stay,      // a job keeps its slots while it is placed
  device_parts,      // the parts of a device are never exceeded
  spread,            // on so many nodes, so many tasks on each, side by side: as asked for
  within_kind,       // all VMs of a job are of one hypervisor kind, and stay within it
  where_saved,       // what can be restored only where it was saved is placed exactly there
};

struct Violation {
  Law law = Law::known_job;
  std::string text;  // which job, which node, by how much
};

// All laws the plan breaks; empty: the plan is lawful. Looks at the changed jobs and at every node that
// they touch, with all that stands there. Shapes: O(jobs + placements). `memory` is for what is added up.
[[nodiscard]] std::vector<Violation> check_plan(
    const ClusterView& view, const Plan& plan,
    std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// The whole state by the same laws: every so often live, after every step in tests.
[[nodiscard]] std::vector<Violation> check_view(const ClusterView& view);

[[nodiscard]] const char* name(Law law);

}  // namespace aliquot
