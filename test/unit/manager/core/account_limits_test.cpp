// Limits of accounts: which jobs the policy gets to see, which wait, and for what.
#include "manager/core/account_limits.hpp"

#include <gtest/gtest.h>

#include "manager/core/recorded.hpp"
#include "manager/store/state_codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;
using enum LimitKind;

struct a_job_of_a_limited_account : testing::Test {
  void limit(std::vector<AccountTerms> accounts, std::int64_t second = 0) {
    (void)world.at(second, {AccountsChanged{std::move(accounts)}});
  }
  static AccountTerms terms(std::string name, AccountLimits limits, AccountLimits each_user = {},
                            std::string parent = "") {
    return {std::move(name), std::move(parent), 1, std::move(limits), std::move(each_user)};
  }
  static Submission job(const std::string& account, std::uint32_t uid = 7, std::uint32_t tasks = 1) {
    Submission job = submission(tasks, 1000, 100);
    job.account = account;
    job.uid = uid;
    return job;
  }
  Step submit(std::uint64_t id, Submission job, std::int64_t second = 0) {
    return world.at(second, {Submitted{{id}, std::move(job)}});
  }
  void start(std::uint64_t id, Submission job, std::int64_t second = 0) {
    world.will_decide({{{id}, {{{0}, job.demand.tasks}}, kFullYield}});
    (void)world.complete(submit(id, std::move(job), second));
    ASSERT_EQ(world.job(id).phase, Phase::running);
  }
  Step end(std::uint64_t id, std::int64_t second) {
    return world.at(second, {TaskEnded{{id}, {0, 1}, world.vm(id, 0).incarnation, 0, "", 0}});
  }
  [[nodiscard]] const Cluster& cluster() const { return world.scheduler().cluster(); }
  [[nodiscard]] std::optional<LimitWait> wait(std::uint64_t id) const {
    return cluster().record({id})->deferral.limit;
  }
  [[nodiscard]] bool waits(std::uint64_t id) const {
    return cluster().record({id})->deferral.any() && cluster().view().jobs.at({id}).held;
  }
  [[nodiscard]] bool may_start(std::uint64_t id) const {
    return cluster().view().jobs.contains({id}) && !cluster().view().jobs.at({id}).held;
  }

  ScriptedWorld world{{test::node(0, 16, 8000)}};
};

TEST_F(a_job_of_a_limited_account, waits_until_another_of_its_account_has_ended_and_arrives_then) {
  limit({terms("lab", {{jobs, 1}})});
  start(1, job("lab"));
  EXPECT_FALSE(submit(2, job("lab", 8), 5).decision) << "no policy is asked about it";
  EXPECT_TRUE(waits(2));
  EXPECT_EQ(wait(2), (LimitWait{"lab", {}, jobs, 1, 1, 1, {}}));
  EXPECT_EQ(limit_text(*wait(2)),
            "account lab may have 1 job at a time, has 1 job, and this job asks for 1 job");
  const Step step = end(1, 50);
  EXPECT_TRUE(may_start(2));
  ASSERT_TRUE(step.decision);
  EXPECT_EQ(step.decision->cause.arrived, (std::vector<JobId>{{2}}));
  EXPECT_EQ(world.job(2).submitted, Instant{} + seconds(50)) << "the time before does not count";
}

TEST_F(a_job_of_a_limited_account, is_not_held_back_by_other_accounts) {
  limit({terms("lab", {{jobs, 1}})});
  start(1, job("lab"));
  (void)submit(2, job("other"));
  (void)submit(3, job(""));
  EXPECT_TRUE(may_start(2));
  EXPECT_TRUE(may_start(3));
}

TEST_F(a_job_of_a_limited_account, counts_with_its_tasks_their_needs_and_their_memory) {
  struct Case {
    const char* account;
    LimitKind kind;
    std::int64_t most, used;
  };
  const Case cases[] = {{"a", tasks, 3, 2},
                        {"b", cpu, 3 * kMillion, 2 * kMillion},
                        {"c", memory, mebibytes(300).raw, mebibytes(200).raw}};
  std::vector<AccountTerms> all;
  for (const Case& one : cases) all.push_back(terms(one.account, {{one.kind, one.most}}));
  limit(all);
  std::uint64_t id = 0;
  for (const auto& [account, kind, most, used] : cases) {
    start(++id, job(account, 7, 2));
    (void)submit(++id, job(account, 7, 2));
    EXPECT_EQ(wait(id), (LimitWait{account, {}, kind, most, used, used, {}})) << limit_name(kind);
    (void)submit(++id, job(account, 7, 1));
    ASSERT_TRUE(wait(id)) << "it would fit, but the one before came first";
    EXPECT_EQ(wait(id)->behind, JobId{id - 1});
  }
}

TEST_F(a_job_of_a_limited_account, waits_for_the_limits_of_accounts_above_its_own) {
  limit({terms("physics", {{jobs, 2}}), terms("lab", {{jobs, 2}}, {}, "physics"),
         terms("theory", {{jobs, 2}}, {}, "physics")});
  start(1, job("lab"));
  start(2, job("theory"));
  (void)submit(3, job("lab"));
  EXPECT_EQ(wait(3), (LimitWait{"physics", {}, jobs, 2, 2, 1, {}}));
}

TEST_F(a_job_of_a_limited_account, of_one_user_waits_and_those_of_others_do_not) {
  limit({terms("lab", {}, {{jobs, 1}})});
  start(1, job("lab", 7));
  (void)submit(2, job("lab", 7));
  (void)submit(3, job("lab", 8));
  EXPECT_EQ(wait(2), (LimitWait{"lab", 7, jobs, 1, 1, 1, {}}));
  EXPECT_TRUE(may_start(3)) << "it does not wait behind job 2";
}

TEST_F(a_job_of_a_limited_account, that_can_never_fit_keeps_no_other_from_going) {
  limit({terms("lab", {{tasks, 2}})});
  (void)submit(1, job("lab", 7, 4));
  (void)submit(2, job("lab", 7, 2));
  EXPECT_TRUE(waits(1));
  EXPECT_TRUE(may_start(2));
  const auto never =
      never_allowed(cluster().account_uses().terms, {"lab", 7}, amounts_of(job("lab", 7, 4).demand, 4));
  EXPECT_EQ(never, (LimitWait{"lab", {}, tasks, 2, 0, 4, {}}));
}

TEST_F(a_job_of_a_limited_account, goes_when_the_limit_is_raised) {
  limit({terms("lab", {{jobs, 1}})});
  start(1, job("lab"));
  (void)submit(2, job("lab"));
  limit({terms("lab", {{jobs, 2}})}, 9);
  EXPECT_TRUE(may_start(2));
}

TEST_F(a_job_of_a_limited_account, that_has_not_begun_is_taken_back_when_the_limit_is_lowered) {
  limit({terms("lab", {{jobs, 3}})});
  start(1, job("lab"));
  (void)submit(2, job("lab"), 3);
  (void)submit(3, job("lab"), 4);
  EXPECT_TRUE(may_start(3));
  limit({terms("lab", {{jobs, 2}})}, 9);
  EXPECT_EQ(world.job(1).phase, Phase::running) << "what runs goes on";
  EXPECT_TRUE(may_start(2));
  EXPECT_EQ(world.job(2).submitted, Instant{} + seconds(3)) << "it waits on";
  EXPECT_TRUE(waits(3));
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(a_job_of_a_limited_account, that_is_held_before_it_has_begun_lets_another_go) {
  limit({terms("lab", {{jobs, 1}})});
  (void)submit(1, job("lab"));
  (void)submit(2, job("lab"));
  EXPECT_TRUE(waits(2));
  (void)world.round({HoldChanged{{1}, true}});
  EXPECT_TRUE(may_start(2));
  (void)world.round({HoldChanged{{1}, false}});
  EXPECT_TRUE(waits(1));
  EXPECT_EQ(wait(1), (LimitWait{"lab", {}, jobs, 1, 1, 1, {}}));
}

TEST_F(a_job_of_a_limited_account, waits_while_the_core_hours_of_its_account_have_been_served) {
  limit({terms("lab", {{core_hours, 10}})});
  (void)world.round({CoreHoursServed{{{"lab", {}, 11}}}});
  (void)submit(1, job("lab"));
  ASSERT_TRUE(wait(1));
  EXPECT_EQ(limit_text(*wait(1)),
            "account lab may be served 10 core-hours, and has been served 11 core-hours");
  (void)world.round({CoreHoursServed{}});
  EXPECT_TRUE(may_start(1));
}

TEST_F(a_job_of_a_limited_account, is_cancelled_as_any_other) {
  limit({terms("lab", {{jobs, 1}})});
  start(1, job("lab"));
  (void)submit(2, job("lab"));
  EXPECT_EQ(world.at(5, {Cancelled{{2}, JobResult::cancelled, "by uid 0"}}).ended.size(), 1U);
  EXPECT_TRUE(cluster().account_uses().waiting.empty());
  EXPECT_EQ(cluster().account_uses().of_accounts.at("lab").of(jobs), 1);
}

TEST_F(a_job_of_a_limited_account, waits_for_the_limit_after_all_else_that_it_waits_for) {
  limit({terms("lab", {{jobs, 1}})});
  start(1, job("lab"));
  Submission later = job("lab");
  later.start.begin = Instant{} + seconds(60);
  (void)submit(2, later);
  EXPECT_FALSE(wait(2));
  (void)submit(3, job("lab"));
  (void)world.at(60, {});
  EXPECT_TRUE(wait(2));
  (void)world.complete(end(1, 70));
  EXPECT_TRUE(may_start(2)) << "its number is smaller than that of job 3";
  EXPECT_TRUE(waits(3));
}

TEST_F(a_job_of_a_limited_account, survives_in_a_stored_state_with_what_is_counted) {
  limit({terms("lab", {{jobs, 1}, {cpu, 4 * kMillion}}, {{jobs, 1}})});
  start(1, job("lab", 7, 2));
  (void)submit(2, job("lab"));
  auto stored = decode_state(encode_state(cluster().state()));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_TRUE(check_recorded(*stored));
  const ClusterState again(std::move(*stored));
  EXPECT_EQ(again.core.accounts, cluster().state().accounts);
  EXPECT_EQ(again.core.records.at({2}).deferral, cluster().record({2})->deferral);
  EXPECT_EQ(again.uses.counted, cluster().account_uses().counted);
  EXPECT_EQ(again.uses.of_users, cluster().account_uses().of_users);
  EXPECT_EQ(again.uses.waiting, cluster().account_uses().waiting);
}

TEST_F(a_job_of_a_limited_account, is_refused_with_accounts_that_are_no_tree) {
  const std::vector<Event> events{AccountsChanged{{terms("lab", {}, {}, "nowhere")}}};
  EXPECT_FALSE(check_recorded(events));
}

}  // namespace
}  // namespace aliquot
