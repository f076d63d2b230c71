// Checks the whole state of the cluster every so often against the laws that each plan is checked against
// (monitor/record/plan_check.hpp). A plan is checked for what it changes only, so a state that went wrong
// in another way would otherwise stay unseen until the next restart.
//
// Its work is counted: a look at a job or a node is one unit, and a second earns so many units. A small
// cluster is checked every ten seconds, one with 20,000 jobs every forty, and the loop spends less than a
// thousandth of its time on it. What is found is reported once, until it has gone; nothing is changed.
// Belongs to the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "monitor/record/plan_check.hpp"

namespace aliquot {

class StateCheck {
 public:
  using Report = std::function<void(const Violation&)>;
  static constexpr std::uint64_t kUnitsASecond = 500;
  static constexpr std::uint64_t kEverySeconds = 10;  // at most

  explicit StateCheck(Report report) : report_(std::move(report)) {}

  // Called about once a second. True: it was the turn of a check.
  bool every_second(const ClusterView& view);
  // What the last check found.
  [[nodiscard]] std::size_t violations() const { return known_.size(); }

 private:
  Report report_;
  std::uint64_t units_ = 0;    // earned
  std::uint64_t seconds_ = 0;  // since the last check
  std::set<std::string> known_;
};

}  // namespace aliquot
