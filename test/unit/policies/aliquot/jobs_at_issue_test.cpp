// A decision that looks at a few of many waiting jobs is the one that looks at all.
#include "policies/aliquot/jobs_at_issue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "policies/aliquot/policy_state.hpp"
#include "policies/policy.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

// A cluster of which far more is asked than it has, for a while.
class CrowdedCluster {
 public:
  explicit CrowdedCluster(std::uint64_t seed)
      : view(test::random_view(seed, {.most_nodes = 6, .most_jobs = 10})), dice_(seed) {
    for (int k = 0; k < 5; ++k) {
      shapes_.push_back(test::random_demand(dice_, view.nodes.front(), {.plain = true}));
      shapes_.back().devices = {};
      shapes_.back().spread = {};
      if (k % 2 == 1) shapes_.back().memory.raw /= 7;  // fits in what a pause leaves over
    }
    for (int k = 0; k < 400; ++k) submit();
  }

  // Some time passes, and then something happens.
  void go_on() {
    view.now = view.now + Duration{dice_.between(1, 30'000'000)};
    view.cause = {};
    const std::int64_t arrivals = dice_.chance(50) ? dice_.between(1, 3) : 0;
    for (std::int64_t k = 0; k < arrivals; ++k) submit();
    if (dice_.chance(40)) end_a_running_job();
    if (dice_.chance(10)) hold_or_release();
    if (dice_.chance(5)) let_a_node_fail_or_come_back();
    if (dice_.chance(20)) requeue();
    if (!every_job_is_tried(view.cause)) view.cause.woken = true;
  }

  ClusterView view;

 private:
  void submit() {
    Job job;
    job.id = {next_++};
    job.demand = shapes_[static_cast<std::size_t>(dice_.between(0, 4))];
    // Now and then one that has been in the cluster before, or of a user that has had much.
    job.submitted = dice_.chance(5) ? view.now - seconds(dice_.between(0, 1'000)) : view.now;
    if (dice_.chance(20)) job.demand.weight = {kMillion / 4};
    view.cause.arrived.push_back(job.id);
    view.jobs.emplace(job.id, job);
  }
  Job& any_job() {
    auto at = view.jobs.begin();
    for (auto k = dice_.between(0, static_cast<std::int64_t>(view.jobs.size()) - 1); k > 0; --k) ++at;
    return at->second;
  }
  void end_a_running_job() {
    const auto runs = [](const auto& entry) { return !entry.second.placement.empty(); };
    const auto at = std::ranges::find_if(view.jobs, runs);
    if (at == view.jobs.end()) return;
    view.jobs.erase(at->first);
    view.cause.completed = true;
  }
  // A waiting job is told as one that has arrived, though it has been here before.
  void requeue() {
    const Job& job = any_job();
    if (job.phase != Phase::waiting || std::ranges::binary_search(view.cause.arrived, job.id)) return;
    view.cause.arrived.insert(std::ranges::lower_bound(view.cause.arrived, job.id), job.id);
  }
  void hold_or_release() {
    Job& job = any_job();
    job.held = !job.held;
    view.cause.disturbed = true;
  }
  void let_a_node_fail_or_come_back() {
    NodeService& service = view.nodes.back().service;
    service = service == NodeService::draining ? NodeService::in_service : NodeService::draining;
    view.cause.disturbed = true;
  }

  Dice dice_;
  std::vector<Demand> shapes_;
  std::uint64_t next_ = 1'000;
};

struct Looks {
  int few = 0;
  int all = 0;
};

Looks look_at(CrowdedCluster& cluster, const Policy& policy) {
  Looks looks;
  for (int k = 0; k < 60; ++k, cluster.go_on()) {
    cluster.view.index.drop();
    const Plan of_all = policy.decide(cluster.view);
    cluster.view.index.rebuild(cluster.view);
    const Plan of_few = policy.decide(cluster.view);
    EXPECT_EQ(of_few, of_all) << "in decision " << k;
    EXPECT_EQ(of_few.memory, of_all.memory) << "in decision " << k;
    ++(JobsAtIssue::few(cluster.view) ? looks.few : looks.all);
    cluster.view.index.drop();
    test::adopt(cluster.view, of_all);
  }
  return looks;
}

TEST(JobsAtIssue, decide_as_all_jobs_do) {
  Looks looks;
  for (const char* const name : {"ALIQUOT", "ALIQUOT:cost=60", "ALIQUOT:cost=0", "ALIQUOT:repack=on"})
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      CrowdedCluster cluster(seed);
      const auto policy = make_policy(name);
      ASSERT_TRUE(policy) << policy.error().message;
      const Looks of_seed = look_at(cluster, **policy);
      looks.few += of_seed.few;
      looks.all += of_seed.all;
    }
  EXPECT_GT(looks.few * 3, looks.all) << "otherwise nothing was compared";
}

}  // namespace
}  // namespace aliquot
