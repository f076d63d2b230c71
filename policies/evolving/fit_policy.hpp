// FIT: schedules jobs whose numbers of tasks change by what is known of their steps (Klein and Perez,
// "Towards Scheduling Evolving Applications", 2011, sec. 4), online: on arrivals, ends, and changes.
//
// The queue is in the order of submission. Each job is fitted beside those that run and those before it
// (Algorithm 1), without expansion: the paper's noX. A job that is to start now starts; the others hold
// what they are scheduled for, and the policy wakes when the first of them is to start. So no later job
// takes the nodes that a job is going to need for a step, and the first of the queue never starves. The
// schedule is made anew at each decision, because estimates are wrong. Where they are right it stays: then
// every job starts when ListSchedule says.
//
// There is no expansion because here nothing waits in a step: a job whose next nodes are not free goes on
// computing with the tasks that it has (manager/core/size_transitions.hpp). A growth that is due holds
// nodes from now on until it gets them.
//
// Counted are whole nodes, one for each task, at full yield, as by all batch schedulers
// (policies/batch/queue.hpp). Tasks that share a node already count as one node. Nodes that differ are
// counted as if they did not: where too few of the idle ones suit a job that is to start now, it keeps
// those that do, and later jobs do not get them. A growth to more tasks than there are nodes that suit the
// job is not waited for.
//
// No errors; it remembers nothing.
#pragma once

#include "policies/policy.hpp"

namespace aliquot::evolving {

class Fit : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "FIT"; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
};

}  // namespace aliquot::evolving
