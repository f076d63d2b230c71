// START HERE. A policy is a pure function from a view of the cluster to a plan, without clock, randomness,
// log or globals: `now` and the cause of the decision are fields of the view, and what the policy remembers
// travels in PolicyMemory. Equal views give equal plans to the last bit, with ties broken by id. This holds
// within one build: some policies calculate in floating point, which another compiler may round otherwise.
// The manager, the simulator and what-if questions call the same objects.
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

// How good a decision is, of a policy that solves an optimisation problem with a proven bound. In the units
// of the objective; for people and reports only, since the exact values are whole numbers.
struct ProvenGap {
  double incumbent = 0;  // value of the decision
  double bound = 0;      // no decision has a larger value
  double gap = 0;        // (bound - incumbent) / bound
  std::uint32_t jobs = 0;
  std::uint32_t classes = 0;  // of nodes with equal free resources
  std::uint64_t work = 0;     // counted
  bool finished = true;       // false: stopped by the effort allowed, before the proof was complete
  std::string_view solver;    // that found it, as in the policy's name
};

class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  // The canonical name: parses back to an equal policy (for example "DYNMCB8-ASAP-PER-600+match").
  [[nodiscard]] virtual std::string name() const = 0;

  // How often it wants Cause::tick; none: never. `period set` replaces it by a policy of another period.
  [[nodiscard]] virtual std::optional<Duration> period() const { return std::nullopt; }

  [[nodiscard]] virtual Plan decide(const ClusterView& view) const = 0;

  // Whether a job may be slowed for another. If not, each runs at full speed or waits.
  [[nodiscard]] virtual bool shares_cpu() const { return true; }

  // Whether it reads Demand::predicted. If not, a view need not have it.
  [[nodiscard]] virtual bool reads_predictions() const { return false; }

  // How good the decision is that the policy would take for this view if its interval were over; none: it
  // has no bound. It decides once more, so it is for questions and not for every decision.
  [[nodiscard]] virtual std::optional<ProvenGap> proven_gap(const ClusterView& view) const {
    (void)view;
    return std::nullopt;
  }

  // Why this job (a key of view.jobs) runs as it does, or does not run.
  [[nodiscard]] virtual Explanation explain(const ClusterView& view, JobId job) const = 0;
};

// A policy as `aliquot-sim policies` lists it.
struct PolicyInfo {
  std::string name;     // as it is written, for example "DYNMCB8-PER-T"
  std::string summary;  // one sentence
  std::string source;   // paper and section
};

// Makes a policy by its name (docs/policies.md). Unknown names, options and values are errors that name the
// nearest known one.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_policy(std::string_view spec);

// The built-in policies with their variants (policies/built_in_policies.cpp).
[[nodiscard]] const std::vector<PolicyInfo>& known_policies();

// The same policy with another period: "DYNMCB8-PER-600" and 60 s give "DYNMCB8-PER-60". An error for a
// policy that has no period.
[[nodiscard]] Result<std::string> with_period(std::string_view spec, Duration period);

// Reads what a policy remembers (PolicyMemory::state) back from the text of a store or a journal: the value
// that encodes to exactly this text; null for an empty one. A text that no policy recognises becomes a
// TextState, so that whatever was stored is stored again unchanged.
[[nodiscard]] std::shared_ptr<const PolicyState> decode_policy_state(std::string_view text);

}  // namespace aliquot
