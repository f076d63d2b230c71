// Jobs that are placed, leave or have ended: the first reason, and its figures.
#include "test/support/json_form.hpp"
#include "test/unit/manager/api/explain/situation.hpp"

namespace aliquot::test {
namespace {

const std::vector<Situation>& runs() {
  static const std::vector<Situation> all{
      {"slowed by a job on the same node",
       [] {
         return Stage("GREEDY")
             .nodes(2, 1)
             .run(1, submission(1, 1000, 400), {{{0}, 1}}, 500'000)
             .run(2, with_limit(submission(1, 1000, 400), 90), {{{0}, 1}}, 500'000);
       },
       1,
       {{"/reason", "sharing_cpu"},
        {"/yield", 0.5},
        {"/tightest", "cpu"},
        {"/held_by/0/job", 2},
        {"/held_by/0/yield", 0.5},
        {"/kinds/0/reasons/0/what", "its tasks ask for 2 cores, it has 1 core"},
        {"/remedies/0", "what is asked for on node n0 falls by 1 core"},
        {"/expected/event", "full_yield"},
        {"/expected/basis", "time_limits"},
        {"/expected/in_s", 100.0}}},
      {"at full yield, with an estimate",
       [] { return one_runs("DYNMCB8", with_estimate(small(), 200)); },
       1,
       {{"/reason", "running_at_full_yield"},
        {"/expected/event", "end"},
        {"/expected/in_s", 120.0},
        {"/expected/basis", "estimates"},
        {"/remedies", json::array()}}},
      {"at full yield, with a prediction, which is nearer than its user's estimate",
       [] {
         Submission what = with_estimate(small(), 900);
         what.demand.predicted = seconds(200);
         return one_runs("DYNMCB8", what);
       },
       1,
       {{"/expected/event", "end"}, {"/expected/in_s", 120.0}, {"/expected/basis", "predictions"}}},
      {"at full yield, for longer than was predicted",
       [] {
         Submission what = with_estimate(small(), 200);
         what.demand.predicted = seconds(50);
         return one_runs("DYNMCB8", what);
       },
       1,
       {{"/expected/event", "end"}, {"/expected/in_s", 120.0}, {"/expected/basis", "estimates"}}},
      {"at full yield, with a wall-clock limit that comes before what was predicted",
       [] {
         Submission what = with_wall_limit(small(), 100);
         what.demand.predicted = seconds(200);
         return one_runs("DYNMCB8", what);
       },
       1,
       {{"/expected/event", "end"},
        {"/expected/in_s", 20.0},
        {"/expected/basis", "time_limits"},
        {"/expected/text", "its end is expected in 20s, at the latest, by its wall-clock limit"}}},
      {"while it starts",
       [] {
         Stage stage = one_runs("DYNMCB8", small());
         Vm& vm = stage.record(1).vms[0];
         vm.state = VmState::absent;
         vm.flight = Flight{{9}, ActionKind::create, {0}, kFullYield, {99'000'000}};
         stage.record(1).started.reset();
         stage.job(1).in_flight = true;
         return stage;
       },
       1,
       {{"/reason", "in_flight"}, {"/state", "starting"}}},
  };
  return all;
}

// Job 1 is on a node that has not answered for a minute.
Stage silent_stage(std::uint32_t requeue) {
  Submission what = small();
  what.requeue = requeue;
  Stage stage = one_runs("DYNMCB8", what);
  stage.state.view.nodes[0].state = NodeState::suspect;
  stage.state.node_records[{0}] = {kStageNow - seconds(60), "connection refused"};
  stage.record(1).silence = stage.job(1).progress;
  return stage;
}

const std::vector<Situation>& lends_memory() {
  static const std::vector<Situation> all{
      {"at full yield, while its memory is lent to a job that makes way for it",
       [] {
         return one_runs("DYNMCB8", with_counted_memory(submission(1, 500, 900), mebibytes(600)))
             .run(2, submission(1, 500, 300), {{{0}, 1}});
       },
       1,
       {{"/reason", "running_at_full_yield"},
        {"/remedies/0",
         "a task wants more than 600 MiB of memory: it has all 900 MiB again at once, and other jobs on "
         "its nodes make way for 200 MiB"},
        {"/remedies/1",
         "submitted with --needs declared, a job keeps all the memory that it declares; an operator gives "
         "all jobs theirs with `needs.memory: declared`"}}},
      {"at full yield, while its memory is lent to nothing yet",
       [] { return one_runs("DYNMCB8", with_counted_memory(large(), mebibytes(600))); },
       1,
       {{"/remedies/0", "a task wants more than 600 MiB of memory: it has all 800 MiB again at once"}}},
  };
  return all;
}

const std::vector<Situation>& runs_on_the_way() {
  static const std::vector<Situation> all{
      {"while it is moved",
       [] {
         Stage stage = std::move(Stage("DYNMCB8").nodes(2).run(1, small(), {{{1}, 1}}));
         Vm& vm = stage.record(1).vms[0];
         vm.node = {0};
         vm.flight = Flight{{9}, ActionKind::migrate, {1}, {}, {99'000'000}};
         return stage;
       },
       1,
       {{"/reason", "in_flight"}, {"/state", "migrating"}}},
      {"just after it was resumed",
       [] {
         Stage stage = one_runs("DYNMCB8", small());
         stage.job(1).progress.stalled_until = {107'000'000};
         return stage;
       },
       1,
       {{"/reason", "in_flight"}, {"/retry_in_s", 7.0}}},
      {"while a save fails again and again",
       [] {
         Stage stage = std::move(Stage("DYNMCB8").nodes(1).saved(1, small()));
         stage.record(1).vms[0].state = VmState::running;
         stage.record(1).vms[0].failures = 2;
         stage.record(1).vms[0].not_before = {130'000'000};
         return stage;
       },
       1,
       {{"/reason", "in_flight"}, {"/state", "pausing"}, {"/retry_in_s", 30.0}}},
      {"while its memory finds no space in the spool",
       [] {
         Stage stage = std::move(Stage("DYNMCB8").nodes(1).saved(1, small()));
         stage.record(1).vms[0].state = VmState::running;
         stage.record(1).vms[0].failures = 1;
         stage.record(1).failure = ErrorKind::no_space;
         stage.record(1).note = "task 0: save failed: it does not fit";
         return stage;
       },
       1,
       {{"/reason", "save_space"},
        {"/state", "pausing"},
        {"/remedies/0",
         "an operator makes room in the spool, or on the disk of a node with local_saves, or lowers "
         "spool.reserve"}}},
      {"held, but pinned to its node",
       [] {
         Stage stage = one_runs("DYNMCB8", small());
         stage.job(1).held = stage.job(1).pinned = true;
         return stage;
       },
       1,
       {{"/reason", "held"}, {"/state", "running"}}},
      {"while it is being cancelled",
       [] {
         Stage stage = one_runs("DYNMCB8", small());
         stage.record(1).leaving = stage.job(1);
         stage.record(1).note = "cancelled by uid 0";
         stage.state.view.jobs.erase(JobId{1});
         return stage;
       },
       1,
       {{"/reason", "in_flight"},
        {"/state", "ending"},
        {"/yield", nullptr},
        {"/expected/basis", "under_way"}}},
  };
  return all;
}

const std::vector<Situation>& cannot_be_paused() {
  static const std::vector<Situation> all{
      {"while it runs on because one of its VMs could not be saved",
       [] {
         Stage stage = std::move(Stage("DYNMCB8").nodes(1).saved(1, small()));
         stage.record(1).vms[0].state = VmState::running;
         stage.record(1).failed_pauses = 2;
         stage.record(1).pause_again = {130'000'000};
         return stage;
       },
       1,
       {{"/reason", "in_flight"}, {"/state", "pausing"}, {"/retry_in_s", 30.0}}},
      {"while it is brought back for that",
       [] {
         Stage stage = std::move(Stage("DYNMCB8").nodes(1).saved(1, small()));
         stage.record(1).vms[0].state = VmState::ready;
         stage.record(1).failed_pauses = 1;
         stage.record(1).pause_again = kNever;
         stage.record(1).note = "task 0: save failed: it does not fit";
         return stage;
       },
       1,
       {{"/reason", "in_flight"},
        {"/text",
         "It is pausing: its VMs are on their way to where the plan wants them. The last attempt has "
         "failed "
         "(task 0: save failed: it does not fit); all its VMs are being brought back to where they "
         "were."}}},
  };
  return all;
}

const std::vector<Situation>& runs_nowhere_known() {
  static const std::vector<Situation> all{
      {"on a node that does not answer",
       [] { return silent_stage(3); },
       1,
       {{"/reason", "node_silent"},
        {"/state", "unreachable"},
        {"/expected/basis", "node_silent"},
        {"/text",
         "Node n0 has not answered for 1m (connection refused). Nothing is known of its VM there, and the "
         "time does not count as served until it is. If the node is off for good, the job starts anew "
         "(rerun 1 of 3) when an operator confirms it: `aliquot node confirm-down n0`."}}},
      {"cancelled, on a node that does not answer",
       [] {
         Stage stage = silent_stage(0);
         stage.record(1).leaving = stage.job(1);
         stage.record(1).note = "cancelled by uid 0";
         stage.state.view.jobs.erase(JobId{1});
         return stage;
       },
       1,
       {{"/reason", "node_silent"}, {"/state", "ending"}}},
      {"about to start anew",
       [] {
         Stage stage = one_runs("DYNMCB8", small());
         stage.record(1).leaving = stage.job(1);
         stage.record(1).note = "node n1 was confirmed down";
         stage.record(1).starts_anew = true;
         stage.state.view.jobs.erase(JobId{1});
         return stage;
       },
       1,
       {{"/reason", "in_flight"},
        {"/state", "pending"},
        {"/expected/event", "start"},
        {"/text",
         "It starts anew when what is left of its VMs is destroyed: node n1 was confirmed down."}}},
  };
  return all;
}

// Moved lately, or to be moved while others are.
const std::vector<Situation>& runs_and_moves() {
  static const std::vector<Situation> all{
      {"moved twice in a row",
       [] {
         Stage stage = one_runs("DYNMCB8", small());
         stage.record(1).cool_down = {2, kStageNow + seconds(90)};
         stage.job(1).pinned = stage.job(1).cools_down = true;
         return stage;
       },
       1,
       {{"/reason", "running_at_full_yield"},
        {"/text",
         "runs at yield 1: all it needs. It has been moved 2 times in a row: for another 1m30s it is "
         "neither "
         "moved nor paused for others (moves.cool_down)."}}},
      {"waits until other VMs have been moved",
       [] {
         Stage stage = one_runs("DYNMCB8", small());
         stage.nodes(1).run(2, small(), {{{1}, 1}});
         stage.state.moves.at_a_time = 1;
         stage.record(1).vms[0].wanted = {1};
         stage.record(2).vms[0].flight = Flight{{7}, ActionKind::migrate, {0}, {}, kStageNow};
         return stage;
       },
       1,
       {{"/reason", "in_flight"},
        {"/state", "migrating"},
        {"/text",
         "It is migrating: its VMs are on their way to where the plan wants them. At most 1 VM of the "
         "cluster is moved at a time (moves.at_a_time): it waits for its turn."}}},
  };
  return all;
}

class RunningJobs : public testing::TestWithParam<Situation> {};

TEST_P(RunningJobs, Are_explained_with_their_figures) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Runs, RunningJobs, testing::ValuesIn(runs()));
INSTANTIATE_TEST_SUITE_P(LendsMemory, RunningJobs, testing::ValuesIn(lends_memory()));
INSTANTIATE_TEST_SUITE_P(OnTheWay, RunningJobs, testing::ValuesIn(runs_on_the_way()));
INSTANTIATE_TEST_SUITE_P(Moves, RunningJobs, testing::ValuesIn(runs_and_moves()));
INSTANTIATE_TEST_SUITE_P(CannotBePaused, RunningJobs, testing::ValuesIn(cannot_be_paused()));
INSTANTIATE_TEST_SUITE_P(NowhereKnown, RunningJobs, testing::ValuesIn(runs_nowhere_known()));

TEST(SituationsOfTheEnd, TellHowAndWhen) {
  JobOutcome ended;
  ended.job = {3};
  ended.submission = submission(2, 1000, 100);
  ended.result = JobResult::timed_out;
  ended.note = "over its time limit of 20s";
  ended.submitted = {10'000'000};
  ended.started = Instant{20'000'000};
  ended.ended = {70'000'000};
  const json failed = test::in_form("why", why_answer(ended, {kStageNow, Calendar(0)}));
  EXPECT_EQ(failed["reason"], "ended");
  EXPECT_EQ(failed["state"], "timed_out");
  EXPECT_EQ(failed["for_s"], 30.0);
  EXPECT_EQ(failed["text"],
            "It has ended (timed_out) 30s ago, 1m after it was submitted: over its time limit of 20s.");
  ended.started.reset();
  ended.result = JobResult::cancelled;
  EXPECT_NE(
      test::in_form("why", why_answer(ended, {kStageNow, Calendar(0)}))["text"].get<std::string>().find(
          "and never ran"),
      std::string::npos);
}

}  // namespace
}  // namespace aliquot::test
