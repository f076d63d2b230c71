// The live check of the whole state: when it is its turn, and what it reports.
#include "manager/state_check.hpp"

#include <gtest/gtest.h>

#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

class Checked : public testing::Test {
 protected:
  // So many seconds pass; the number of checks that were made.
  int pass(int seconds) {
    int checks = 0;
    for (int i = 0; i < seconds; ++i) checks += check_.every_second(view_) ? 1 : 0;
    return checks;
  }
  void place_job(std::uint64_t id, Memory memory) {
    Job job;
    job.id = {id};
    job.phase = Phase::running;
    job.demand.tasks = 1;
    job.demand.need = cores(1);
    job.demand.memory = memory;
    job.placement = {{NodeId{0}, 1}};
    job.yield = Yield{kMillion / 1000};
    view_.jobs.emplace(job.id, job);
  }

  ClusterView view_ = [] {
    ClusterView view;
    view.nodes.push_back({NodeId{0}, "n0", cores(4), mebibytes(1000), NodeState::up, 4});
    return view;
  }();
  std::vector<std::string> said_;
  StateCheck check_{[this](const Violation& violation) { said_.push_back(violation.text); }};
};

TEST_F(Checked, ALawfulStateIsLookedAtAndNothingIsSaid) {
  place_job(1, mebibytes(600));
  EXPECT_EQ(pass(40), 4);
  EXPECT_TRUE(said_.empty());
}

TEST_F(Checked, ANodeThatHoldsTooMuchIsReportedOnceUntilItIsMended) {
  place_job(1, mebibytes(600));
  place_job(2, mebibytes(600));
  EXPECT_EQ(pass(40), 4);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("n0 would hold"), std::string::npos) << said_[0];
  view_.jobs.erase(JobId{2});
  pass(10);
  place_job(2, mebibytes(600));
  pass(10);
  EXPECT_EQ(said_.size(), 2U) << "it broke again";
}

TEST_F(Checked, WhatANodeHasNotToldYetIsNotTooLittle) {
  place_job(1, mebibytes(600));
  view_.nodes[0].memory = {};
  view_.nodes[0].capacity = {};
  pass(10);
  EXPECT_TRUE(said_.empty());
}

TEST_F(Checked, ManyJobsAreCheckedMoreRarely) {
  for (std::uint64_t id = 1; id <= 20 * StateCheck::kUnitsASecond; ++id) place_job(id, Memory{1});
  EXPECT_EQ(pass(100), 4);
}

}  // namespace
}  // namespace aliquot
