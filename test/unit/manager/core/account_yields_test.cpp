// Reservations and limits of yields by account: what a job is guaranteed, and counted with.
#include "manager/core/account_yields.hpp"

#include <gtest/gtest.h>

#include "manager/core/recorded.hpp"
#include "manager/store/state_codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

AccountTerms terms(std::string name, std::string parent, std::int64_t min_percent,
                   std::int64_t max_percent) {
  AccountTerms account{std::move(name), std::move(parent)};
  account.min_yield = {min_percent * 10'000};
  account.max_yield = {max_percent * 10'000};
  return account;
}

struct a_job_of_an_account_with_yields : testing::Test {
  void SetUp() override {
    (void)world.at(0, {AccountsChanged{{terms("site", "", 20, 80), terms("lab", "site", 0, 50),
                                        terms("web", "site", 40, 100)}}});
  }
  const Submission& submit(std::uint64_t id, const std::string& account, std::int64_t min_percent = 0) {
    Submission job = submission(1, 2000, 100);
    job.account = account;
    job.demand.min_yield = {min_percent * 10'000};
    job.demand.estimate = job.time_limit = seconds(100);
    job.program = ModelWork{seconds(60), 0};
    (void)world.round({Submitted{{id}, std::move(job)}});
    return kept(id);
  }
  [[nodiscard]] const Submission& kept(std::uint64_t id) const {
    return *world.scheduler().cluster().record({id})->submission;
  }
  ScriptedWorld world{{test::node(0, 4, 4000)}};
};

TEST_F(a_job_of_an_account_with_yields, is_counted_with_a_part_of_its_need_and_keeps_its_vcpus) {
  const Submission& job = submit(1, "lab");
  EXPECT_EQ(job.demand.need, cores(1)) << "half of 2 cores: the smaller of 0.5 and 0.8";
  EXPECT_EQ(world.job(1).demand, job.demand) << "policies see the same";
  EXPECT_EQ(declared_need(job).need, cores(2));
  EXPECT_EQ(vcpus_of(job), 2U);
  EXPECT_EQ(job.account_yields->max_of, "lab");
  EXPECT_EQ(job.account_yields->min_of, "site");
}

TEST_F(a_job_of_an_account_with_yields, is_guaranteed_what_its_account_reserves) {
  EXPECT_EQ(submit(1, "lab").demand.min_yield, Yield{400'000}) << "0.2 of 2 cores are 0.4 of 1 core";
  EXPECT_EQ(submit(2, "web").demand.min_yield, Yield{500'000}) << "0.4 of 2 cores are 0.5 of 1.6 cores";
  EXPECT_EQ(submit(3, "web", 60).demand.min_yield, Yield{750'000}) << "it asks for more itself";
  EXPECT_EQ(submit(4, "lab", 90).demand.min_yield, kFullYield) << "no more than its account allows";
}

TEST_F(a_job_of_an_account_with_yields, takes_longer_by_the_part_of_its_need_that_it_does_not_get) {
  const Submission& job = submit(1, "lab");
  EXPECT_EQ(std::get<ModelWork>(job.program).alone, seconds(120));
  EXPECT_EQ(job.demand.estimate, seconds(200));
  EXPECT_EQ(job.time_limit, seconds(200)) << "it is served as much CPU before its limit";
}

TEST_F(a_job_of_an_account_with_yields, stays_below_its_limit_whatever_becomes_of_its_need) {
  (void)submit(1, "lab");
  (void)world.round({NeedLearned{{1}, cores(2), cores(2), 90, "watched"}});
  EXPECT_EQ(kept(1).demand.need, cores(1));
  (void)world.round({NeedLearned{{1}, Cpu{500'000}, Cpu{400'000}, 90, "watched"}});
  EXPECT_EQ(kept(1).demand.need, Cpu{500'000}) << "less than its limit";
  EXPECT_EQ(kept(1).demand.min_yield, Yield{800'000});
  (void)world.round({NeedChanged{{1}, cores(1), "its user"}});
  EXPECT_EQ(kept(1).demand.need, Cpu{500'000}) << "half of what it declares now";
  EXPECT_EQ(kept(1).demand.min_yield, Yield{400'000});
}

TEST_F(a_job_of_an_account_with_yields, keeps_what_it_was_submitted_with) {
  const Submission before = submit(1, "lab");
  (void)world.round({AccountsChanged{{terms("lab", "", 0, 30)}}});
  EXPECT_EQ(kept(1), before);
  EXPECT_EQ(submit(2, "lab").demand.need, Cpu{600'000});
}

TEST_F(a_job_of_an_account_with_yields, is_as_it_was_where_its_account_says_nothing) {
  const Submission& job = submit(1, "");
  EXPECT_EQ(job.demand.need, cores(2));
  EXPECT_FALSE(job.account_yields);
  EXPECT_FALSE(job.declared);
}

TEST(AccountYields, OfAJobThatWasAcceptedAreNotTakenTwice) {
  const AccountYields yields{{}, "", Yield{500'000}, "lab"};
  const Submission once = with_account_yields(submission(1, 2000, 100), yields);
  EXPECT_EQ(with_account_yields(once, yields), once);
  EXPECT_EQ(once.demand.need, cores(1));
}

TEST(AccountYields, AReservationAboveALimitIsAFault) {
  EXPECT_EQ(fault_of({terms("site", "", 0, 50), terms("lab", "site", 60, 100)}),
            "the jobs of account lab would have a min_yield (of account lab) above their max_yield (of "
            "account site); lower the one or raise the other");
  EXPECT_EQ(fault_of({terms("site", "", 0, 50), terms("lab", "site", 50, 100)}), "");
  EXPECT_NE(fault_of({terms("lab", "", 0, 0)}), "");
  EXPECT_NE(fault_of({terms("lab", "", 101, 100)}), "");
}

}  // namespace
}  // namespace aliquot
