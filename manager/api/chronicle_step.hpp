// One step while it is entered in the chronicle. Internal to chronicle*.cpp.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "manager/api/chronicle.hpp"
#include "manager/api/job_reasons.hpp"

namespace aliquot {

inline Standing standing_of(const Job& job) { return {job.phase, job.yield, job.placement}; }
inline Standing standing_of(const Job& job, const Change& change) {
  if (change.placement.empty())
    return {job.phase == Phase::waiting ? Phase::waiting : Phase::paused, {}, {}};
  return {Phase::running, change.yield, change.placement};
}

inline bool placed(const Standing& standing) { return standing.phase == Phase::running; }

// Some node got tasks that it did not have; a job whose tasks end only loses some.
inline bool gained_a_place(const Placement& before, const Placement& after) {
  return std::any_of(after.begin(), after.end(), [&](const Share& share) {
    const auto same = std::find_if(before.begin(), before.end(),
                                   [&](const Share& other) { return other.node == share.node; });
    return same == before.end() || same->units < share.units;
  });
}

struct Chronicle::Now {
  const Step& step;
  const CoreState& state;
  const Policy& policy;
  std::string cause;          // of the step's decision
  PlanRefusal refused;        // the law its plan broke
  std::vector<JobId> placed;  // by the decision, that had no place before
  std::vector<JobId> raised;  // by the decision: more CPU than before
  std::vector<ChronicleEntry> entries;
  std::size_t explanations = 0;  // that may still be asked for

  [[nodiscard]] const Decision* decision() const { return step.decision ? &*step.decision : nullptr; }
  [[nodiscard]] bool adopted() const { return step.decision && step.decision->adopted; }
  [[nodiscard]] bool changed(JobId job) const {
    if (!adopted()) return false;
    const auto& changes = step.decision->plan.changes;
    const auto at = std::lower_bound(changes.begin(), changes.end(), job,
                                     [](const Change& c, JobId id) { return c.job < id; });
    return at != changes.end() && at->job == job;
  }
  // Those who got what this job lost.
  [[nodiscard]] std::vector<JobId> beneficiaries(JobId loser) const {
    constexpr std::size_t kMost = 8;
    std::vector<JobId> all = placed.empty() ? raised : placed;
    std::erase(all, loser);
    if (all.size() > kMost) all.resize(kMost);
    return all;
  }
};

}  // namespace aliquot
