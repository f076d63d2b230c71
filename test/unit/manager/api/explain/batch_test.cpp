// Jobs that wait for whole nodes: the first reason, and its figures.
#include "test/unit/manager/api/explain/situation.hpp"

namespace aliquot::test {
namespace {

const std::vector<Situation>& batch_waits() {
  static const std::vector<Situation> all{
      {"batch: for an idle node",
       [] { return one_runs("FCFS", with_estimate(small(), 100)).wait(2, small()); },
       2,
       {{"/reason", "nodes_busy"},
        {"/tightest", "cpu"},
        {"/held_by/0/job", 1},
        {"/expected/in_s", 20.0},
        {"/expected/basis", "estimates"},
        {"/kinds/0/reasons/0/what", "busy with other jobs"},
        {"/remedies/0", "1 more node with room become idle"}}},
      {"batch: behind another job",
       [] {
         return Stage("FCFS")
             .nodes(2)
             .run(1, with_estimate(small(), 100), {{{0}, 1}})
             .wait(2, with_estimate(submission(2, 1000, 400), 50))
             .wait(3, with_estimate(small(), 30));
       },
       3,
       {{"/reason", "behind_in_queue"}, {"/expected/in_s", 70.0}, {"/kinds/0/nodes", 2}}},
      {"batch: a reservation would be delayed",
       [] {
         return Stage("EASY")
             .nodes(2)
             .run(1, with_estimate(small(), 100), {{{0}, 1}})
             .wait(2, with_estimate(submission(2, 1000, 400), 50))
             .wait(3, with_estimate(small(), 500));
       },
       3,
       {{"/reason", "reserved"}, {"/expected/basis", "estimates"}}},
      {"batch: first in the queue, with a reservation",
       [] {
         return Stage("EASY")
             .nodes(2)
             .run(1, with_estimate(small(), 100), {{{0}, 1}})
             .wait(2, with_estimate(submission(2, 1000, 400), 50));
       },
       2,
       {{"/reason", "nodes_busy"}, {"/retry_in_s", 20.0}, {"/expected/in_s", 20.0}}},
      {"batch: conservative, with a promise",
       [] {
         return Stage("CONSERVATIVE")
             .nodes(1)
             .run(1, with_estimate(small(), 100), {{{0}, 1}})
             .wait(2, with_estimate(small(), 50));
       },
       2,
       {{"/reason", "nodes_busy"}, {"/expected/in_s", 20.0}}},
  };
  return all;
}

class BatchJobs : public testing::TestWithParam<Situation> {};

TEST_P(BatchJobs, Are_explained_with_their_figures) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Batch, BatchJobs, testing::ValuesIn(batch_waits()));

}  // namespace
}  // namespace aliquot::test
