// What users of accounts have used: counted as the ledger has it, kept over a restart, told to the core.
#include "manager/account_keeper.hpp"

#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

Instant at(std::int64_t second) { return Instant{} + seconds(second); }

struct an_account_keeper : testing::Test {
  void start(std::uint64_t id, const std::string& account, std::uint32_t node) {
    Submission job = submission(1, 1000, 100);
    job.account = account;
    job.uid = 7;
    world.will_decide({{{id}, {{{node}, 1}}, kFullYield}});
    (void)world.complete(world.at(0, {Submitted{{id}, std::move(job)}}));
  }
  std::unique_ptr<AccountKeeper> keeper(Duration half_life, std::int64_t second,
                                        const std::string& text = "") {
    AccountKeeper::Parts parts{world.scheduler(), half_life,
                               [this](JobId job, Instant) { return granted[job]; },
                               [this](const std::string& line) { warned = line; },
                               [this](std::string now) { kept = std::move(now); }};
    return std::make_unique<AccountKeeper>(std::move(parts), text, at(second));
  }
  // What is to be told then.
  static std::vector<Event> told(AccountKeeper& keeper, std::int64_t second) {
    std::vector<Event> events;
    keeper.before_step(events, at(second));
    return events;
  }
  static double used(AccountKeeper& keeper, const std::string& account, std::int64_t second) {
    return keeper.standings(at(second)).users[{account, 7}].used;
  }
  Step tell(AccountKeeper& keeper, std::vector<Event> events) {
    Step step = world.round(std::move(events));
    keeper.on_step(step, world.scheduler().cluster().view());
    return step;
  }

  ScriptedWorld world{{test::node(0, 4, 1000), test::node(1, 4, 1000)}};
  std::map<JobId, Duration> granted;
  std::string kept, warned;
};

TEST_F(an_account_keeper, counts_what_was_granted_and_forgets_half_of_it_in_a_half_life) {
  start(1, "lab", 0);
  const auto its = keeper(seconds(100), 0);
  granted[{1}] = seconds(80);
  EXPECT_DOUBLE_EQ(used(*its, "lab", 10), 80);
  EXPECT_DOUBLE_EQ(used(*its, "lab", 10), 80) << "each core-second counts once";
  EXPECT_DOUBLE_EQ(used(*its, "lab", 110), 40);
  const auto off = keeper({}, 0);
  EXPECT_DOUBLE_EQ(used(*off, "lab", 10), 80);
  EXPECT_NEAR(used(*off, "lab", 100'000), 80, 0.1) << "without fair share nothing is forgotten";
}

TEST_F(an_account_keeper, goes_on_from_what_was_kept) {
  start(1, "lab", 0);
  const auto first = keeper(seconds(100), 0);
  granted[{1}] = seconds(80);
  first->every_second(at(10));
  ASSERT_NE(kept, "");
  granted[{1}] = seconds(100);  // its VM ran on
  const auto second = keeper(seconds(100), 10, kept);
  EXPECT_DOUBLE_EQ(used(*second, "lab", 10), 100);
  EXPECT_EQ(warned, "");
}

TEST_F(an_account_keeper, remembers_how_many_jobs_have_ended) {
  const auto first = keeper(seconds(100), 0);
  Step step;
  step.now = at(1);
  Submission job = submission(1, 1000, 100);
  job.account = "lab";
  job.uid = 7;
  for (std::uint64_t id = 1; id <= 2; ++id) {
    JobOutcome outcome;
    outcome.job = {id};
    outcome.submission = Submission(job);
    outcome.started = at(0);
    step.ended.push_back(std::move(outcome));
  }
  first->on_step(step, world.scheduler().cluster().view());
  first->every_second(at(1));
  EXPECT_NE(kept.find("ended,lab,7,2\n"), std::string::npos) << kept;
  const auto second = keeper(seconds(100), 1, kept);
  second->every_second(at(101));
  EXPECT_NE(kept.find("ended,lab,7,1\n"), std::string::npos) << kept;
  EXPECT_EQ(warned, "");
}

TEST_F(an_account_keeper, keeps_nothing_where_no_account_and_no_fair_share_is_set) {
  start(1, "lab", 0);
  const auto its = keeper({}, 0);
  granted[{1}] = seconds(80);
  its->every_second(at(10));
  EXPECT_EQ(kept, "");
  (void)tell(*its, {AccountsChanged{{{"lab", "", 1, {}}}}});
  its->every_second(at(11));
  EXPECT_NE(kept, "");
}

TEST_F(an_account_keeper, counts_a_job_that_ended_while_the_manager_was_away) {
  const std::string text = "at,0\nuse,lab,7,30\njob,9,lab,7,10000000\n";
  granted[{9}] = seconds(25);
  EXPECT_DOUBLE_EQ(used(*keeper(seconds(100), 0, text), "lab", 0), 45);
}

TEST_F(an_account_keeper, sets_aside_a_text_that_it_cannot_read) {
  for (const char* text : {"nonsense\n", "use,lab,x,1\n", "use,lab,7,nan\n", "use,lab,7,-1\n",
                           "ended,lab,7,-1\n", "job,1,lab,7\n"}) {
    warned.clear();
    const auto its = keeper(seconds(100), 0, text);
    EXPECT_NE(warned.find("account_use_set_aside"), std::string::npos) << text;
    EXPECT_DOUBLE_EQ(used(*its, "lab", 0), 0);
  }
}

// Eight cores are 11,540 core-seconds with this half-life. Each of the two is entitled to half of them, and
// left alone up to three quarters.
TEST_F(an_account_keeper, tells_the_weights_of_those_that_have_used_more_than_their_part) {
  start(1, "lab", 0);
  start(2, "guests", 1);
  const auto its = keeper(seconds(1'000), 0);
  granted[{1}] = seconds(11'000);
  granted[{2}] = seconds(8'000);
  const auto events = told(*its, 20);
  ASSERT_EQ(events.size(), 1U);
  for (const UserWeight& one : std::get<WeightsChanged>(events.front()).weights)
    EXPECT_EQ(one.weight < Weight{}, one.account == "lab") << one.account;
  EXPECT_EQ(its->standings(at(20)).half_life, seconds(1'000));
}

TEST_F(an_account_keeper, without_fair_share_makes_all_weights_alike_again_and_tells_none) {
  start(1, "lab", 0);
  (void)world.round({WeightsChanged{{{"lab", 7, Weight{kMillion / 2}}}}});
  const auto its = keeper({}, 0);
  EXPECT_LE(its->next_due(), at(0));
  const auto events = told(*its, 0);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<WeightsChanged>(events.front()).weights,
            (std::vector<UserWeight>{{"lab", 7, Weight{}}}));
  EXPECT_TRUE(told(*its, 100).empty());
  EXPECT_EQ(its->next_due(), kNever);
  EXPECT_EQ(its->weight_of({"lab", 7}, at(5)), Weight{});
}

TEST_F(an_account_keeper, tells_when_core_hours_are_served_and_when_they_are_forgotten) {
  (void)world.round({AccountsChanged{{{"all", "", 1, {{LimitKind::core_hours, 2}}}, {"lab", "all"}}}});
  start(1, "lab", 0);
  const auto its = keeper(seconds(3'600), 0);
  granted[{1}] = seconds(3'600);
  for (const Event& event : told(*its, 0)) EXPECT_FALSE(std::holds_alternative<CoreHoursServed>(event));
  granted[{1}] = seconds(3 * 3'600);
  const auto of = [](const std::vector<Event>& events) -> std::optional<std::vector<ServedCoreHours>> {
    for (const Event& event : events)
      if (const auto* served = std::get_if<CoreHoursServed>(&event)) return served->reached;
    return std::nullopt;
  };
  auto events = told(*its, 10);
  EXPECT_EQ(of(events), (std::vector<ServedCoreHours>{{"all", {}, 2}}));
  (void)tell(*its, std::move(events));
  EXPECT_EQ(of(told(*its, 20)), std::nullopt) << "it is known";
  EXPECT_EQ(of(told(*its, 7'200)), std::vector<ServedCoreHours>{});
}

}  // namespace
}  // namespace aliquot
