// FIT: schedules jobs whose numbers of tasks change by what is known of their steps (Klein and Perez,
// "Towards Scheduling Evolving Applications", 2011, sec. 4), online: on arrivals, ends, and changes.
//
// The queue is in the order of submission. Each job is fitted beside those that run and those before it
// (Algorithm 1), under an expand limit: 1, the paper's noX, unless the name says `/expand=2` (its 2X) or
// `/expand=inf` (infX); with `/compact` its +c. A job that is to start now starts; the others hold
// what they are scheduled for, and the policy wakes when the first of them is to start. So no later job
// takes the nodes that a job is going to need for a step, and the first of the queue never starves. The
// schedule is made anew at each decision, because estimates are wrong. Where they are right it stays: then
// every job starts when ListSchedule says.
//
// The limit says for how long a job that starts now may have to wait in a step for the nodes of the next;
// noX starts none that would have to. A job that does wait goes on computing with the tasks that it has,
// and gets the others as soon as they are free, whatever the schedule said (manager/core/
// size_transitions.hpp): the next decision makes it anew. A growth that is due holds nodes from now on
// until it gets them.
//
// Counted are whole nodes, one for each task, at full yield, as by all batch schedulers
// (policies/batch/queue.hpp). Tasks that share a node already count as one node. Nodes that differ are
// counted as if they did not: where too few of the idle ones suit a job that is to start now, it keeps
// those that do, and later jobs do not get them. A growth to more tasks than there are nodes that suit the
// job is not waited for.
//
// No errors; it remembers nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "policies/evolving/fit.hpp"
#include "policies/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot::evolving {

inline constexpr std::int64_t kHighestExpandLimit = 1'000'000;

struct FitSpec {
  std::optional<std::int64_t> expand = 1;  // how many times its duration a step may last; none: any number
  bool compact = false;
  [[nodiscard]] FitRule rule() const {
    return {expand ? ExpandLimit::times(*expand) : ExpandLimit::unlimited(), compact};
  }
};
// "FIT", "FIT/expand=2", "FIT/expand=inf/compact".
[[nodiscard]] const PolicyGrammar<FitSpec>& fit_grammar();

class Fit : public Policy {
 public:
  explicit Fit(const FitSpec& spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return fit_grammar().print(spec_); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  FitSpec spec_;
};

}  // namespace aliquot::evolving
