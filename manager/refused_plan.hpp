// The law that the last plan broke, if plan_check refused it: `aliquot why` tells users whose jobs wait.
// Belongs to the loop. It is not stored: after a restart the policy is asked at once.
#pragma once

#include <string>

#include "manager/api/explain/job_reasons.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

class RefusedPlan final : public Observer {
 public:
  [[nodiscard]] const PlanRefusal& last() const { return last_; }

  void on_step(const Step& step, const ClusterView&) override {
    if (!step.decision) return;
    last_.reset();
    if (step.decision->violations.empty()) return;
    const Violation& broken = step.decision->violations.front();
    last_ = std::string(name(broken.law)) + ": " + broken.text;
  }

 private:
  PlanRefusal last_;
};

}  // namespace aliquot
