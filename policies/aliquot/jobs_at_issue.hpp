// Which jobs a decision of ALIQUOT has to look at, so that one about a few jobs takes no longer because
// thousands wait.
//
// All that are placed or have been paused are looked at, and of the waiting jobs those that have arrived
// and those whose instant to preempt others has come. After an event every waiting job is tried; but where
// one is refused, all later ones of the same shape (AlikeJobs) that were not submitted before it are
// refused, too: until the next pause nothing is freed, and they may preempt no more than it. So of each
// shape a few are looked at, and left_out_matter() tells afterwards whether these were enough. Jobs that
// are left out stay as they are, and keep their instants.
//
// The plan is the same, to the last bit, as if all were looked at.
#pragma once

#include <optional>
#include <vector>

#include "policies/draft.hpp"
#include "policies/model/flat_map.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// Something happened that may have freed memory, or that changed what is urgent: every job is tried.
[[nodiscard]] bool every_job_is_tried(const Cause& cause);

class JobsAtIssue {
 public:
  using Retries = FlatMap<JobId, Retry>;

  // All jobs of the view.
  [[nodiscard]] static JobsAtIssue all() { return {}; }
  // None: they would be nearly all. The view has an index.
  [[nodiscard]] static std::optional<JobsAtIssue> few(const ClusterView& view);

  [[nodiscard]] bool are_all() const { return !ids_; }
  // In increasing ids; empty where they are all.
  [[nodiscard]] std::span<const JobId> ids() const { return ids_ ? *ids_ : std::span<const JobId>(); }
  // When the jobs that are left out may preempt others; all later than now.
  [[nodiscard]] const Retries& retries_left_out() const { return retries_; }

  // Whether a job that was left out might have been placed. `draft`: of these jobs, after rule 1, which has
  // `paused` some or none.
  [[nodiscard]] bool left_out_matter(const Draft& draft, bool paused) const;

 private:
  // The waiting jobs of one shape.
  struct Alike {
    bool fits = false;      // on nodes that are empty
    std::uint32_t few = 0;  // that are looked at though nothing is due
    std::optional<JobId> first_left_out{};
    Instant oldest_left_out = kNever;  // its submission
  };
  void choose(const ClusterView& view);
  void add_placed_and_remembered(const ClusterView& view);

  std::optional<std::vector<JobId>> ids_;
  std::vector<Alike> alike_;  // by shape
  Retries retries_;
};

}  // namespace aliquot
