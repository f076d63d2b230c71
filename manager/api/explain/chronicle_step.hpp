// What the chronicle knows of the step that it is recording. For its own files only.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "manager/api/explain/chronicle.hpp"

namespace aliquot {

[[nodiscard]] inline Standing standing_of(const Job& job) { return {job.phase, job.yield, job.placement}; }

struct Chronicle::Now {
  const Step& step;
  const CoreState& state;
  const Policy& policy;
  std::size_t explanations;     // still allowed in this step
  std::string cause;            // of the step's decision
  PlanRefusal refused{};        // the violations of its plan
  std::vector<JobId> placed{};  // by the decision; they were not placed before
  std::vector<JobId> raised{};  // by the decision: more CPU than before
  std::vector<ChronicleEntry> entries{};

  [[nodiscard]] const Decision* decision() const { return step.decision ? &*step.decision : nullptr; }
  [[nodiscard]] bool adopted() const { return step.decision && step.decision->adopted; }
  [[nodiscard]] bool changed(JobId job) const {
    if (!adopted()) return false;
    const auto& changes = step.decision->plan.changes;
    const auto at = std::lower_bound(changes.begin(), changes.end(), job,
                                     [](const Change& c, JobId id) { return c.job < id; });
    return at != changes.end() && at->job == job;
  }
  // The jobs that got the share that this job lost.
  [[nodiscard]] std::vector<JobId> beneficiaries(JobId loser) const {
    constexpr std::size_t kMost = 8;
    std::vector<JobId> some;
    for (const JobId job : placed.empty() ? raised : placed)
      if (job != loser && some.size() < kMost) some.push_back(job);
    return some;
  }
};

}  // namespace aliquot
