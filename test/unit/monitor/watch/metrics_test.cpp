#include "monitor/metrics.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "monitor/metric_table.hpp"
#include "test/unit/monitor/watch/series_text.hpp"
#include "test/unit/monitor/watch/small_cluster.hpp"

namespace aliquot {
namespace {

using namespace test;

MetricsOptions options() {
  return {"1.2", "abc", "9.0", [](const ClusterView&, JobId) { return Reason::memory; },
          [] { return 1234.5; }};
}

TEST(Metrics, StartWithTheSeriesThatAlertsCompare) {
  const Metrics metrics(options());
  EXPECT_EQ(value(metrics, "aliquot_build_info{libvirt=\"9.0\",revision=\"abc\",version=\"1.2\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_jobs_submitted_total"), "0");
  EXPECT_EQ(value(metrics, "aliquot_jobs_finished_total{result=\"timed_out\"}"), "0");
  EXPECT_EQ(value(metrics, "aliquot_plan_actions_total{action=\"migrate\",result=\"failed\"}"), "0");
  EXPECT_EQ(value(metrics, "aliquot_config_last_reload_successful"), "1");
  EXPECT_NE(value(metrics, "process_resident_memory_bytes"), "none");
  EXPECT_NE(value(metrics, "process_cpu_seconds_total"), "none");
}

TEST(Metrics, ReadJobsYieldsAndNodesOffTheCluster) {
  Metrics metrics(options());
  metrics.refresh(two_nodes(), Instant{});
  EXPECT_EQ(value(metrics, "aliquot_jobs{state=\"running\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_jobs{state=\"waiting\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_jobs{state=\"held\"}"), "0");
  EXPECT_EQ(value(metrics, "aliquot_pending_jobs{reason=\"memory\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_pending_jobs{reason=\"never_fits\"}"), "0");
  EXPECT_EQ(value(metrics, "aliquot_job_yield_min_ratio"), "0.5");
  EXPECT_EQ(value(metrics, "aliquot_job_yield_avg_ratio"), "0.75");
  EXPECT_EQ(value(metrics, "aliquot_job_yield_bound_ratio"), "1");  // apart, both would have all they need
  EXPECT_EQ(value(metrics, "aliquot_node_up{node=\"n1\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_node_up{node=\"n2\"}"), "0");
  EXPECT_EQ(value(metrics, "aliquot_node_cpu_allocated_ratio{node=\"n1\"}"), "0.5");
  EXPECT_EQ(value(metrics, "aliquot_node_cpu_capacity_cores{node=\"n2\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_node_memory_allocated_bytes{node=\"n1\"}"), std::to_string(768 << 20));
}

TEST(Metrics, AreReadEverySecondAndLessOftenOffThousandsOfJobs) {
  Metrics metrics(options());
  ClusterView view = two_nodes();
  metrics.keep_fresh(view, Instant{});
  const auto running_after = [&](std::int64_t milliseconds) {
    for (auto&& [id, job] : view.jobs)
      if (job.phase == Phase::running) job.phase = Phase::paused;
    metrics.keep_fresh(view, Instant{} + Duration{1000 * milliseconds});
    return value(metrics, "aliquot_jobs{state=\"running\"}");
  };
  EXPECT_EQ(running_after(999), "2");
  EXPECT_EQ(running_after(1000), "0");
  for (std::uint64_t id = 100; view.jobs.size() < 3 * Metrics::kJobsASecond; ++id) {
    Job job;
    job.id = {id};
    job.phase = Phase::running;
    view.jobs.emplace(job.id, job);
  }
  metrics.refresh(view, Instant{} + seconds(1));
  EXPECT_NE(running_after(3999), "0");
  EXPECT_EQ(running_after(4000), "0");
}

TEST(Metrics, CountWhatAStepBrings) {
  Metrics metrics(options());
  metrics.policy_in_force("EASY", std::nullopt);
  Step step;
  step.events = {submitted(1), submitted(2)};
  step.decision = decision("EASY", true, 1, 2'000'000);
  step.actions = {create(7, 1, 3)};
  step.ended = {ended(9, JobResult::completed, 4), ended(8, JobResult::failed)};
  metrics.on_step(step, two_nodes());
  EXPECT_EQ(value(metrics, "aliquot_jobs_submitted_total"), "2");
  EXPECT_EQ(value(metrics, "aliquot_jobs_finished_total{result=\"completed\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_job_stretch_ratio_sum{size_class=\"small\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_job_stretch_ratio_bucket{size_class=\"one\",le=\"1.5\"}"), "0");
  EXPECT_EQ(value(metrics, "aliquot_job_stretch_ratio_bucket{size_class=\"one\",le=\"2\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_reschedule_passes_total{policy=\"EASY\",result=\"applied\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_reschedule_duration_seconds_count{policy=\"EASY\",trigger=\"event\"}"),
            "1");
  EXPECT_EQ(value(metrics, "aliquot_reschedule_last_success_timestamp_seconds{policy=\"EASY\"}"), "1234.5");
}

TEST(Metrics, ARunTimeIsComparedWithWhatWasLearnedAndWithWhatItsUserSaid) {
  Metrics metrics(options());
  const auto that_ran = [](std::optional<Duration> predicted, std::optional<Duration> limit,
                           JobResult result) {
    JobOutcome outcome = ended(9, result);
    outcome.virtual_time = seconds(30) * kFullYield;
    Submission job = *outcome.submission;
    job.demand.predicted = predicted;
    job.demand.estimate.reset();
    job.time_limit = limit;
    outcome.submission = std::move(job);
    return outcome;
  };
  Step step;
  step.ended = {that_ran(seconds(20), seconds(60), JobResult::completed),
                that_ran(std::nullopt, seconds(120), JobResult::completed),
                that_ran(seconds(20), seconds(30), JobResult::timed_out)};
  metrics.on_step(step, two_nodes());
  EXPECT_EQ(value(metrics, "aliquot_job_run_time_error_ratio_sum{source=\"learned\"}"), "1.5");
  EXPECT_EQ(value(metrics, "aliquot_job_run_time_error_ratio_sum{source=\"user\"}"), "0.75");
  EXPECT_EQ(value(metrics, "aliquot_job_run_time_error_ratio_count{source=\"user\"}"), "2");
}

TEST(Metrics, AnActionIsCountedPerVmWhenItsOutcomeComes) {
  Metrics metrics(options());
  Step issued;
  issued.actions = {create(7, 1, 3)};
  metrics.on_step(issued, two_nodes());
  Step done;
  done.events = {outcome(7, 0, 2)};
  Outcome late = outcome(7, 2, 1);
  late.error = Error{ErrorKind::timeout, "n1 did not answer"};
  done.events.emplace_back(late);
  done.events.emplace_back(outcome(7, 0, 3));   // of an action that is over
  done.events.emplace_back(outcome(99, 0, 1));  // of an unknown action
  metrics.on_step(done, two_nodes());
  EXPECT_EQ(value(metrics, "aliquot_plan_actions_total{action=\"create\",result=\"ok\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_plan_actions_total{action=\"create\",result=\"timeout\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_action_duration_seconds_count{action=\"create\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_action_duration_seconds_sum{action=\"create\"}"), "4");
}

TEST(Metrics, AJobIsFailingFromTheThirdFailureInARowToTheNextSuccess) {
  Metrics metrics(options());
  const std::string series = "aliquot_failing_jobs{action=\"create\"}";
  std::uint64_t op = 10;
  const auto one_of_two_tasks = [&](bool fails) {
    Step issued;
    issued.actions = {create(++op, 1, 2)};
    metrics.on_step(issued, two_nodes());
    Step done;
    for (const std::uint32_t task : {0U, 1U}) {
      Outcome one = outcome(op, task, 1);
      one.job = {1};
      if (fails && task == 0) one.error = Error{ErrorKind::internal, "no space"};
      done.events.emplace_back(one);
    }
    metrics.on_step(done, two_nodes());
    return value(metrics, series);
  };
  EXPECT_EQ(value(metrics, series), "0");
  EXPECT_EQ(one_of_two_tasks(true), "0");
  EXPECT_EQ(one_of_two_tasks(true), "0");
  EXPECT_EQ(one_of_two_tasks(true), "1");
  EXPECT_EQ(one_of_two_tasks(true), "1");
  EXPECT_EQ(value(metrics, "aliquot_failing_jobs{action=\"save\"}"), "0");
  EXPECT_EQ(one_of_two_tasks(false), "0");
  for (int i = 0; i < 3; ++i) (void)one_of_two_tasks(true);
  Step last;
  last.ended = {ended(1, JobResult::cancelled)};
  metrics.on_step(last, two_nodes());
  EXPECT_EQ(value(metrics, series), "0") << "a job that has ended fails no more";
}

TEST(Metrics, ADecisionIsNamedByWhatItWasTakenForAndWhatBecameOfIt) {
  Metrics metrics(options());
  const auto decide = [&](std::vector<Event> events, Decision made) {
    Step step;
    step.events = std::move(events);
    step.decision = std::move(made);
    metrics.on_step(step, two_nodes());
  };
  decide({Tick{}}, decision("P", true));
  decide({Tick{}, submitted(1)}, decision("P", false));
  decide({PolicyChanged{"P"}, Tick{}}, refused("P", "n1"));
  for (const auto* trigger : {"timer", "event", "operator"}) {
    EXPECT_EQ(value(metrics, "aliquot_reschedule_duration_seconds_count{policy=\"P\",trigger=\"" +
                                 std::string(trigger) + "\"}"),
              "1");
  }
  for (const auto* result : {"no_change", "advised", "rejected"}) {
    EXPECT_EQ(value(metrics,
                    "aliquot_reschedule_passes_total{policy=\"P\",result=\"" + std::string(result) + "\"}"),
              "1");
  }
}

TEST(Metrics, APolicyThatIsNoLongerInForceLosesItsGauges) {
  Metrics metrics(options());
  metrics.policy_in_force("DYNMCB8-PER-600", seconds(600));
  EXPECT_EQ(value(metrics, "aliquot_reschedule_period_seconds{policy=\"DYNMCB8-PER-600\"}"), "600");
  metrics.policy_in_force("DYNMCB8-PER-60", seconds(60));
  EXPECT_EQ(value(metrics, "aliquot_reschedule_period_seconds{policy=\"DYNMCB8-PER-600\"}"), "none");
  EXPECT_EQ(value(metrics, "aliquot_reschedule_period_seconds{policy=\"DYNMCB8-PER-60\"}"), "60");
  metrics.mode_in_force(Mode::advise);
  EXPECT_EQ(value(metrics, "aliquot_mode{mode=\"advise\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_mode{mode=\"auto\"}"), "0");
  metrics.epoch(3);
  EXPECT_EQ(value(metrics, "aliquot_epoch"), "3");
  metrics.reloaded(false);
  EXPECT_EQ(value(metrics, "aliquot_config_last_reload_successful"), "0");
  EXPECT_EQ(value(metrics, "aliquot_state_violations"), "0");
  metrics.state_violations(2);
  EXPECT_EQ(value(metrics, "aliquot_state_violations"), "2");
}

TEST(Metrics, WhatIsAskedAndLabelledIsBounded) {
  std::size_t asked = 0;
  auto given = options();
  given.explain = [&](const ClusterView&, JobId) { return ++asked, Reason::held; };
  Metrics metrics(std::move(given));
  ClusterView view = two_nodes();
  for (std::uint64_t id = 10; id < 1010; ++id) view.jobs[{id}] = job(id, Phase::waiting);
  Step step;
  for (int i = 0; i < 10; ++i, step.now = step.now + Duration{1000}) metrics.on_step(step, view);
  // At most once a second, whatever the number of steps; about so many that it takes ten milliseconds.
  EXPECT_EQ(asked, 100'000 / (1002 + 2));
  EXPECT_EQ(value(metrics, "aliquot_pending_jobs{reason=\"unexplained\"}"), std::to_string(1002 - 99));
  for (int i = 0; i < 5000; ++i) metrics.request_answered("m" + std::to_string(i), "ok", seconds(1));
  EXPECT_EQ(value(metrics, "aliquot_rpc_requests_total{code=\"other\",method=\"other\"}"),
            std::to_string(5000 - 1024));
}

TEST(Metrics, WhatDecisionsGiveAndTakeIsToldApart) {
  Metrics metrics(options());
  const ClusterView view = two_nodes();  // job 1 runs and needs a core for each of its units
  Step step;
  step.number = 7;
  step.decision = decision("FCFS", true, 0, 1000);
  const Standing half{Phase::running, Yield{500'000}, {{{0}, 2}}};
  const Standing whole{Phase::running, kFullYield, {{{0}, 1}, {{1}, 1}}};
  const auto entry = [](Turn turn, std::uint64_t number, const Standing& before, const Standing& after) {
    ChronicleEntry made;
    made.job = JobId{1};
    made.turn = turn;
    made.decision = number;
    made.before = before;
    made.after = after;
    return made;
  };
  step.chronicle = {entry(Turn::move, 7, half, whole), entry(Turn::pause, 7, half, {}),
                    entry(Turn::refused, 7, half, whole), entry(Turn::cap, 6, half, whole)};
  metrics.on_step(step, view);
  EXPECT_EQ(value(metrics, "aliquot_plan_given_cores_total{policy=\"FCFS\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_plan_taken_cores_total{policy=\"FCFS\"}"), "1");
  const auto gains_up_to = [&](const std::string& bound) {
    return value(metrics, "aliquot_plan_gain_ratio_bucket{policy=\"FCFS\",le=\"" + bound + "\"}");
  };
  EXPECT_EQ(gains_up_to("0.45"), "0");
  EXPECT_EQ(gains_up_to("0.5"), "1") << "one core given, one taken";
  step.chronicle = {entry(Turn::move, 7, half, whole)};
  metrics.on_step(step, view);
  step.chronicle = {entry(Turn::pause, 7, half, {})};
  metrics.on_step(step, view);
  step.chronicle = {entry(Turn::cap, 7, half, half), entry(Turn::refused, 7, half, whole)};
  metrics.on_step(step, view);
  EXPECT_EQ(gains_up_to("0"), "1") << "a pause alone";
  EXPECT_EQ(gains_up_to("0.99"), "2");
  EXPECT_EQ(gains_up_to("1"), "3") << "and what changes no share has no gain";
}

TEST(Metrics, CallsOfLibvirtAreTimedAndTheirFailuresCountedByKind) {
  Metrics metrics(options());
  metrics.libvirt_called("n1", "save", seconds(2), "");
  metrics.libvirt_called("n2", "save", seconds(4), "timeout");
  metrics.migrated(Duration{80'000});
  EXPECT_EQ(value(metrics, "aliquot_libvirt_call_duration_seconds_sum{call=\"save\"}"), "6");
  EXPECT_EQ(value(metrics, "aliquot_libvirt_call_duration_seconds_count{call=\"save\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_libvirt_call_failures_total{call=\"save\",error=\"timeout\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_node_calls_total{node=\"n1\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_node_call_failures_total{node=\"n1\"}"), "0");
  EXPECT_EQ(value(metrics, "aliquot_node_call_failures_total{node=\"n2\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_node_call_seconds_total{node=\"n2\"}"), "4");
  EXPECT_EQ(value(metrics, "aliquot_migration_downtime_seconds_bucket{le=\"0.1\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_migration_downtime_seconds_bucket{le=\"0.05\"}"), "0");
}

TEST(Metrics, APauseForACheckpointIsCountedOncePerJobAndARestoreOncePerVm) {
  Metrics metrics(options());
  const ClusterView view = two_nodes();
  Step begin;
  begin.actions = {Checkpoint{{{1}, {1}, {0, 2}}, 1}, Checkpoint{{{2}, {2}, {0, 1}}, 1},
                   Restore{{{3}, {3}, {0, 2}}, NodeId{0}, kFullYield, 4},
                   Restore{{{4}, {4}, {0, 2}}, NodeId{0}, kFullYield}};
  metrics.on_step(begin, view);
  Step end;
  end.events = {Outcome{{1}, {1}, {0, 1}, {}, seconds(3), seconds(2)},
                Outcome{{1}, {1}, {1, 1}, {}, seconds(3), seconds(2)},
                Outcome{{2}, {2}, {0, 1}, Error{ErrorKind::refused, "disk full"}, seconds(3), seconds(2)}};
  metrics.on_step(end, view);
  EXPECT_EQ(value(metrics, "aliquot_checkpoint_pause_seconds_count"), "1");
  EXPECT_EQ(value(metrics, "aliquot_checkpoint_pause_seconds_sum"), "2");
  EXPECT_EQ(value(metrics, "aliquot_checkpoint_restores_total"), "2");
  EXPECT_EQ(value(metrics, "aliquot_plan_actions_total{action=\"checkpoint\",result=\"failed\"}"), "1");
}

TEST(Metrics, HowFarApartTheVmsOfAJobStopAndGoOnIsMeasuredFromTheFirstToTheLast) {
  Metrics metrics(options());
  const ClusterView view = two_nodes();
  Step begin;
  begin.actions = {Suspend{{{1}, {1}, {0, 3}}}, Release{{{2}, {2}, {0, 2}}}, Release{{{3}, {3}, {0, 1}}},
                   Suspend{{{4}, {4}, {0, 2}}}, Cap{{{5}, {5}, {0, 2}}, kFullYield}};
  metrics.on_step(begin, view);
  const auto ends_at = [&](std::int64_t second, std::vector<Event> outcomes) {
    Step step;
    step.now = Instant{} + seconds(second);
    step.events = std::move(outcomes);
    metrics.on_step(step, view);
  };
  const auto done = [](std::uint64_t op, TaskRun tasks, std::optional<Error> error = {}) {
    return Outcome{{op}, {op}, tasks, std::move(error), {}, {}};
  };
  ends_at(10, {done(1, {1, 1}), done(2, {0, 2}), done(3, {0, 1}), done(4, {0, 1})});
  ends_at(13, {done(1, {2, 1}), done(4, {1, 1}, Error{ErrorKind::refused, "no"}), done(5, {0, 2})});
  ends_at(14, {done(1, {0, 1})});
  EXPECT_EQ(value(metrics, "aliquot_job_skew_seconds_count{action=\"suspend\"}"), "1") << "one has failed";
  EXPECT_EQ(value(metrics, "aliquot_job_skew_seconds_sum{action=\"suspend\"}"), "4");
  EXPECT_EQ(value(metrics, "aliquot_job_skew_seconds_count{action=\"release\"}"), "1")
      << "a job of one VM has no skew";
  EXPECT_EQ(value(metrics, "aliquot_job_skew_seconds_sum{action=\"release\"}"), "0");
}

TEST(Metrics, WhatVmsUseIsCountedWhereItWasUsed) {
  Metrics metrics(options());
  const ClusterView view = two_nodes();
  metrics.vm_used({{{1}, {0}, {seconds(10), seconds(5), seconds(2)}, seconds(11), true}}, view);
  metrics.vm_used({{{1}, {1}, {seconds(5), seconds(5), {}}, seconds(9), false}}, view);  // it moved
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_seconds_total{node=\"n1\"}"), "10");
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_seconds_total{node=\"n2\"}"), "5");
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_throttled_seconds_total{node=\"n1\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_delay_seconds_total{node=\"n1\"}"), "3")
      << "without its cap's part";
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_busy_seconds_total{node=\"n1\"}"), "10");
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_busy_granted_seconds_total{node=\"n1\"}"), "11");
}

TEST(Metrics, WhatANodeCannotTellIsNotCountedAsNothing) {
  Metrics metrics(options());
  metrics.vm_used({{{1}, {1}, {seconds(5), seconds(5), {}}, {}, false}}, two_nodes());
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_throttled_seconds_total{node=\"n2\"}"), "none");
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_delay_seconds_total{node=\"n2\"}"), "none");
}

TEST(MetricTable, NamesFollowTheRules) {
  const std::regex lawful("aliquot(_[a-z]+)+");
  std::size_t index = 0;
  for (const MetricRow& row : metric_table()) {
    const std::string name = row.name, unit = row.unit;
    EXPECT_EQ(static_cast<std::size_t>(row.metric), index++) << name << " stands out of order";
    EXPECT_TRUE(std::regex_match(name, lawful)) << name;
    EXPECT_EQ(name.ends_with("_total"), row.type == MetricType::counter) << name;
    EXPECT_NE(name.find(unit.empty() ? "" : "_" + unit), std::string::npos) << name;
    EXPECT_EQ(row.buckets.empty(), row.type != MetricType::histogram) << name;
    EXPECT_LE(row.buckets.size(), 15u) << name;
    EXPECT_TRUE(std::string(row.help).ends_with('.')) << name;
  }
  EXPECT_EQ(index, static_cast<std::size_t>(Metric::count_));
}

}  // namespace
}  // namespace aliquot
