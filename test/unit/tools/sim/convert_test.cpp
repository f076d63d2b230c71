// What a format can say comes back from it: workloads by seed, written and read again.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/support/random_view.hpp"
#include "tools/sim/convert/formats.hpp"
#include "tools/sim/workload/writers.hpp"

namespace aliquot {
namespace {

using test::Dice;

const ReadOptions kAsWritten = [] {
  ReadOptions options;
  options.as_written = true;
  return options;
}();

std::string random_word(Dice& dice) {
  static const std::string letters = "abz019 ,\"'\\{}[]:;#-_.";
  std::string word(1, 'x');  // blanks at the ends are not kept in CSV without quotes, nor is an empty word
  for (auto length = dice.between(0, 12); length > 0; --length)
    word +=
        letters[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(letters.size()) - 1))];
  return word;
}

Workload random_workload(std::uint64_t seed, bool whole_nodes) {
  Dice dice(seed);
  Workload made;
  made.accounts = {"", random_word(dice), "two"};
  const auto micro = [&dice](std::int64_t most) {
    return dice.chance(50) ? dice.between(1, most) * kMillion : dice.between(1, most * kMillion);
  };
  const auto fraction = [&](std::int64_t least) {
    return whole_nodes || dice.chance(30) ? Decimal{kPico}
                                          : Decimal{Int128{dice.between(least, 1'000'000)} * 1'000'000};
  };
  Instant now;
  for (std::uint64_t id = 1; id <= 20; ++id) {
    TraceJob job;
    job.id = {id * 7};
    now = job.submitted = now + Duration{micro(5'000)};
    job.tasks = static_cast<std::uint32_t>(dice.between(1, 400));
    job.cpu_need = fraction(1);
    job.memory = fraction(0);
    job.runtime = {micro(100'000)};
    if (dice.chance(60)) job.estimate = Duration{micro(200'000)};
    made.jobs.push_back(make_job(job, kAsWritten));
    if (whole_nodes) continue;
    made.jobs.back().submission.account = static_cast<std::uint32_t>(dice.between(0, 2));
    if (dice.chance(30)) made.extra_columns.add(job.id, "user", random_word(dice));
    if (dice.chance(30)) made.extra_columns.add(job.id, "profile", random_word(dice));
    if (dice.chance(20)) made.extra_columns.add(job.id, "gpu_model", "A100|T4");
  }
  return made;
}

class Convert : public ::testing::Test {
 protected:
  Workload go_through(const Workload& workload, WorkloadFormat format) {
    std::ofstream(path_, std::ios::binary) << write_workload(workload, format, 0);
    auto read = read_workload(path_, kAsWritten);
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::move(*read) : Workload{};
  }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ = ::testing::TempDir() + "convert_test." +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

// A workload's own CSV says all that these have, so equal texts are equal workloads.
TEST_F(Convert, CsvAndBatsimHoldAllThatAWorkloadHas) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Workload workload = random_workload(seed, false);
    const std::string text = workload_csv(workload, true);
    EXPECT_EQ(workload_csv(go_through(workload, WorkloadFormat::csv), true), text) << "seed " << seed;
    EXPECT_EQ(workload_csv(go_through(workload, WorkloadFormat::batsim), true), text) << "seed " << seed;
    EXPECT_TRUE(remarks(workload, WorkloadFormat::csv).empty());
  }
}

// What is learned of a user's run times, and fair share, need not care which format a log has.
TEST_F(Convert, UsersOfEveryFormatAreUsersOfTheSimulation) {
  Workload workload = random_workload(9, true);
  const auto name = [&](std::size_t job, const char* user) {
    workload.extra_columns.add(workload.jobs[job].id, "user", user);
  };
  name(0, "17"), name(1, "17"), name(2, "9");
  const auto users = [&](WorkloadFormat format) {
    const Workload read = go_through(workload, format);
    std::vector<std::uint32_t> found;
    for (const WorkloadJob& job : read.jobs) found.push_back(job.submission.user);
    found.resize(5);
    return found;
  };
  const std::vector<std::uint32_t> numbered{17, 17, 9, 0, 0};
  EXPECT_EQ(users(WorkloadFormat::swf), numbered);
  EXPECT_EQ(users(WorkloadFormat::csv), numbered);
  EXPECT_EQ(users(WorkloadFormat::batsim), numbered);
  name(0, "ann"), name(1, "bob"), name(3, "ann");
  const std::vector<std::uint32_t> named{UINT32_MAX, UINT32_MAX - 1, 9, UINT32_MAX, 0};
  EXPECT_EQ(users(WorkloadFormat::csv), named);
  EXPECT_EQ(users(WorkloadFormat::batsim), named);
}

TEST_F(Convert, SwfHoldsAllOfJobsThatTakeWholeNodes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Workload workload = random_workload(seed, true);
    workload.extra_columns.add(workload.jobs.front().id, "user", "17");
    const Workload again = go_through(workload, WorkloadFormat::swf);
    EXPECT_EQ(workload_csv(again, true), workload_csv(workload, true)) << "seed " << seed;
  }
}

TEST_F(Convert, WhatSwfCannotSayIsToldWithCounts) {
  Workload workload = random_workload(3, true);
  for (WorkloadJob& job : workload.jobs) {
    job.submitted.raw -= job.submitted.raw % kMillion;
    job.submission.alone = seconds(60);
    job.submission.demand.estimate.reset();
  }
  EXPECT_TRUE(remarks(workload, WorkloadFormat::swf).empty());
  workload.jobs[0].cpu_need.pico /= 4;
  workload.jobs[1].memory.pico /= 2;
  workload.jobs[2].memory.pico /= 2;
  workload.jobs[3].submission.account = 1;
  workload.jobs[4].submission.exit_code = 9;
  workload.extra_columns.add(workload.jobs[5].id, "user", "seven");
  workload.extra_columns.add(workload.jobs[6].id, "id", "w!7");
  const auto said = remarks(workload, WorkloadFormat::swf);
  ASSERT_EQ(said.size(), 6U);
  EXPECT_NE(said[0].find("CPU needs"), std::string::npos);
  EXPECT_TRUE(said[0].ends_with(": 1 job"));
  EXPECT_TRUE(said[1].ends_with(": 2 jobs"));
}

TEST_F(Convert, BatsimKeepsNamesProfilesAndExitCodes) {
  Workload workload = random_workload(5, true);
  for (const WorkloadJob& job : workload.jobs)
    workload.extra_columns.add(job.id, "id", "w!" + std::to_string(job.id.raw));
  workload.jobs[1].submission.exit_code = 3;
  workload.extra_columns.add(workload.jobs[0].id, "profile", "same");  // two run times under one name
  workload.extra_columns.add(workload.jobs[1].id, "profile", "same");
  workload.jobs[0].submission.alone = seconds(1);
  workload.jobs[1].submission.alone = seconds(2);
  const Workload again = go_through(workload, WorkloadFormat::batsim);
  ASSERT_EQ(again.jobs.size(), workload.jobs.size());
  EXPECT_EQ(workload_batsim(again, 0), workload_batsim(workload, 0));
  EXPECT_EQ(again.jobs[1].submission.exit_code, 3);
  EXPECT_EQ(again.extra_columns.of(again.jobs[1].id, "profile"), "same");
  EXPECT_EQ(again.extra_columns.of(again.jobs[1].id, "id"), "w!" + std::to_string(workload.jobs[1].id.raw));
}

}  // namespace
}  // namespace aliquot
