// A job is counted with less memory than its user declares, because its tasks do not use all of it, or with
// all of it again (docs/needs.md). What it is counted with is the memory of its demand, so policies and the
// ledger see nothing else.
//
// Less is counted when the guests have given the rest back. More is counted at once, for the guests have it
// already. Where a node then holds too much, others leave it: the newest first, and none whose memory is
// not needed for that. Each goes on elsewhere, or is paused until there is room. Only where that is not
// enough, the job itself leaves.
//
// Each job is counted with a part of what it declares at least. So what is declared on a node is never more
// than its memory divided by this part, and that bounds what the host may have to swap until others have
// left.
#pragma once

#include <vector>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// How nodes come to hold what a job is to be counted with.
enum class MemoryFound : std::uint8_t {
  as_it_stands,  // they do, or the job is not placed
  by_others,     // other jobs leave
  elsewhere,     // the job itself leaves
  not_at_all,    // it cannot leave them, or nothing may be changed now; or the only nodes on which it can
                 // go on could never hold it
};
[[nodiscard]] MemoryFound memory_found(const CoreState& state, const Job& job, Memory later);

// A job that may leave a node, and the memory that it has there.
struct MayLeave {
  JobId job;
  Memory memory;
  friend bool operator==(const MayLeave&, const MayLeave&) = default;
};
// Which of them leave so that so much becomes free: from the front, without those that are not needed for
// it. All of them if they are too few.
[[nodiscard]] std::vector<JobId> which_leave(const std::vector<MayLeave>& jobs, Memory missing);

// Without effect, except for the note of the job, where the memory was not found.
void on(ClusterState& state, const MemoryLearned& event);

}  // namespace aliquot
