// The batch schedulers: jobs get whole nodes and run at yield 1. queue.hpp says what a node means here.
#pragma once

#include "policies/batch/queue.hpp"
#include "policies/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// FCFS: jobs start strictly in the order of their submission, as soon as enough nodes are idle (DFRS,
// IV-B).
class Fcfs : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "FCFS"; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
};

struct EasySpec {
  bool lends = true;  // reserved nodes, to jobs that end in time
  bool predicts = false;
  [[nodiscard]] EstimateFrom source() const { return estimates_from(predicts); }
};
// "EASY", "EASY/predict".
[[nodiscard]] const PolicyGrammar<EasySpec>& easy_grammar();

// EASY: as FCFS, but the first job that cannot start gets a reservation for the earliest instant at which
// enough nodes will be idle, and later jobs may start before it where they do not delay it (DFRS, IV-B;
// Lifka 1995). A job that ends by then may also use the reserved nodes that are idle: the correct form.
//
// A job's end follows from Demand::estimate: what is left of it, at the yield in force. A job past its
// estimate is assumed to end at once; a job without one, never. Where the reservation depends on a job
// without a known end, it has no instant: then the first job keeps the idle nodes that it can use, and no
// other job borrows them, so that the first cannot starve.
//
// EASY/predict takes what earlier runs of the site have taught for the estimate of a job
// (Demand::predicted; docs/predictions.md), and the user's estimate where they have taught nothing. A
// prediction may be too short, where an estimate that the system enforces is not: it is doubled then.
//
// EASY-LEGACY never lends reserved nodes: so the simulator behind the published figures has it (DFRS, V),
// with hardly any backfilling, and results near those of FCFS. It serves comparisons only.
class Easy : public Policy {
 public:
  explicit Easy(const EasySpec& spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] bool reads_predictions() const override { return spec_.predicts; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  EasySpec spec_;
};

struct ConservativeSpec {
  bool predicts = false;
  [[nodiscard]] EstimateFrom source() const { return estimates_from(predicts); }
};
// "CONSERVATIVE", "CONSERVATIVE/predict".
[[nodiscard]] const PolicyGrammar<ConservativeSpec>& conservative_grammar();

// CONSERVATIVE backfilling: every job in the queue holds a reservation, and a later job may start before
// an earlier one only where it delays no reservation at all (Mu'alem & Feitelson, IEEE TPDS 2001, II-A).
//
// The reservations are kept in PolicyMemory. Reservations made anew at each decision would not hold: a job
// that moves forward into a gap may delay a job behind it that had reserved the gap. So the reservations
// that were kept are restored first. Then, whenever nodes may have become free earlier than expected, each
// job in the order of submission is reserved anew at the earliest possible start (compression), which is
// its old one at the latest. Where no job runs longer than its estimate and no node goes away, no job
// starts later than its first reservation says.
//
// A job past its estimate is assumed to run for twice the estimate, and so on; a job without an estimate,
// for a year. Heterogeneous nodes are counted by kind. CONSERVATIVE/predict takes predictions for
// estimates, as EASY/predict.
class Conservative : public Policy {
 public:
  explicit Conservative(const ConservativeSpec& spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return conservative_grammar().print(spec_); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] bool reads_predictions() const override { return spec_.predicts; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  ConservativeSpec spec_;
};

}  // namespace aliquot
