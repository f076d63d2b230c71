// What ties a job to nodes that keep the VMs saved on them, and where it can go on.
#pragma once

#include <functional>

#include "manager/core/state.hpp"

namespace aliquot {

// The VM has run and stands still on a node that keeps what it saves: it is saved there, or being saved, or
// is to be saved or released next. It is to go on there. One that stands still must not be moved: it might
// wait for the memory of others that stand still and wait for it, and none of them could be saved to let
// the others pass (cycles.hpp). `is_placed`: its job is. A VM that the plan in force wants elsewhere all
// the same is left to the policy.
[[nodiscard]] bool goes_on_only_here(const ClusterView& view, const Vm& vm, bool is_placed);

// The places at which a job goes on of which some VM is kept: each task where it is, or is going. Those
// that are made, or come from a checkpoint, take the places of the last plan that this leaves, their own
// first: so every node gets what the plan gave it, or what it had room for already.
[[nodiscard]] Placement places_of(const JobRecord& record);

// What has been saved on a node that keeps it goes on there alone. Whether each such node, were it empty,
// could take the tasks that the job has there: `fits` judges one of them.
using FitsNode = std::function<bool(const Share& share, const Node& node)>;
[[nodiscard]] bool fits_where_kept(const ClusterView& view, const JobRecord& record, const FitsNode& fits);

}  // namespace aliquot
