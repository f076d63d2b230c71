// A job is predicted from the runs that have ended before, and teaches when it has run to its end.
#include "policies/prediction/run_time_learner.hpp"

#include <gtest/gtest.h>

namespace aliquot::prediction {
namespace {

const RunTraits kOfAda{"", 1, "", 4, seconds(3'600)};

TEST(RunTimeLearner, what_has_not_ended_teaches_nothing) {
  RunTimeLearner learner;
  for (std::uint64_t job = 1; job <= 3; ++job)
    EXPECT_EQ(expected_run_time(learner.on_submitted({job}, kOfAda)), std::nullopt);
  learner.on_ended({1}, seconds(100));
  learner.on_ended({3}, std::nullopt);  // cancelled
  EXPECT_EQ(expected_run_time(learner.on_submitted({4}, kOfAda)), std::nullopt);
  learner.on_ended({2}, seconds(120));
  EXPECT_EQ(expected_run_time(learner.on_submitted({5}, kOfAda)), seconds(110));
}

TEST(RunTimeLearner, a_job_teaches_once_and_an_unknown_one_never) {
  RunTimeLearner learner;
  (void)learner.on_submitted({1}, kOfAda);
  learner.on_ended({1}, seconds(100));
  learner.on_ended({1}, seconds(100));
  learner.on_ended({2}, seconds(100));
  EXPECT_EQ(learner.history().list().front().runs, std::vector{seconds(100)});
}

TEST(RunTimeLearner, a_run_outside_of_what_was_said_widens_the_interval) {
  RunTimeLearner learner;
  for (std::uint64_t job = 1; job <= 3; ++job) {
    (void)learner.on_submitted({job}, kOfAda);
    learner.on_ended({job}, seconds(100));
  }
  (void)learner.on_submitted({4}, kOfAda);
  learner.on_ended({4}, seconds(500));
  EXPECT_NE(learner.history().export_csv().find("interval,,,,,,0;9,\n"), std::string::npos);
}

}  // namespace
}  // namespace aliquot::prediction
