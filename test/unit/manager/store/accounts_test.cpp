// What the ended jobs of accounts come to: each job is counted once, whatever dies.
#include "manager/store/maintenance.hpp"
#include "monitor/account_use.hpp"
#include "monitor/codec_cpu_use.hpp"
#include "test/unit/manager/store/fixture.hpp"
#include "test/unit/manager/store/sql.hpp"

namespace aliquot::test {
namespace {

using Totals = std::vector<std::pair<std::string, AccountUse>>;

AccountUse total(std::uint64_t jobs) {
  AccountUse made;
  made.completed = jobs;
  made.failed = 2;
  made.cancelled = 3;
  made.timed_out = 4;
  made.cpu = {seconds(9),         seconds(8), {Int128{1} << 70}, {seconds(7), 6, 5},
              {seconds(4), 3, 0}, {{}, 0, 2}, seconds(2),        seconds(1)};
  made.stretch = {jobs, 3'000'000, 2'000'000};
  return made;
}

void end_jobs(const OpenStore& open, std::uint64_t last) {
  for (std::uint64_t number = 1; number <= last; ++number) {
    Step step;
    step.number = number;
    step.ended.push_back({});
    step.ended.back().job = {number};
    open.store->append(step);
  }
}

TEST(Accounts, TheCodecGivesBackEveryField) {
  const auto back = decode<AccountUse>(encode(total(5)));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, total(5));
}

TEST(Accounts, AnEndedJobIsUncountedUntilItsAccountsTotalIsKept) {
  const TemporaryDirectory directory;
  {
    const OpenStore open(directory.file("s.db"));
    end_jobs(open, 3);
    open.store->keep_accounts({{"ada", total(2)}, {"", total(1)}}, {{1}, {3}});
    open.store->flush();
    EXPECT_EQ(open.store->uncounted(), std::vector<JobId>{{2}});
  }
  const OpenStore again(directory.file("s.db"));
  EXPECT_EQ(again.store->uncounted(), std::vector<JobId>{{2}});
  EXPECT_EQ(again.store->accounts(), (Totals{{"", total(1)}, {"ada", total(2)}}));
}

TEST(Accounts, TheTotalOutlivesTheRecordsOfItsJobs) {
  const TemporaryDirectory directory;
  Retention retention;
  retention.ended_rows = 1;
  const OpenStore open(directory.file("s.db"), retention);
  end_jobs(open, 3);
  open.store->keep_accounts({{"ada", total(1)}}, {{1}});
  CoreState state;
  state.steps = 3;
  open.store->snapshot(state);  // which cuts the past off
  open.store->flush();
  EXPECT_FALSE(open.store->ended({1}));
  EXPECT_EQ(open.store->uncounted(), std::vector<JobId>{{3}}) << "of 2 nothing is known any more";
  EXPECT_EQ(open.store->accounts(), (Totals{{"ada", total(1)}}));
}

TEST(Accounts, AllEndedJobsOfAStoreOfTheVersionBeforeAreStillToBeCounted) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  {
    const OpenStore made(path);
    end_jobs(made, 2);
    made.store->keep_accounts({}, {{1}, {2}});
  }
  sql(path, kWithoutMembers + std::string("DROP TABLE accounts; DROP TABLE clocks; DROP TABLE nodes; DROP "
                                          "TABLE learned; DROP TABLE uncounted; "
                                          "PRAGMA user_version "
                                          "= 2"));
  const OpenStore open(path);
  ASSERT_TRUE(open.recovered) << open.recovered.error().message;
  EXPECT_EQ(open.store->uncounted(), (std::vector<JobId>{{1}, {2}}));
}

TEST(Accounts, ADamagedRowIsFoundByTheCheckAndStopsWhoeverReadsIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  OpenStore open(path);
  sql(path, "INSERT INTO accounts VALUES('ada', '{}')");
  const auto check = check_store(path);
  ASSERT_TRUE(check);
  ASSERT_EQ(check->problems.size(), 1U);
  EXPECT_TRUE(check->problems[0].starts_with("the totals of account 'ada': ")) << check->problems[0];
  EXPECT_TRUE(open.store->accounts().empty());
  EXPECT_EQ(open.failed().size(), 1U);
}

}  // namespace
}  // namespace aliquot::test
