// Simulated jobs that need something else than they declare, and where their needs come from.
#include <gtest/gtest.h>

#include <cmath>

#include "test/unit/tools/sim/small_workload.hpp"
#include "tools/sim/report.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

ClusterShape shape_of(std::uint32_t nodes) {
  ClusterShape shape;
  shape.nodes = nodes;
  return shape;
}

// Fractions of a node of four cores.
Cpu part(double of_a_node) { return {std::llround(of_a_node * 4e6)}; }

Workload workload_of(std::vector<std::pair<double, TrueNeeds>> jobs, Duration run_time) {
  Workload workload;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    TraceJob job;
    job.id.raw = k + 1;
    job.cpu_need = Decimal{std::llround(jobs[k].first * 1e12)};
    job.memory = Decimal{kPico / 10};
    job.runtime = run_time;
    workload.jobs.push_back(make_job(job, shape_of(1)));
    workload.true_needs[job.id] = std::move(jobs[k].second);
  }
  return workload;
}

// The needs of job 1, as they change.
class NeedCollector final : public Collector {
 public:
  void on_step(const Step& step, const ClusterView& after) override {
    Collector::on_step(step, after);
    const auto job = after.jobs.find(JobId{1});
    if (job == after.jobs.end()) return;
    if (needs.empty() || needs.back().second != job->second.demand.need)
      needs.emplace_back(step.now, job->second.demand.need);
  }
  std::vector<std::pair<Instant, Cpu>> needs;
};

struct Seen {
  std::vector<std::pair<Instant, Cpu>> needs;
  std::vector<EndedJob> ended;

  [[nodiscard]] Cpu need_at(Instant when) const {
    Cpu found;
    for (const auto& [from, need] : needs)
      if (from <= when) found = need;
    return found;
  }
};

Seen run(const Workload& workload, NeedSource source, std::uint32_t nodes = 1,
         const std::string& policy = "ALIQUOT") {
  NeedCollector seen;
  Simulation simulation(workload, shape_of(nodes), {}, *make_policy(policy), seen);
  simulation.set_needs(source);
  const auto done = simulation.run();
  EXPECT_TRUE(done) << done.error().message;
  EXPECT_EQ(seen.ended.size(), workload.jobs.size());
  EXPECT_EQ(seen.refused, 0U) << seen.first_refusal;
  EXPECT_EQ(simulation.hypervisor().checker().violation_count(), 0U);
  return {seen.needs, seen.ended};
}

Instant end_of(const Seen& seen, std::uint64_t job) {
  for (const EndedJob& ended : seen.ended)
    if (ended.job.raw == job) return ended.ended;
  return kNever;
}

TEST(NeedsRun, a_job_that_declares_too_little_is_slower_by_that) {
  const Workload workload = workload_of({{0.25, {{{}, part(0.5)}}}}, seconds(1'000));
  EXPECT_EQ(end_of(run(workload, NeedSource::declared), 1), Instant{} + seconds(2'000));
  EXPECT_EQ(end_of(run(workload, NeedSource::oracle), 1), Instant{} + seconds(1'000));
}

TEST(NeedsRun, a_need_that_is_declared_too_large_is_found_within_a_minute) {
  const Workload workload = workload_of({{1, {{{}, part(0.3)}}}}, seconds(1'000));
  const Seen seen = run(workload, NeedSource::learned);
  EXPECT_NEAR(static_cast<double>(seen.need_at(Instant{} + seconds(60)).raw), 4e6 * 0.33, 4e6 * 0.02);
  EXPECT_EQ(end_of(seen, 1), Instant{} + seconds(1'000)) << "it is not slowed by that";
}

TEST(NeedsRun, a_need_that_is_declared_too_small_is_found_by_probes) {
  const Workload workload = workload_of({{0.1, {{{}, part(0.8)}}}}, seconds(1'000));
  const Seen seen = run(workload, NeedSource::learned_up);
  EXPECT_GE(seen.need_at(Instant{} + seconds(60)), part(0.8));
  EXPECT_LE(end_of(seen, 1), Instant{} + seconds(1'020));
  EXPECT_EQ(end_of(run(workload, NeedSource::learned), 1), Instant{} + seconds(8'000));
}

TEST(NeedsRun, phases_are_followed_within_half_a_minute) {
  const Workload workload = workload_of(
      {{1, {{{}, part(0.8)}, {seconds(400), part(0.2)}, {seconds(800), part(0.9)}}}}, seconds(1'200));
  const Seen seen = run(workload, NeedSource::learned);
  EXPECT_NEAR(static_cast<double>(seen.need_at(Instant{} + seconds(390)).raw), 4e6 * 0.88, 4e6 * 0.02);
  EXPECT_NEAR(static_cast<double>(seen.need_at(Instant{} + seconds(430)).raw), 4e6 * 0.22, 4e6 * 0.02);
  EXPECT_GE(seen.need_at(Instant{} + seconds(803)), part(0.9));
  EXPECT_LE(end_of(seen, 1), Instant{} + seconds(1'205));
}

TEST(NeedsRun, what_a_job_does_not_use_goes_to_its_neighbour) {
  const Workload workload =
      workload_of({{1, {{{}, part(0.3)}}}, {0.7, {{{}, part(0.65)}}}}, seconds(1'000));
  const Instant declared = end_of(run(workload, NeedSource::declared), 2);
  const Instant learned = end_of(run(workload, NeedSource::learned), 2);
  EXPECT_GT(declared, Instant{} + seconds(1'100));
  EXPECT_LE(learned, Instant{} + seconds(1'060));
}

TEST(NeedsRun, a_starved_job_that_declares_too_little_is_raised_by_how_it_waits) {
  const Workload workload = workload_of({{0.2, {{{}, part(0.8)}}}, {1, {{{}, part(1)}}}}, seconds(1'000));
  const Seen seen = run(workload, NeedSource::learned_up);
  EXPECT_GE(seen.need_at(Instant{} + seconds(60)), part(0.8));
}

TEST(NeedsRun, jobs_that_declare_what_they_need_run_as_without_learning) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Workload workload = test::small_workload(seed, shape_of(6));
    for (const NeedSource source : {NeedSource::learned, NeedSource::learned_up, NeedSource::oracle}) {
      const Seen plain = run(workload, NeedSource::declared, 6);
      const Seen seen = run(workload, source, 6);
      for (std::size_t k = 0; k < plain.ended.size(); ++k) {
        ASSERT_EQ(plain.ended[k].job, seen.ended[k].job) << seed;
        ASSERT_EQ(plain.ended[k].ended, seen.ended[k].ended) << seed;
      }
    }
  }
}

TEST(NeedsRun, is_the_same_each_time) {
  Workload workload = test::small_workload(5, shape_of(6));
  for (const WorkloadJob& job : workload.jobs)
    workload.true_needs[job.id] = {{{}, Cpu{200'000 + static_cast<std::int64_t>(job.id.raw) * 50'000}}};
  for (const char* const policy : {"ALIQUOT", "DYNMCB8-ASAP-PER-60", "EASY"}) {
    const Seen one = run(workload, NeedSource::learned_up, 6, policy);
    const Seen two = run(workload, NeedSource::learned_up, 6, policy);
    EXPECT_EQ(one.needs, two.needs);
    for (std::size_t k = 0; k < one.ended.size(); ++k) ASSERT_EQ(one.ended[k].ended, two.ended[k].ended);
  }
}

// With a guaranteed yield, what the job is given never falls below it while its need is learned.
TEST(NeedsRun, a_guaranteed_need_is_not_lowered) {
  Workload workload = workload_of({{0.8, {{{}, part(0.1)}}}}, seconds(1'000));
  workload.jobs[0].submission.demand.min_yield = {500'000};
  const Seen seen = run(workload, NeedSource::learned);
  EXPECT_EQ(seen.need_at(Instant{} + seconds(900)), part(0.4));
}

}  // namespace
}  // namespace aliquot
