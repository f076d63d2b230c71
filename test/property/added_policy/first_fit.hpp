// FIRST-FIT[+in-order]: a policy that is added from outside policies/, as docs/policies.md tells it: these
// two files and one row of a registry (test/property/tested_policies.hpp).
//
// Jobs that wait or are paused start on the first nodes that hold their tasks, in the order of their ids;
// with +in-order, no job starts before one ahead of it. A job that runs stays where it is.
#pragma once

#include "policies/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot::test {

struct FirstFitSpec {
  bool in_order = false;
};
[[nodiscard]] const PolicyGrammar<FirstFitSpec>& first_fit_grammar();

class FirstFit : public Policy {
 public:
  explicit FirstFit(FirstFitSpec spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return first_fit_grammar().print(spec_); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  FirstFitSpec spec_;
};

}  // namespace aliquot::test
