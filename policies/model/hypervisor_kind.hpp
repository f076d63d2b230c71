// Which nodes the VMs of a job may go on on: in a cluster of several hypervisor kinds, those of its own.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "policies/model/job.hpp"

namespace aliquot {

struct Node;
struct ClusterView;

inline constexpr HypervisorKind kHypervisorKinds[] = {HypervisorKind::libvirt, HypervisorKind::xen};

// "libvirt", "xen": as in the configuration.
[[nodiscard]] std::string_view name(HypervisorKind kind);

[[nodiscard]] bool have_one_kind(const std::vector<Node>& nodes);
// All nodes are of one kind, and no job is bound to one. With the view's index at no cost.
[[nodiscard]] bool has_one_kind(const ClusterView& view);

// The kind that a job is bound to because it asks for it. None: it asks for none, or all nodes are of it.
[[nodiscard]] std::optional<HypervisorKind> asked_kind(const ClusterView& view, const Demand& demand);

// The kind within which the job must stay: that of the nodes on which it stands, or of the VMs that it has,
// or that it asks for. None: it may be started on any.
[[nodiscard]] std::optional<HypervisorKind> bound_kind(const ClusterView& view, const Job& job);

// A node of another kind as a cluster of this kind alone has it: empty and removed.
[[nodiscard]] Node emptied(Node node, HypervisorKind kind);

}  // namespace aliquot
