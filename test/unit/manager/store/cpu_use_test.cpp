// What is kept of jobs' CPU: the newest word stands, it survives, and it goes with the job's end.
#include "manager/store/maintenance.hpp"
#include "manager/store/schema.hpp"
#include "monitor/codec_cpu_use.hpp"
#include "test/unit/manager/store/fixture.hpp"
#include "test/unit/manager/store/sql.hpp"

namespace aliquot::test {
namespace {

JobUse use(std::int64_t used_s) {
  JobUse made;
  made.promised = seconds(used_s + 2);
  made.granted = seconds(used_s + 1);
  made.energy = {(Int128{1} << 70) + used_s};
  made.to = {used_s * kMillion};
  made.runs = {{3, 1, -1, {0}, {5}, seconds(1), {seconds(used_s), seconds(2), {}}},
               {3, 2, INT64_MAX, {1}, {7}, seconds(2), {Duration{1}, {}, {}}}};
  made.earlier = 4;
  made.earlier_used = {seconds(1), seconds(1), seconds(0)};
  made.busy = {seconds(9), seconds(8), seconds(7), {}};
  made.runs[1].memory = GuestMemory{mebibytes(96), mebibytes(40), 1'700'000'000};
  made.runs[1].memory_told = Instant{6};
  made.largest_memory = LargestMemory{3, {4}, {mebibytes(96), Memory{used_s}, 1'600'000'000}};
  return made;
}

TEST(CpuUseCodec, GivesBackEveryField) {
  const auto back = decode<JobUse>(encode(use(10)));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, use(10));
  EXPECT_FALSE(decode<JobUse>(R"({"promised":1})"));
}

TEST(CpuUse, TheNewestSurvivesARestart) {
  const TemporaryDirectory directory;
  {
    const OpenStore open(directory.file("s.db"));
    open.store->keep_cpu({{{1}, use(10)}, {{2}, use(20)}}, {});
    open.store->keep_cpu({{{1}, use(12)}}, {});
    open.store->flush();
    EXPECT_EQ(open.store->cpu_use({1}), use(12));
  }
  const OpenStore again(directory.file("s.db"));
  EXPECT_EQ(again.store->cpu_use({1}), use(12));
  EXPECT_EQ(again.store->cpu_use({2}), use(20));
  EXPECT_EQ(again.store->cpu_use({3}), std::nullopt);
}

TEST(CpuUse, TheHoursOfUsersAreReplacedAndAddedUp) {
  const TemporaryDirectory directory;
  const auto cpu = [](std::int64_t granted) { return CpuTime{seconds(granted), seconds(1)}; };
  {
    const OpenStore open(directory.file("s.db"));
    open.store->keep_cpu({}, {{7, {"lab", 1}, cpu(10)}, {8, {"lab", 1}, cpu(5)}, {8, {"", 2}, cpu(4)}});
    open.store->keep_cpu({}, {{8, {"lab", 1}, cpu(6)}});
    open.store->flush();
  }
  const OpenStore again(directory.file("s.db"));
  const CpuByUser both{{{"", 2}, cpu(4)}, {{"lab", 1}, {seconds(16), seconds(2)}}};
  EXPECT_EQ(again.store->cpu_between(7, 9), both);
  EXPECT_EQ(again.store->cpu_between(7, 8), (CpuByUser{{{"lab", 1}, cpu(10)}}));
  EXPECT_TRUE(again.store->cpu_between(9, 100).empty());
}

TEST(CpuUse, TheHoursOfJobsAreReplacedAndAddedUp) {
  const TemporaryDirectory directory;
  const auto cpu = [](std::int64_t granted) { return CpuTime{seconds(granted), seconds(1)}; };
  const OpenStore open(directory.file("s.db"));
  open.store->keep_cpu({}, {{7, {"lab", 1}, cpu(10), JobId{3}}, {8, {"lab", 1}, cpu(5), JobId{3}}});
  open.store->keep_cpu({}, {{8, {"lab", 1}, cpu(6), JobId{3}}, {8, {"", 2}, cpu(4), JobId{4}}});
  open.store->flush();
  const CpuOfJob third{{"lab", 1}, {seconds(16), seconds(2)}}, fourth{{"", 2}, cpu(4)};
  EXPECT_EQ(open.store->cpu_of_jobs({7, 9}), (CpuByJob{{{3}, third}, {{4}, fourth}}));
  EXPECT_EQ(open.store->cpu_of_jobs({7, 9, JobId{3}}), (CpuByJob{{{4}, fourth}}));
  EXPECT_EQ(open.store->cpu_of_jobs({7, 9, {}, 1}), (CpuByJob{{{3}, third}}));
  EXPECT_TRUE(open.store->cpu_between(7, 9).empty()) << "those of users are kept beside them";
}

TEST(CpuUse, TheOldestHoursGoWhenThereAreTooMany) {
  const TemporaryDirectory directory;
  Retention retention;
  retention.hour_rows = 2;
  const OpenStore open(directory.file("s.db"), retention);
  for (const std::int64_t hour : {1, 2, 3, 3})
    open.store->keep_cpu({}, {{hour, {"", 1}, {seconds(1), {}}}});
  open.append(1, 1);
  open.store->snapshot(state_after(1));  // which cuts the past off
  open.store->flush();
  EXPECT_TRUE(open.store->cpu_between(1, 2).empty());
  EXPECT_EQ(open.store->cpu_between(1, 9), (CpuByUser{{{"", 1}, {seconds(2), {}}}}));
}

TEST(CpuUse, AStoreOfTheVersionBeforeGetsHours) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  { const OpenStore made(path); }
  sql(path, "DROP TABLE hours; DROP TABLE replica; DROP TABLE job_hours; PRAGMA user_version = 8");
  const OpenStore open(path);
  ASSERT_TRUE(open.recovered) << open.recovered.error().message;
  open.store->keep_cpu({}, {{7, {"lab", 1}, {seconds(3), seconds(2)}}});
  open.store->flush();
  EXPECT_EQ(open.store->cpu_between(7, 8), (CpuByUser{{{"lab", 1}, {seconds(3), seconds(2)}}}));
}

TEST(CpuUse, GoesWithTheRecordOfTheEndedJob) {
  const TemporaryDirectory directory;
  Retention retention;
  retention.ended_rows = 1;
  const OpenStore open(directory.file("s.db"), retention);
  for (std::uint64_t job : {1, 2, 3}) open.store->keep_cpu({{{job}, use(1)}}, {});
  for (std::uint64_t number : {1, 2}) {
    Step step;
    step.number = number;
    step.ended.push_back({});
    step.ended.back().job = {number};
    open.store->append(step);
  }
  CoreState state;
  state.steps = 2;
  open.store->snapshot(state);  // which cuts the past off
  open.store->flush();
  EXPECT_EQ(open.store->cpu_use({1}), std::nullopt);
  EXPECT_EQ(open.store->cpu_use({2}), use(1));
  EXPECT_EQ(open.store->cpu_use({3}), use(1)) << "it has not ended";
}

TEST(CpuUse, AStoreOfTheFirstVersionGetsItsTable) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  { const OpenStore made(path); }
  sql(path, kWithoutMembers + std::string("DROP TABLE cpu_use; DROP TABLE accounts; DROP TABLE clocks; "
                                          "DROP TABLE nodes; DROP TABLE learned; "
                                          "DROP TABLE uncounted; "
                                          "PRAGMA "
                                          "user_version = 1"));
  const OpenStore open(path);
  ASSERT_TRUE(open.recovered) << open.recovered.error().message;
  open.store->keep_cpu({{{1}, use(1)}}, {});
  open.store->flush();
  EXPECT_EQ(open.store->cpu_use({1}), use(1));
}

TEST(CpuUse, ADamagedRowIsFoundByTheCheckAndStopsWhoeverReadsIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("s.db");
  OpenStore open(path);
  sql(path, "INSERT INTO cpu_use VALUES(7, '{}')");
  const auto check = check_store(path);
  ASSERT_TRUE(check);
  ASSERT_EQ(check->problems.size(), 1U);
  EXPECT_TRUE(check->problems[0].starts_with("the CPU of job 7: ")) << check->problems[0];
  EXPECT_EQ(open.store->cpu_use({7}), std::nullopt);
  EXPECT_EQ(open.failed().size(), 1U);
}

}  // namespace
}  // namespace aliquot::test
