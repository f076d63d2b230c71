// What the batch schedulers share: jobs get whole nodes, one task each, and run at yield 1 (DFRS, IV-B).
//
// A node is idle when it is up and holds no task; it suits a job when it can hold the need and the memory
// of one task. The queue is in the order of submission, then id; with fair share by decreasing weight
// first. A job that would not fit even if all nodes that are up were idle is not part of it, and so does
// not block the others. Jobs that another policy has paused stand in the queue by their submission, too.
#pragma once

#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

[[nodiscard]] bool suits(const Node& node, const Demand& demand);
[[nodiscard]] bool idle(const Draft& draft, std::size_t n);

// Candidates that could ever start on the nodes that are up.
[[nodiscard]] std::vector<std::size_t> fifo_queue(const Draft& draft);

// The same question as fits_when_empty, for whole nodes.
[[nodiscard]] bool enough_nodes(const ClusterView& view, const Demand& demand, bool usable_only);

// The first idle nodes that suit, as many as the job has tasks; empty if there are too few. `reserved`
// (by node, may be empty) are left alone.
[[nodiscard]] Placement whole_nodes(const Draft& draft, const Demand& demand,
                                    const std::vector<bool>& reserved = {});

// Starts jobs from the front while they fit; the rest of the queue remains.
void start_in_order(Draft& draft, std::vector<std::size_t>& queue);

// Where estimates of run times come from: from the user; or from earlier runs (Demand::predicted), and from
// the user where nothing is known.
enum class EstimateFrom : std::uint8_t { user, history };
[[nodiscard]] constexpr EstimateFrom estimates_from(bool predictions) {
  return predictions ? EstimateFrom::history : EstimateFrom::user;
}
[[nodiscard]] std::optional<Duration> estimate_of(const Demand& demand, EstimateFrom from);

// When a job will end, as far as its estimate tells: what is left of the work at the yield in force. For a
// job that waits or is paused: when it would if it had whole nodes from now on (a resume is charged).
// `work` is the whole work of the job, more than it has done so far.
[[nodiscard]] Instant expected_end(const ClusterView& view, const Job& job, Yield yield, VirtualTime work);
// The whole work of the job: its estimate, doubled as often as it has proved too short; a year if the job
// has no estimate.
[[nodiscard]] VirtualTime believed_work(const Job& job, Instant now,
                                        EstimateFrom from = EstimateFrom::user);
// The end as EASY has it: by the estimate alone; kNever if the job has none. A job past its user's estimate
// ends at once. A prediction that has proved too short is doubled, as in believed_work.
[[nodiscard]] Instant estimated_end(const ClusterView& view, const Job& job, Yield yield,
                                    EstimateFrom from = EstimateFrom::user);

// For explanations: why there are too few idle nodes.
[[nodiscard]] Explanation busy_reason(const Draft& draft, std::size_t i);
// plain_reason for whole nodes.
[[nodiscard]] std::optional<Explanation> plain_batch_reason(const Draft& draft, std::size_t i);

}  // namespace aliquot
