// Laws that hold for every policy that can be named, on views drawn at random. A failure prints its seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "manager/core/account_yields.hpp"
#include "monitor/record/plan_check.hpp"
#include "test/property/tested_policies.hpp"
#include "test/support/random_view.hpp"
#include "test/support/tpds2012_names.hpp"

namespace aliquot {
namespace {

using test::after;
using test::closing_view;
using test::Dice;
using test::mixed_view;
using test::random_view;
using test::sleeping_view;
using test::tied_view;

constexpr std::uint64_t kViews = 1500;
constexpr std::uint64_t kMixedViews = 500;     // of two hypervisor kinds
constexpr std::uint64_t kTiedViews = 500;      // with nodes that keep their saved VMs
constexpr std::uint64_t kSleepingViews = 500;  // with nodes that are off or boot
constexpr std::uint64_t kLimitedViews = 500;   // with jobs of an account that reserves and limits yields
constexpr std::uint64_t kClosingViews = 500;   // with nodes that are to be empty at a time
constexpr std::uint64_t kAllViews = kViews + kMixedViews + kTiedViews + kSleepingViews + kClosingViews;

ClusterView unweighted_view(std::uint64_t seed) {
  if (seed < kViews) return random_view(seed);
  if (seed < kViews + kMixedViews) return mixed_view(seed);
  if (seed < kViews + kMixedViews + kTiedViews) return tied_view(seed);
  return seed < kAllViews - kClosingViews ? sleeping_view(seed) : closing_view(seed);
}

// Every second one with the weights that fair share can give.
ClusterView view_of(std::uint64_t seed) {
  ClusterView view = unweighted_view(seed);
  Dice dice(~seed);
  if (seed % 2 == 1)
    for (auto&& [id, job] : view.jobs) job.demand.weight = {dice.between(kMillion / 8, kMillion * 8)};
  if (view.index.kept()) view.index.rebuild(view);
  return view;
}

// "DYNMCB8-PER-T+match" -> "DYNMCB8-PER+match": read with the default period.
std::string spec_of(std::string name) {
  const std::size_t at = name.find("-T");
  if (at != std::string::npos && (at + 2 == name.size() || name[at + 2] == '+')) name.erase(at, 2);
  return name;
}

std::unique_ptr<Policy> policy_of(const std::string& name) {
  return std::move(*test::tested_policies().make(spec_of(name)));
}

std::string text_of(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& v : violations) text += std::string(name(v.law)) + ": " + v.text + "\n";
  return text;
}

// The same view, its jobs put in in another order.
ClusterView shuffled(const ClusterView& view, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Job> jobs;
  for (const auto& [id, job] : view.jobs) jobs.push_back(job);
  for (std::size_t i = jobs.size(); i > 1; --i) {
    std::swap(jobs[i - 1],
              jobs[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  ClusterView other = view;
  other.jobs.clear();
  for (const Job& job : jobs) other.jobs.emplace(job.id, job);
  return other;
}

ClusterView with_index(ClusterView view) {
  view.index.rebuild(view);
  return view;
}

class PolicyLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Policy> policy_ = policy_of(GetParam());
};

TEST_P(PolicyLaws, the_random_views_are_lawful_themselves) {
  for (std::uint64_t seed = 0; seed < kAllViews; ++seed) {
    ASSERT_EQ("", text_of(check_view(view_of(seed)))) << "seed " << seed;
  }
}

TEST_P(PolicyLaws, the_checker_accepts_every_plan) {
  for (std::uint64_t seed = 0; seed < kAllViews; ++seed) {
    const ClusterView view = view_of(seed);
    const Plan plan = policy_->decide(view);
    ASSERT_EQ("", text_of(check_plan(view, plan))) << "seed " << seed;
    ASSERT_EQ("", text_of(check_view(after(view, plan)))) << "seed " << seed;
  }
}

// Where caps cost something: what is left out of a plan are changes that are small, and none that others
// need.
TEST_P(PolicyLaws, small_changes_of_yields_are_left_lawfully) {
  for (std::uint64_t seed = 0; seed < kViews; ++seed) {
    ClusterView view = view_of(seed);
    const Plan all = policy_->decide(view);
    view.costs.least_change = {kMillion / 50};
    const Plan made = policy_->decide(view);
    ASSERT_EQ("", text_of(check_plan(view, made))) << "seed " << seed;
    ASSERT_TRUE(std::ranges::includes(all.changes, made.changes, {}, &Change::job, &Change::job));
    ASSERT_EQ(all.memory, made.memory) << "seed " << seed;
    for (const Change& change : all.changes) {
      if (std::ranges::find(made.changes, change) != made.changes.end()) continue;
      const Job& job = view.jobs.at(change.job);
      ASSERT_EQ(job.placement, change.placement) << "seed " << seed;
      ASSERT_LE(std::abs(change.yield.raw - job.yield.raw) * 50, job.yield.raw) << "seed " << seed;
    }
  }
}

TEST_P(PolicyLaws, the_index_of_a_view_changes_neither_plan_nor_judgement) {
  for (std::uint64_t seed = 0; seed < kAllViews; ++seed) {
    const ClusterView view = view_of(seed);
    const ClusterView indexed = with_index(view);
    Plan plan = policy_->decide(view);
    ASSERT_EQ(plan, policy_->decide(indexed)) << "seed " << seed;
    if (!plan.changes.empty()) {  // too much for most nodes
      plan.changes.front().yield = kFullYield;
      for (Share& share : plan.changes.front().placement) share.units += 2;
    }
    ASSERT_EQ(text_of(check_plan(view, plan)), text_of(check_plan(indexed, plan))) << "seed " << seed;
  }
}

TEST_P(PolicyLaws, the_same_view_gives_the_same_plan_whatever_the_order_of_the_input) {
  for (std::uint64_t seed = 0; seed < kAllViews; ++seed) {
    const ClusterView view = view_of(seed);
    const Plan plan = policy_->decide(view);
    ASSERT_EQ(plan, policy_->decide(view)) << "seed " << seed;
    ASSERT_EQ(plan, policy_of(GetParam())->decide(shuffled(view, seed + 1))) << "seed " << seed;
  }
}

// DYNMCB8 packs at every look, and an immovable job that it has just placed is a new fixed point to pack
// around: the one case in which a second look may differ.
bool keeps_an_immovable_job(const ClusterView& view, const Plan& plan) {
  return std::any_of(plan.changes.begin(), plan.changes.end(), [&](const Change& change) {
    const Job& job = view.jobs.at(change.job);
    return !job.demand.movable && job.placement.empty();
  });
}

// Not so with tied jobs: one that was left out, and for which nodes were kept free, is offered to the
// policy again.
TEST_P(PolicyLaws, decided_twice_equals_decided_once) {
  for (std::uint64_t seed = 0; seed < kViews + kMixedViews; ++seed) {
    const ClusterView view = view_of(seed);
    const Plan plan = policy_->decide(view);
    if (GetParam().starts_with("DYNMCB8") && !GetParam().starts_with("DYNMCB8-") &&
        keeps_an_immovable_job(view, plan))
      continue;
    const Plan again = policy_->decide(after(view, plan));
    ASSERT_TRUE(again.changes.empty()) << "seed " << seed << ": job " << again.changes.front().job.raw;
    ASSERT_EQ(plan.memory, again.memory) << "seed " << seed;
    ASSERT_EQ(plan.wake_at, again.wake_at) << "seed " << seed;
  }
}

// A reservation (min yield) and a limit (max yield) are of the need that the user has declared.
TEST_P(PolicyLaws, no_job_is_above_the_max_yield_of_its_account_or_runs_below_the_min_yield) {
  const AccountYields yields{Yield{200'000}, "lab", Yield{600'000}, "lab"};
  std::size_t placed = 0;
  for (std::uint64_t seed = 0; seed < kLimitedViews; ++seed) {
    ClusterView view = random_view(seed);
    std::map<JobId, Cpu> declared;
    for (auto&& [id, job] : view.jobs) {
      if (!job.placement.empty() || id.raw % 3 == 0) continue;  // no job that stands gets another need
      declared[id] = job.demand.need;
      Submission submission;
      submission.demand = job.demand;
      job.demand = with_account_yields(submission, yields).demand;
    }
    if (view.index.kept()) view.index.rebuild(view);
    const Plan plan = policy_->decide(view);
    ASSERT_EQ("", text_of(check_plan(view, plan))) << "seed " << seed;
    for (const Change& change : plan.changes) {
      const auto its = declared.find(change.job);
      if (its == declared.end() || change.placement.empty()) continue;
      const Cpu given = view.jobs.at(change.job).demand.need * change.yield;
      ASSERT_LE(given, its->second * yields.max) << "seed " << seed << ": job " << change.job.raw;
      ASSERT_GE(given + Cpu{2 + its->second.raw / kMillion}, its->second * yields.min) << "seed " << seed;
      ++placed;
    }
  }
  EXPECT_GT(placed, 0U);
}

TEST_P(PolicyLaws, a_plan_names_only_what_changes) {
  for (std::uint64_t seed = 0; seed < kAllViews; ++seed) {
    const ClusterView view = view_of(seed);
    for (const Change& change : policy_->decide(view).changes) {
      const Job& job = view.jobs.at(change.job);
      ASSERT_TRUE(job.placement != change.placement || job.yield != change.yield) << "seed " << seed;
    }
  }
}

TEST_P(PolicyLaws, a_held_job_is_paused_unless_it_must_stay) {
  for (std::uint64_t seed = 0; seed < kAllViews; ++seed) {
    const ClusterView view = view_of(seed);
    const ClusterView next = after(view, policy_->decide(view));
    for (const auto& [id, job] : next.jobs) {
      if (!job.held || job.pinned || job.placement.empty()) continue;
      const bool keeps_a_node =
          std::any_of(job.placement.begin(), job.placement.end(),
                      [&](const Share& s) { return !view.nodes[s.node.raw].usable(); });
      ASSERT_TRUE(keeps_a_node || !job.demand.movable) << "seed " << seed << ": job " << id.raw;
    }
  }
}

TEST_P(PolicyLaws, what_stands_on_a_node_that_is_not_up_stays_there) {
  for (std::uint64_t seed = 0; seed < kAllViews; ++seed) {
    const ClusterView view = view_of(seed);
    const ClusterView next = after(view, policy_->decide(view));
    for (const auto& [id, job] : view.jobs) {
      const bool keeps = std::any_of(job.placement.begin(), job.placement.end(),
                                     [&](const Share& s) { return !view.nodes[s.node.raw].usable(); });
      if (keeps || job.pinned) {
        ASSERT_EQ(job.placement, next.jobs.at(id).placement) << "seed " << seed;
      }
    }
  }
}

TEST_P(PolicyLaws, no_job_straddles_hypervisor_kinds_or_crosses_between_them) {
  std::size_t placed = 0;
  for (std::uint64_t seed = 0; seed < kViews; ++seed) {
    const ClusterView view = mixed_view(seed);
    for (const Change& change : policy_->decide(view).changes) {
      std::optional<HypervisorKind> kind = view.jobs.at(change.job).bound;
      for (const Share& share : change.placement) {
        const HypervisorKind here = view.nodes[share.node.raw].hypervisor;
        ASSERT_EQ(kind.value_or(here), here) << "seed " << seed << ": job " << change.job.raw;
        kind = here;
        ++placed;
      }
    }
  }
  EXPECT_GT(placed, 0U);
}

TEST_P(PolicyLaws, a_tied_job_goes_on_where_its_vms_were_saved_or_not_at_all) {
  std::size_t returned = 0;
  for (std::uint64_t seed = 0; seed < kViews; ++seed) {
    const ClusterView view = tied_view(seed);
    for (const Change& change : policy_->decide(view).changes) {
      const Job& job = view.jobs.at(change.job);
      if (job.tied_to.empty() || change.placement.empty()) continue;
      ASSERT_EQ(job.tied_to, change.placement) << "seed " << seed << ": job " << change.job.raw;
      ++returned;
    }
  }
  EXPECT_GT(returned, 0U);
}

// Whether the job, started now, is sure to have ended by then.
bool is_sure_to_end(const Job& job, Duration left, bool shares_cpu) {
  const std::int64_t slowest = shares_cpu ? job.demand.min_yield.raw : kMillion;
  const bool in_served_time = job.time_limit && slowest > 0 &&
                              static_cast<double>(job.time_limit->raw) * kMillion <=
                                  static_cast<double>(left.raw) * static_cast<double>(slowest);
  return in_served_time || (job.wall_limit && *job.wall_limit <= left);
}

TEST_P(PolicyLaws, no_job_that_cannot_leave_starts_on_a_node_that_is_to_be_empty_too_soon) {
  std::size_t in_time = 0;
  std::size_t elsewhere = 0;
  for (std::uint64_t seed = 0; seed < kClosingViews; ++seed) {
    const ClusterView view = closing_view(seed);
    for (const Change& change : policy_->decide(view).changes) {
      const Job& job = view.jobs.at(change.job);
      if (job.demand.movable || !job.placement.empty()) continue;
      for (const Share& share : change.placement) {
        const auto closing = std::ranges::find(view.closings, share.node, &NodeClosing::node);
        if (closing == view.closings.end()) {
          ++elsewhere;
          continue;
        }
        ASSERT_TRUE(is_sure_to_end(job, closing->from - view.now, policy_->shares_cpu()))
            << "seed " << seed << ": job " << change.job.raw << " on node " << share.node.raw;
        ++in_time;
      }
    }
  }
  EXPECT_GT(in_time, 0U);
  EXPECT_GT(elsewhere, 0U);
}

TEST_P(PolicyLaws, every_job_has_an_explanation) {
  for (std::uint64_t seed = 0; seed < kAllViews; ++seed) {
    const ClusterView before = view_of(seed);
    const ClusterView view = after(before, policy_->decide(before));
    for (const auto& [id, job] : view.jobs) {
      const Explanation why = policy_->explain(view, id);
      ASSERT_FALSE(why.text.empty()) << "seed " << seed;
      const bool runs = why.reason == Reason::running_at_full_yield || why.reason == Reason::sharing_cpu ||
                        why.reason == Reason::in_flight;
      if (!job.held) {
        ASSERT_EQ(runs, !job.placement.empty()) << "seed " << seed << ": " << why.text;
      }
      if (why.retry_at) {
        ASSERT_GE(*why.retry_at, view.now) << "seed " << seed;
      }
      ASSERT_LE(why.held_by.size(), 8U);
    }
  }
}

TEST_P(PolicyLaws, the_name_is_canonical) {
  const auto again = test::tested_policies().make(policy_->name());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(policy_->name(), (*again)->name());
}

TEST(AddedPolicy, has_all_that_a_built_in_policy_has) {
  const PolicyRegistry& registry = test::tested_policies();
  EXPECT_EQ("FIRST-FIT+in-order", (*registry.make("FIRST-FIT+in-order"))->name());
  EXPECT_EQ(
      "policy \"FIRST-FIT+inorder\": unknown option \"+inorder\"; did you mean \"+in-order\"? Its options "
      "are +in-order",
      registry.make("FIRST-FIT+inorder").error().message);
  EXPECT_EQ("unknown policy \"FIRST-FITT\" (names are case-sensitive); did you mean \"FIRST-FIT\"?",
            registry.make("FIRST-FITT").error().message);
  EXPECT_EQ("HYBRID(IPSCHED,FIRST-FIT)", (*registry.make("HYBRID(IPSCHED,FIRST-FIT)"))->name());
  EXPECT_FALSE(registry.make("HYBRID(FIRST-FIT,EASY)"));
  EXPECT_FALSE(registry.with_period("FIRST-FIT", seconds(60)));
  EXPECT_FALSE(make_policy("FIRST-FIT"));  // the built-in registry is as it was
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const PolicyInfo& row : test::tested_policies().known()) names.push_back(row.name);
  for (const char* name : test::kMoreTpds2012Names) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Every, PolicyLaws, testing::ValuesIn(names()), [](const auto& param) {
  std::string word = spec_of(param.param);
  std::replace_if(
      word.begin(), word.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return word;
});

}  // namespace
}  // namespace aliquot
