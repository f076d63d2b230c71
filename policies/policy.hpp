// START HERE. A policy is a pure function from a view of the cluster to a plan.
//
// No clock, no randomness, no log, no global: `now` and the cause of the question are fields of the view,
// and what must be remembered travels in PolicyMemory. Same view, same plan, to the last bit; ties break
// by id. The manager, the simulator and a what-if question call the very same objects.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/plan.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// How good a decision is, for certain: of policies that solve a problem with a bound. In the objective's
// own units; only for people and reports, the exact values are whole numbers.
struct ProvenGap {
  double incumbent = 0;  // of what was decided
  double bound = 0;      // nothing that could have been decided is worth more
  double gap = 0;        // (bound - incumbent) / bound
  std::uint32_t jobs = 0;
  std::uint32_t classes = 0;  // of nodes with equal free resources
  std::uint64_t work = 0;     // counted
  bool finished = true;       // false: stopped by the effort allowed, before the proof was complete
  std::string_view solver;    // who found it, as the policy's name says it
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  // The canonical name: parses back to an equal policy (for example "DYNMCB8-ASAP-PER-600+match").
  [[nodiscard]] virtual std::string name() const = 0;

  // How often it wants Cause::tick; none: never. Live, `period set` makes a policy of another period.
  [[nodiscard]] virtual std::optional<Duration> period() const = 0;

  [[nodiscard]] virtual Plan decide(const ClusterView& view) const = 0;

  // How good the decision is that the policy would take at this view if its time had come; none: it does
  // not know. Decides once more: for a question, not for every decision.
  [[nodiscard]] virtual std::optional<ProvenGap> proven_gap(const ClusterView& view) const {
    (void)view;
    return std::nullopt;
  }

  // Why this job (a key of view.jobs) stands as it does. The code that leaves a job out knows why.
  [[nodiscard]] virtual Explanation explain(const ClusterView& view, JobId job) const = 0;
};

// One row of the registry.
struct PolicyInfo {
  std::string name;     // as it is written, for example "DYNMCB8-PER-T"
  std::string summary;  // one sentence
  std::string source;   // paper and section
};

// Parses a policy spec. Unknown names, bad numbers and unknown options are errors that name the nearest
// known one. Names are the papers' own, case and all (docs/policies.md).
[[nodiscard]] Result<std::unique_ptr<Policy>> make_policy(std::string_view spec);

// Every policy that can be named, in the order of the papers; the property laws run over this list.
[[nodiscard]] const std::vector<PolicyInfo>& known_policies();

// The same policy with another period: "DYNMCB8-PER-600" and 60 s give "DYNMCB8-PER-60". An error for a
// policy that has no period.
[[nodiscard]] Result<std::string> with_period(std::string_view spec, Duration period);

}  // namespace aliquot
