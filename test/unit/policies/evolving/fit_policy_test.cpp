// FIT: what it starts, what it keeps, and that online it is the list schedule of the paper.
#include "policies/evolving/fit_policy.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "policies/evolving/list_schedule.hpp"
#include "test/unit/policies/small.hpp"

namespace aliquot::evolving {
namespace {

using test::on;
using test::placed;
using test::SmallView;

Instant in(const SmallView& small, std::int64_t s) { return small.view.now + seconds(s); }

// It ends in so many seconds, at full yield.
void estimated(Job& job, std::int64_t left_s) {
  job.demand.estimate = time_for(job.progress.accrued, kFullYield) + seconds(left_s);
}
// After so many seconds from now.
void grows(Job& job, std::int64_t after_s, std::uint32_t tasks) {
  job.later.push_back({tasks, job.progress.accrued + seconds(after_s) * kFullYield, {}});
}

TEST(Fit, the_nodes_of_a_step_to_come_are_not_given_away) {
  SmallView small(3);
  Job& evolves = small.running(1, {on(0)}, 100, 10);
  estimated(evolves, 50);
  grows(evolves, 10, 3);
  estimated(small.waiting(2, 1, 100, 10, 9), 20);
  estimated(small.waiting(3, 1, 100, 10, 8), 10);
  const Plan plan = small.decide("FIT");
  EXPECT_EQ(Placement{}, placed(plan, 2));
  EXPECT_EQ((Placement{on(1)}), placed(plan, 3));
  EXPECT_EQ(in(small, 50), plan.wake_at);
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("EASY"), 2));
  const Explanation why = small.explain("FIT", 2);
  EXPECT_EQ(Reason::reserved, why.reason);
  EXPECT_EQ(in(small, 50), why.retry_at);
}

TEST(Fit, a_growth_that_is_due_keeps_nodes_until_it_gets_them) {
  SmallView small(3);
  Job& evolves = small.running(1, {on(0)}, 100, 10);
  estimated(evolves, 50);
  evolves.later.push_back({3, {}, {}});
  estimated(small.waiting(2, 1, 100, 10), 1);
  EXPECT_TRUE(small.decide("FIT").changes.empty());
  evolves.later.front().tasks = 2;
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("FIT"), 2));
}

TEST(Fit, what_shrinks_gives_its_nodes_to_the_next) {
  SmallView small(3);
  Job& evolves = small.running(1, {on(0), on(1)}, 100, 10);
  estimated(evolves, 50);
  evolves.later.push_back({1, {}, in(small, 20)});  // announced
  estimated(small.waiting(2, 2, 100, 10), 10);
  const Plan plan = small.decide("FIT");
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_EQ(in(small, 20), plan.wake_at);
}

TEST(Fit, a_job_starts_so_that_its_next_step_finds_its_nodes) {
  SmallView small(2);
  estimated(small.running(1, {on(0)}, 100, 10), 50);
  Job& evolves = small.waiting(2, 1, 100, 10);
  estimated(evolves, 40);
  grows(evolves, 20, 2);
  Plan plan = small.decide("FIT");
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_EQ(in(small, 30), plan.wake_at);  // nothing else happens then
  small.view.now = *plan.wake_at;
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("FIT"), 2));
}

// Its last step has its nodes in 50 s, and the one before takes 15: how long may that one wait?
TEST(Fit, the_expand_limit_says_how_long_a_job_may_wait_in_a_step) {
  SmallView small(3);
  estimated(small.running(1, {on(0)}, 100, 10), 50);
  Job& evolves = small.waiting(2, 1, 100, 10);
  estimated(evolves, 40);
  grows(evolves, 10, 2);
  grows(evolves, 25, 3);
  EXPECT_EQ(in(small, 25), small.decide("FIT").wake_at) << "not at all";
  EXPECT_EQ(in(small, 10), small.decide("FIT/expand=2").wake_at) << "15 s";
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("FIT/expand=inf"), 2));
  EXPECT_EQ(in(small, 25), small.decide("FIT/expand=inf/compact").wake_at) << "it ends no earlier";
}

TEST(Fit, its_names_have_the_expand_limit) {
  for (const char* name : {"FIT", "FIT/expand=2", "FIT/expand=inf", "FIT/expand=1000000/compact"})
    EXPECT_EQ((*make_policy(name))->name(), name);
  EXPECT_EQ((*make_policy("FIT/compact/expand=inf"))->name(), "FIT/expand=inf/compact");
  EXPECT_EQ((*make_policy("FIT/expand=1"))->name(), "FIT");
  for (const char* name : {"FIT/expand=0", "FIT/expand", "FIT/expand=1000001", "FIT/compact"})
    EXPECT_FALSE(make_policy(name)) << name;
}

TEST(Fit, steps_are_in_virtual_time) {
  SmallView small(3);
  for (const std::uint64_t id : {1, 2}) {  // one node for two: half of its speed for each
    Job& slowed = small.running(id, {on(0)}, 100, 10);
    slowed.yield = slowed.progress.rate = {kMillion / 2};
    estimated(slowed, 50);
  }
  grows(small.view.jobs.at({1}), 10, 2);
  estimated(small.waiting(3, 1, 100, 10), 20);
  EXPECT_EQ((Placement{on(1)}), placed(small.decide("FIT"), 3));
}

TEST(Fit, nobody_waits_for_a_growth_beyond_the_cluster) {
  SmallView small(3);
  Job& runs = small.running(1, {on(0)}, 100, 10);
  estimated(runs, 50);
  runs.later.push_back({4, {}, {}});  // is due, and never comes
  Job& evolves = small.waiting(2, 1, 100, 10, 9);
  estimated(evolves, 40);
  grows(evolves, 20, 4);
  estimated(small.waiting(3, 1, 100, 10), 100);
  const Plan plan = small.decide("FIT");
  EXPECT_EQ((Placement{on(1)}), placed(plan, 2));
  EXPECT_EQ((Placement{on(2)}), placed(plan, 3));
}

TEST(Fit, later_jobs_leave_alone_the_idle_nodes_that_a_job_waits_for) {
  SmallView small(4);
  small.view.nodes[0].memory = small.view.nodes[1].memory = mebibytes(200);
  estimated(small.running(1, {on(0)}, 100, 10), 50);
  small.waiting(2, 2, 100, 150, 9);  // nodes 0 and 1; as many are idle, but too small
  estimated(small.waiting(3, 1, 100, 10), 10);
  const Plan plan = small.decide("FIT");
  EXPECT_EQ(Placement{}, placed(plan, 2));
  EXPECT_EQ((Placement{on(2)}), placed(plan, 3));
}

// --- Online, the list schedule --------------------------------------------------------------------------

// Jobs of one-core tasks that do what their profiles say, on nodes of one core, all there at the beginning.
// Whatever happens at one instant: tasks leave, then tasks join, then the policy is asked.
class Cluster {
 public:
  Cluster(std::uint32_t nodes, const std::vector<EvolutionProfile>& profiles)
      : small_(nodes), origin_(small_.view.now), starts_(profiles.size(), kNever) {
    for (std::size_t a = 0; a < profiles.size(); ++a) {
      const std::vector<ProfileStep>& steps = profiles[a].steps();
      Job& job = small_.waiting(a + 1, static_cast<std::uint32_t>(steps[0].nodes), 100, 10);
      job.demand.estimate = profiles[a].total_duration();
      Duration past = steps[0].duration;
      for (std::size_t k = 1; k < steps.size(); past = past + steps[k++].duration)
        job.later.push_back({static_cast<std::uint32_t>(steps[k].nodes), past * kFullYield, {}});
    }
  }

  // From the origin, when each has started; empty: a step did not find its nodes.
  std::vector<Instant> run() {
    while (!small_.view.jobs.empty()) {
      const Plan plan = small_.decide("FIT");
      for (const Change& change : plan.changes) start(change);
      const Instant next = std::min(next_event(), plan.wake_at.value_or(kNever));
      if (next == kNever) return {};
      small_.view.now = next;
      if (!change_sizes()) return {};
    }
    return starts_;
  }

 private:
  void start(const Change& change) {
    Job& job = small_.view.jobs.at(change.job);
    job.phase = Phase::running;
    job.placement = change.placement;
    job.yield = change.yield;
    job.progress.set_rate(small_.view.now, change.yield);
    starts_[change.job.raw - 1] = Instant{(small_.view.now - origin_).raw};
  }

  [[nodiscard]] Instant next_event() const {
    Instant next = kNever;
    for (const auto& [id, job] : small_.view.jobs) {
      if (job.phase != Phase::running) continue;
      next = std::min(next, job.progress.reaches(*job.demand.estimate * kFullYield));
      if (!job.later.empty()) next = std::min(next, job.progress.reaches(job.later.front().work));
    }
    return next;
  }

  bool change_sizes() {
    std::vector<JobId> over;
    std::vector<Job*> change;
    for (auto& [id, job] : small_.view.jobs) {
      if (job.phase != Phase::running) continue;
      const VirtualTime done = job.progress.at(small_.view.now);
      if (done >= *job.demand.estimate * kFullYield) over.push_back(id);
      if (!job.later.empty() && done >= job.later.front().work) change.push_back(&job);
    }
    for (Job* const job : change)
      if (job->placement.size() > job->later.front().tasks) job->placement.resize(job->later.front().tasks);
    for (const JobId id : over) small_.view.jobs.erase(id);
    return std::ranges::all_of(change, [&](Job* job) { return grow(*job); });
  }

  bool grow(Job& job) {
    std::set<NodeId> busy;
    for (const auto& [id, other] : small_.view.jobs)
      for (const Share& share : other.placement) busy.insert(share.node);
    const std::uint32_t tasks = job.later.front().tasks;
    for (const Node& node : small_.view.nodes)
      if (job.placement.size() < tasks && !busy.contains(node.id)) job.placement.push_back({node.id, 1});
    std::ranges::sort(job.placement);
    job.demand.tasks = tasks;
    job.later.erase(job.later.begin());
    return job.placement.size() == tasks;
  }

  SmallView small_;
  Instant origin_;
  std::vector<Instant> starts_;
};

TEST(Fit, online_it_is_the_list_schedule_without_expansion) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto up_to = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
    const std::int64_t nodes = up_to(9);
    std::vector<EvolutionProfile> profiles;
    for (std::int64_t a = up_to(12); a > 0; --a) {
      std::vector<ProfileStep> steps;
      for (std::int64_t s = up_to(5); s > 0; --s)
        steps.push_back({Duration{up_to(20)}, up_to(static_cast<std::uint64_t>(nodes))});
      profiles.push_back(*EvolutionProfile::of(steps));
    }
    const auto offline = schedule_in_order(profiles, nodes, FitRule{});
    std::vector<Instant> expected;
    for (const ScheduledProfile& one : *offline) expected.push_back(one.start);
    ASSERT_EQ(expected, Cluster(static_cast<std::uint32_t>(nodes), profiles).run());
  }
}

}  // namespace
}  // namespace aliquot::evolving
