// Room for more tasks of a job that runs: an evolving application comes to a step with more nodes, and its
// other tasks stay where they are. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "policies/model/view.hpp"

namespace aliquot::evolving {

// The nodes for `more` further tasks of the job, by increasing node; none: they do not all find room, each
// with its memory and its guaranteed CPU, beside what is placed. A task goes where the greatest part of the
// CPU would be left. `slows_others`: where no node has the CPU for the yield that the job has, one will do
// whose jobs can be slowed. A job that can be neither saved nor moved gets no task on a node that is to be
// empty before it is sure to end (maintenance/by_windows.hpp). Requires: the job is placed and asks for
// neither devices nor a spread; the view has an index.
[[nodiscard]] std::optional<Placement> places_beside(const ClusterView& view, const Job& job,
                                                     std::uint32_t more, bool slows_others);

// The placement with further tasks on a node.
void put_on(Placement& placement, const Share& more);

}  // namespace aliquot::evolving
