// The chronicle's words: what each kind of entry says of a few steps made by hand.
#include "manager/api/explain/chronicle.hpp"

#include "manager/api/explain/cause_words.hpp"
#include "manager/api/explain/chronicle_rows.hpp"
#include "test/unit/manager/api/explain/situation.hpp"

namespace aliquot::test {
namespace {

class ChronicleOfJobs : public testing::Test {
 protected:
  ChronicleOfJobs() { stage_.nodes(2).run(1, small(), {{{0}, 1}}).wait(2, small()); }

  // What the step changed is in the state already.
  std::vector<std::string> note(Step step) {
    std::vector<std::string> words;
    step.now = stage_.state.view.now;
    for (const ChronicleEntry& entry : chronicle_.note(step, stage_.state, stage_.policy()))
      words.push_back((entry.job ? "job " + std::to_string(entry.job->raw) + " " : "") +
                      wire::chronicle_words(stage_.state.view, entry));
    return words;
  }
  Step decision(std::uint64_t number, std::vector<Change> changes, bool adopted = true) {
    Step step;
    step.number = number;
    step.decision = Decision{"GREEDY", {}, {std::move(changes), {}, {}}, adopted, {}, 0};
    step.decision->cause.arrived = {{2}};
    return step;
  }
  void place(std::uint64_t id, Placement placement, std::int64_t yield_ppm) {
    Job& job = stage_.job(id);
    job.phase = placement.empty() ? Phase::paused : Phase::running;
    job.placement = std::move(placement);
    job.yield = {yield_ppm};
  }

  Stage stage_{"GREEDY"};
  Chronicle chronicle_{[] {
    Stage begin("GREEDY");
    begin.nodes(2).run(1, small(), {{{0}, 1}});
    return begin.state;
  }()};
};

using Words = std::vector<std::string>;

TEST_F(ChronicleOfJobs, TellsWhoWasSlowedForWhom) {
  place(1, {{{0}, 1}}, 500'000);
  place(2, {{{0}, 1}}, 500'000);
  EXPECT_EQ(note(decision(7, {{{1}, {{{0}, 1}}, {500'000}}, {{2}, {{{0}, 1}}, {500'000}}})),
            (Words{"job 1 slowed: yield 1.00 -> 0.50 on n0 (decision 7: job 2 arrived; for job 2)",
                   "job 2 starts: placed on n0 at yield 0.50 (decision 7: job 2 arrived)"}));
}

TEST_F(ChronicleOfJobs, TellsOfACheckpointOnceAndWhenTheJobGoesBackToIt) {
  Checkpoints& its = stage_.state.checkpoints[{1}];
  its.kept = {{4, stage_.state.view.now, seconds(90) * kFullYield}};
  its.last_pause = Duration{400'000};
  Step step;
  step.events = {Outcome{{9}, {1}, {0, 1}, {}, {}, {}}};
  EXPECT_EQ(note(step),
            (Words{"job 1 checkpoint 4 holds 90.0 s of served time (the VMs stood still for 0.4 s)"}));
  EXPECT_EQ(note(step), Words{});
  its.rollbacks = 1;
  const Words back = note(step);
  ASSERT_EQ(back.size(), 1U) << "also if it is placed again in the same step";
  EXPECT_TRUE(
      back[0].starts_with("job 1 goes on from checkpoint 4, made 0.0 s ago after 90.0 s of served time"))
      << back[0];
  EXPECT_EQ(note(step), Words{});
}

TEST_F(ChronicleOfJobs, TellsOfAMoveAndAPauseAndWhy) {
  place(1, {{{1}, 1}}, kMillion);
  EXPECT_EQ(note(decision(8, {{{1}, {{{1}, 1}}, kFullYield}}))[0],
            "job 1 moves from n0 to n1, yield 1.00 (decision 8: job 2 arrived)");
  place(1, {}, 0);
  place(2, {{{0}, 1}}, kMillion);
  const Words paused = note(decision(9, {{{1}, {}, {0}}, {{2}, {{{0}, 1}}, kFullYield}}));
  ASSERT_EQ(paused.size(), 2U);
  EXPECT_EQ(paused[0].substr(0, 38), "job 1 paused: off n1, backing_off: ask");
  EXPECT_NE(paused[0].find("(decision 9: job 2 arrived; for job 2)"), std::string::npos) << paused[0];
}

TEST_F(ChronicleOfJobs, TellsWhyAJobWaitsOnceAndAgainWhenTheReasonChanges) {
  Step arrival;
  arrival.number = 3;
  arrival.events = {Submitted{{2}, small()}};
  const Words first = note(arrival);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].substr(0, 25), "job 2 waits, backing_off:");
  EXPECT_TRUE(first[0].ends_with("(it was submitted)")) << first[0];
  EXPECT_TRUE(note(decision(4, {})).empty()) << "nothing has changed";
  stage_.job(2).held = true;
  Step hold;
  hold.number = 5;
  hold.events = {HoldChanged{{2}, true}};
  EXPECT_EQ(note(hold), (Words{"job 2 waits, held: It is held back; `aliquot release 2` lets it be placed. "
                               "(job 2 was held)"}));
}

TEST_F(ChronicleOfJobs, TellsOfAnotherNeedAndOfTheYieldThatFollows) {
  Step changed;
  changed.number = 6;
  changed.events = {
      NeedChanged{{1}, stage_.job(1).demand.need, "uid 7 has changed its need from 1 to 2 cores"}};
  EXPECT_EQ(note(changed), (Words{"job 1 uid 7 has changed its need from 1 to 2 cores"}));
  stage_.job(1).yield = {500'000};
  changed.number = 7;
  EXPECT_EQ(note(changed),
            (Words{"job 1 uid 7 has changed its need from 1 to 2 cores: yield 1.00 -> 0.50 on n0"}));
}

TEST_F(ChronicleOfJobs, TellsWhatAGuestAnnouncedAndWhyItWasRefused) {
  Step refused;
  refused.number = 6;
  refused.now = Instant{} + seconds(100);
  refused.events = {AnnouncementRefused{{1}, {0, 1, 1}, 9, refused.now + seconds(60), "at most 8"}};
  EXPECT_EQ(note(refused),
            (Words{"job 1 its task 0 announced 9 tasks in 60 s, which was refused: at most 8"}));
}

TEST_F(ChronicleOfJobs, TellsOfPlansThatWereRefusedOrOnlyShownOnce) {
  Step refused = decision(5, {{{1}, {{{1}, 1}}, kFullYield}}, false);
  refused.decision->violations = {{Law::memory, "n1 is over by 1 byte"}};
  const Words said = note(refused);
  ASSERT_GE(said.size(), 2U);
  EXPECT_EQ(said[0], "plan refused: memory: n1 is over by 1 byte (decision 5: job 2 arrived)");
  EXPECT_EQ(
      said[1],
      "job 1 not done, its plan broke a law (memory: n1 is over by 1 byte): from n0 to n1, yield 1.00 "
      "(decision 5: job 2 arrived)");
  Step advised = decision(6, {{{1}, {{{0}, 1}}, {400'000}}}, false);
  EXPECT_EQ(note(advised)[0],
            "job 1 advised, not done: yield 1.00 -> 0.40 on n0 (decision 6: job 2 arrived)");
  advised.number = 7;
  EXPECT_TRUE(note(advised).empty()) << "said before";
}

TEST_F(ChronicleOfJobs, TellsWhatFailedAndHowItEnded) {
  Step issued;
  issued.number = 3;
  issued.actions = {Save{{{11}, {1}, {0, 1}}, {{0}}}};
  (void)note(issued);
  Step failed;
  failed.number = 4;
  failed.events = {
      Outcome{{11}, {1}, {0, 1}, Error{ErrorKind::refused, "no space left on device"}, {}, {}}};
  const Words words = note(failed);
  EXPECT_EQ(words[0], "job 1 save of task 0 failed (no space left on device)");
  stage_.state.view.jobs.erase(JobId{1});
  Step ended;
  ended.number = 5;
  JobOutcome outcome;
  outcome.job = {1};
  outcome.submission = small();
  outcome.result = JobResult::cancelled;
  outcome.note = "cancelled by uid 0";
  ended.ended = {outcome};
  const Words last = note(ended);
  ASSERT_FALSE(last.empty());
  EXPECT_EQ(last.back(), "job 1 ended, cancelled (cancelled by uid 0)");
}

TEST_F(ChronicleOfJobs, TellsOfANodeThatTookAJobWithIt) {
  place(1, {}, 0);
  stage_.state.view.nodes[0].state = NodeState::down;
  Step down;
  down.number = 4;
  down.events = {NodeChanged{{0}, NodeState::down, "no answer"}};
  const Words words = note(down);
  ASSERT_FALSE(words.empty());
  EXPECT_EQ(words[0].substr(0, 31), "job 1 lost its place: off n0, b");
  EXPECT_NE(words[0].find("(node n0 became down: no answer)"), std::string::npos) << words[0];
}

TEST_F(ChronicleOfJobs, TellsOfAJobThatStartsAnew) {
  place(1, {}, 0);
  JobRecord& record = stage_.record(1);
  record.reruns = 1;
  record.note = "node n0 was confirmed down";
  Submission what = record.submission;
  what.requeue = 2;
  record.submission = what;
  Job& job = stage_.job(1);
  job.phase = Phase::waiting;
  job.placement.clear();
  job.yield = {};
  Step found;
  found.number = 4;
  found.events = {Inspected{{1}, 0, 1, VmFact::absent, {}, {}}};
  const Words words = note(found);
  ASSERT_FALSE(words.empty());
  EXPECT_EQ(words[0], "job 1 starts anew from the beginning, rerun 1 of 2 (node n0 was confirmed down)");
}

TEST(CauseWords, NameAFewAndCountTheRest) {
  EXPECT_EQ(jobs_words({{1}}), "job 1");
  EXPECT_EQ(jobs_words({{1}, {2}}), "jobs 1 and 2");
  EXPECT_EQ(jobs_words({{1}, {2}, {3}, {4}, {5}}), "jobs 1, 2, 3 and 2 more");
  Step step;
  step.decision.emplace();
  step.decision->cause.tick = step.decision->cause.completed = true;
  EXPECT_EQ(cause_words(step, {}), "something ended, the period was over");
  EXPECT_EQ(cause_words({}, {}), "what stands was looked at again");
}

}  // namespace
}  // namespace aliquot::test
