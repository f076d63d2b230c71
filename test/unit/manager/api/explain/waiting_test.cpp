// Jobs that wait or are saved: the first reason, and its figures.
#include "test/unit/manager/api/explain/situation.hpp"

namespace aliquot::test {
namespace {

// n0 of libvirt is idle; job 2 was saved on n1 of Xen, which another job fills.
Stage waits_for_its_kind() {
  Stage stage = Stage("GREEDY-PMTN").nodes(2).run(1, large(), {{{1}, 1}}).saved(2, small());
  stage.state.view.nodes[1].hypervisor = HypervisorKind::xen;
  stage.job(1).pinned = true;
  stage.job(1).bound = stage.job(2).bound = HypervisorKind::xen;
  return stage;
}

const std::vector<Situation>& waits_for_ends() {
  static const std::vector<Situation> all{
      {"for memory, with a time limit on who holds it",
       [] { return one_runs("GREEDY", with_limit(large(), 200)).wait(2, small()); },
       2,
       {{"/reason", "memory"},
        {"/expected/basis", "time_limits"},
        {"/expected/in_s", 120.0},
        {"/expected/rests_on/0", 1}}},
      {"for memory, with a wall-clock limit on who holds it, which counts its pauses, too",
       [] {
         Stage stage = one_runs("GREEDY", with_wall_limit(large(), 200)).wait(2, small());
         stage.record(1).started = Instant{5'000'000};
         return stage;
       },
       2,
       {{"/reason", "memory"},
        {"/expected/basis", "time_limits"},
        {"/expected/in_s", 105.0},
        {"/expected/text",
         "at the latest in 1m45s, when job 1 has ended by its limit, if nothing else arrives and nothing "
         "fails"}}},
      {"for memory, with a wall-clock limit that comes before the estimate of who holds it",
       [] {
         return one_runs("GREEDY", with_wall_limit(with_estimate(large(), 900), 200)).wait(2, small());
       },
       2,
       {{"/expected/basis", "time_limits"}, {"/expected/in_s", 120.0}}},
      {"for memory, with an estimate that comes before the wall-clock limit of who holds it",
       [] {
         return one_runs("GREEDY", with_wall_limit(with_estimate(large(), 110), 200)).wait(2, small());
       },
       2,
       {{"/expected/basis", "estimates"}, {"/expected/in_s", 30.0}}},
      {"for a job that has not begun, whose wall-clock limit counts from then on",
       [] {
         return one_runs("DYNMCB8", with_limit(large(), 200))
             .wait(2, with_wall_limit(large(), 60))
             .wait(3, large());
       },
       3,
       {{"/expected/basis", "time_limits"}, {"/expected/in_s", 180.0}, {"/expected/rests_on/1", 2}}},
      {"for memory, with an estimate of who holds it",
       [] { return one_runs("GREEDY", with_estimate(large(), 110)).wait(2, small()); },
       2,
       {{"/reason", "memory"},
        {"/expected/basis", "estimates"},
        {"/expected/in_s", 30.0},
        {"/expected/event", "start"}}},
  };
  return all;
}

const std::vector<Situation>& waits() {
  static const std::vector<Situation> all{
      {"for the period, with room",
       [] { return Stage("DYNMCB8-PER-60").nodes(2).wait(1, small()); },
       1,
       {{"/reason", "waiting_for_tick"},
        {"/expected/basis", "next_decision"},
        {"/expected/in_s", 20.0},
        {"/tasks_that_fit", 1},
        {"/kinds/0/nodes", 2}}},
      {"for memory that another job holds",
       [] { return one_runs("GREEDY", large()).wait(2, small()); },
       2,
       {{"/reason", "memory"},
        {"/tightest", "memory"},
        {"/held_by/0/job", 1},
        {"/tasks_that_fit", 0},
        {"/kinds/0/kind", "1 core, 1000 MiB"},
        {"/kinds/0/reasons/0/what", "free memory below 400 MiB"},
        {"/expected/at", nullptr},
        {"/expected/basis", "ends_unknown"},
        {"/expected/rests_on/0", 1},
        {"/remedies/0", "400 MiB more become free, in pieces of 400 MiB on a node"},
        {"/remedies/2", "with at most 200 MiB a task, the VM's overhead included, it would fit now"},
        {"/remedies/3",
         "jobs lend what they do not use of it, where an operator sets `needs.memory: learned`"}}},
      {"for memory that another job holds, which has lent some of it",
       [] {
         return one_runs("GREEDY", with_counted_memory(submission(1, 1000, 900), mebibytes(700)))
             .wait(2, small());
       },
       2,
       {{"/reason", "memory"},
        {"/remedies/3",
         "an operator has jobs lend more of what they do not use: a lower needs.memory_kept"}}},
      {"for memory, on nodes of two kinds",
       [] {
         return Stage("GREEDY")
             .nodes(2)
             .nodes(1, 2, 300)
             .run(1, submission(2, 1000, 800), {{{0}, 1}, {{1}, 1}})
             .wait(2, small());
       },
       2,
       {{"/reason", "memory"},
        {"/kinds/0/nodes", 2},
        {"/kinds/1/nodes", 1},
        {"/kinds/1/reasons/0/what", "memory below 400 MiB even when empty"}}},
      {"for nodes of its own hypervisor kind, though others could take it",
       waits_for_its_kind,
       2,
       {{"/reason", "memory"},
        {"/tasks_that_fit", 0},
        {"/text",
         "asks for 1 task of 400 MiB and 1 core; there is room for 0 of 1: memory has to become free; its "
         "VMs are of xen and can go on only on nodes of xen: n1; other nodes could take it now if it were "
         "started anew"},
        {"/kinds/0/kind", "1 core, 1000 MiB, libvirt"},
        {"/kinds/0/reasons/0/what", "of hypervisor libvirt, and its VMs of xen"},
        {"/kinds/1/reasons/0/what", "free memory below 400 MiB"}}},
  };
  return all;
}

const std::vector<Situation>& capacity_waits() {
  static const std::vector<Situation> all{
      {"for CPU that is guaranteed to others",
       [] {
         return one_runs("GREEDY", with_floor(submission(1, 1000, 100), 800'000))
             .wait(2, with_floor(submission(1, 1000, 100), 500'000));
       },
       2,
       {{"/reason", "min_yield"},
        {"/tightest", "cpu"},
        {"/held_by/0/job", 1},
        {"/kinds/0/reasons/0/what", "less than 0.5 cores not guaranteed to others"}}},
      {"after failed attempts, backing off",
       [] {
         Stage stage = std::move(Stage("GREEDY").nodes(1).wait(1, small()));
         stage.state.view.memory.retries[{1}] = {3, {108'000'000}};
         stage.state.wake_at = Instant{108'000'000};
         return stage;
       },
       1,
       {{"/reason", "backing_off"},
        {"/retry_in_s", 8.0},
        {"/expected/in_s", 8.0},
        {"/expected/basis", "next_decision"}}},
      {"for more memory than any node has",
       [] { return Stage("GREEDY").nodes(3).wait(1, submission(1, 1000, 2000)); },
       1,
       {{"/reason", "never_fits"},
        {"/expected/basis", "never"},
        {"/kinds/0/nodes", 3},
        {"/kinds/0/reasons/0/what", "memory below 2000 MiB even when empty"}}},
      {"for more guaranteed CPU than any node has",
       [] { return Stage("DYNMCB8").nodes(2).wait(1, with_floor(submission(1, 2000, 100), kMillion)); },
       1,
       {{"/reason", "never_fits"},
        {"/tightest", "cpu"},
        {"/kinds/0/reasons/0/what", "capacity below the guaranteed 2 cores"}}},
      {"for a node that is down",
       [] {
         Stage stage = std::move(Stage("GREEDY").nodes(2).wait(1, submission(2, 1000, 800)));
         stage.state.view.nodes[1].state = NodeState::down;
         return stage;
       },
       1,
       {{"/reason", "nodes_unavailable"},
        {"/remedies/0", "node n1 comes back"},
        {"/kinds/0/nodes", 2},
        {"/tasks_that_fit", 1}}},
  };
  return all;
}

const std::vector<Situation>& operator_waits() {
  static const std::vector<Situation> all{
      {"because it is held",
       [] {
         Stage stage = std::move(Stage("DYNMCB8").nodes(1).wait(7, small()));
         stage.job(7).held = true;
         return stage;
       },
       7,
       {{"/reason", "held"},
        {"/state", "held"},
        {"/remedies/0", "`aliquot release 7` lets it be placed"},
        {"/expected/basis", "held"}}},
      {"because the mode is off",
       [] {
         Stage stage = std::move(Stage("DYNMCB8").nodes(1).wait(1, small()));
         stage.state.mode = Mode::off;
         return stage;
       },
       1,
       {{"/reason", "not_scheduled"},
        {"/expected/basis", "mode"},
        {"/remedies/0", "an operator sets the mode: `aliquot mode set auto`"}}},
      {"because the mode is advise",
       [] {
         Stage stage = std::move(Stage("DYNMCB8").nodes(1).wait(1, small()));
         stage.state.mode = Mode::advise;
         return stage;
       },
       1,
       {{"/reason", "not_scheduled"}, {"/expected/basis", "mode"}}},
      {"because the last plan broke a law",
       [] {
         Stage stage = std::move(Stage("DYNMCB8").nodes(1).wait(1, small()));
         stage.refused = "memory: n0 is over by 1 byte";
         stage.state.wake_at = Instant{130'000'000};
         return stage;
       },
       1,
       {{"/reason", "not_scheduled"}, {"/retry_in_s", 30.0}, {"/expected/basis", "next_decision"}}},
      {"saved, packed out in favour of a higher priority",
       [] {
         Stage stage = one_runs("DYNMCB8", large());
         stage.saved(2, large());
         stage.job(2).progress.accrued = seconds(89) * kFullYield;
         return stage;
       },
       2,
       {{"/reason", "lower_priority"},
        {"/state", "paused"},
        {"/tightest", "memory"},
        {"/held_by/0/job", 1},
        {"/expected/event", "resume"},
        {"/remedies/0", "time: its priority grows while it waits"}}},
  };
  return all;
}

const std::vector<Situation>& device_waits() {
  static const std::vector<Situation> all{
      {"for devices that this policy does not place",
       [] { return std::move(with_gpu("GREEDY").wait(1, gpu_job())); },
       1,
       {{"/reason", "other_policy"}, {"/expected/basis", "never"}}},
      {"for a device that another job holds",
       [] {
         Stage stage = std::move(with_gpu("IPSCHED").run(1, gpu_job(), {{{0}, 1}}).wait(2, gpu_job()));
         stage.job(1).devices = {1};
         return stage;
       },
       2,
       {{"/reason", "devices"},
        {"/tightest", "devices"},
        {"/held_by/0/job", 1},
        {"/kinds/0/kind", "4 cores, 1000 MiB, 1 V100"},
        {"/kinds/0/reasons/0/what", "free devices too few"}}},
      {"for devices that no node has",
       [] { return std::move(Stage("IPSCHED").nodes(2).wait(1, gpu_job())); },
       1,
       {{"/reason", "never_fits"}, {"/kinds/0/reasons/0/what", "has too few such devices"}}},
  };
  return all;
}

const std::vector<Situation>& maintenance_waits() {
  static const std::vector<Situation> all{
      {"for the end of a window of the node on which it might be in the way",
       [] {
         Submission fixed = small();
         fixed.demand.movable = false;
         Stage stage = one_runs("GREEDY", large()).nodes(1).wait(2, fixed);
         stage.job(2).demand.movable = false;
         stage.state.view.closings = {{{1}, kStageNow + seconds(60), kStageNow + seconds(120), "ram"}};
         return stage;
       },
       2,
       {{"/reason", "maintenance"},
        {"/text",
         "can be neither saved nor moved, and may run longer than until n1 (maintenance window ram) is to "
         "be empty; on the other nodes it asks for 1 task of 400 MiB and 1 core; there is room for 0 of 1: "
         "memory has to become free; n1 is to be empty from 2023-11-14T22:16:00.000Z to "
         "2023-11-14T22:17:00.000Z"},
        {"/expected/basis", "maintenance"},
        {"/expected/in_s", 120.0},
        {"/retry_in_s", 120.0},
        {"/tasks_that_fit", 0}}},
      {"for an operator who has announced to drain the node on which it might be in the way",
       [] {
         Submission fixed = small();
         fixed.demand.movable = false;
         Stage stage = one_runs("GREEDY", large()).nodes(1).wait(2, fixed);
         stage.job(2).demand.movable = false;
         stage.state.view.closings = {{{1}, kStageNow + seconds(60), {}, ""}};
         return stage;
       },
       2,
       {{"/reason", "maintenance"},
        {"/text",
         "can be neither saved nor moved, and may run longer than until n1 (a drain is announced) is to be "
         "empty; on the other nodes it asks for 1 task of 400 MiB and 1 core; there is room for 0 of 1: "
         "memory has to become free; n1 is to be empty from 2023-11-14T22:16:00.000Z on"},
        {"/tasks_that_fit", 0}}},
  };
  return all;
}

class WaitingJobs : public testing::TestWithParam<Situation> {};

TEST_P(WaitingJobs, Are_explained_with_their_figures) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(ForMemory, WaitingJobs, testing::ValuesIn(waits()));
INSTANTIATE_TEST_SUITE_P(ForEnds, WaitingJobs, testing::ValuesIn(waits_for_ends()));
INSTANTIATE_TEST_SUITE_P(ForCapacity, WaitingJobs, testing::ValuesIn(capacity_waits()));
INSTANTIATE_TEST_SUITE_P(ForSomebody, WaitingJobs, testing::ValuesIn(operator_waits()));
INSTANTIATE_TEST_SUITE_P(ForMaintenance, WaitingJobs, testing::ValuesIn(maintenance_waits()));
INSTANTIATE_TEST_SUITE_P(ForDevices, WaitingJobs, testing::ValuesIn(device_waits()));

}  // namespace
}  // namespace aliquot::test
