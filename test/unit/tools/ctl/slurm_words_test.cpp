#include "tools/ctl/slurm_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace aliquot::ctl::slurm {
namespace {

TEST(SlurmWords, TimesWithColonsAndDays) {
  EXPECT_EQ(time_text("01:30:00"), "5400s");
  EXPECT_EQ(time_text("90:00"), "5400s") << "minutes and seconds";
  EXPECT_EQ(time_text("2-12"), "216000s") << "days and hours";
  EXPECT_EQ(time_text("1-00:30"), "88200s");
  EXPECT_EQ(time_text("1-00:00:01"), "86401s");
  for (const char* other : {"30", "10m", "1:2:3:4", "a:b", ":", "1-", "-1", "", "99999999:00"})
    EXPECT_EQ(time_text(other), other);
}

TEST(SlurmWords, SizesWithoutTheirSecondLetter) {
  EXPECT_EQ(memory_text("1G"), "1GiB");
  EXPECT_EQ(memory_text("512M"), "512MiB");
  for (const char* other : {"128", "1GB", "G", "1GiB", ""}) EXPECT_EQ(memory_text(other), other);
}

TEST(SlurmWords, WhatMeansTheSameIsTakenOver) {
  const auto lines = read_line(
      "-n 4 --cpus-per-task=2 -J 'my job' -t 30 --mem=2000 -N 1-2 --gres=gpu:V100:2 --export=ALL,A=1,B -H");
  ASSERT_TRUE(lines) << lines.error().message;
  const JobText& job = lines->job;
  EXPECT_EQ(job.tasks, "4");
  EXPECT_EQ(job.cpus, "2");
  EXPECT_EQ(job.name, "my job");
  EXPECT_EQ(job.time_limit, "30m");
  EXPECT_EQ(job.mem, "2000MiB");
  EXPECT_EQ(job.nodes, "1-2");
  EXPECT_EQ(job.gpus, "2");
  EXPECT_EQ(job.gpu_model, "V100");
  EXPECT_EQ(job.env, (std::vector<std::string>{"A=1", "B"}));
  EXPECT_TRUE(job.hold);
  EXPECT_TRUE(std::ranges::count(lines->options, "--time-limit") == 1);
}

TEST(SlurmWords, DependenciesAndTheTimeToBeginAreTakenOver) {
  const auto lines = read_line("-d afterok:7:8,afterany:9,singleton,afternotok:1,after:2 -b now+1hour");
  ASSERT_TRUE(lines) << lines.error().message;
  EXPECT_EQ(lines->job.after, (std::vector<std::string>{"ok:7:8", "any:9", "notok:1", "start:2"}));
  EXPECT_EQ(read_line("-d afterok:7_3:8:9_0")->job.after, std::vector<std::string>{"ok:7[3]:8:9[0]"});
  EXPECT_TRUE(lines->job.singleton);
  EXPECT_EQ(lines->job.begin, "now+1hour");
}

TEST(SlurmWords, ASignalBeforeTheLimitIsAWarning) {
  EXPECT_EQ(read_line("--signal=B:TERM@120")->job.warn, "120s");
  EXPECT_EQ(read_line("--signal=15")->job.warn, "60s");
  EXPECT_EQ(read_line("--signal=USR1@60").error().kind, ErrorKind::refused);
  EXPECT_EQ(read_line("--signal=TERM@soon").error().kind, ErrorKind::invalid_argument);
}

TEST(SlurmWords, AnArrayIsTakenOver) {
  EXPECT_EQ(read_line("--array=0-999%50")->job.array, "0-999%50");
  EXPECT_EQ(read_line("-a 1,3,5-9:2")->job.array, "1,3,5-9:2");
}

TEST(SlurmWords, WhatOnlySlurmKeepsIsLeftOutAndSaid) {
  const auto lines = read_line("-p batch --output=%j.out --mail-type=END");
  ASSERT_TRUE(lines) << lines.error().message;
  ASSERT_EQ(lines->left_out.size(), 3U);
  EXPECT_EQ(lines->left_out[0], "--partition (there are no partitions: nodes are shared in fractions)");
}

TEST(SlurmWords, WithoutWhichItWouldBeAnotherJobIsRefused) {
  for (const char* words : {"-d expand:7", "-d afterok:7?afterok:8", "-d after:7+5", "--exclusive",
                            "--exclusive=user", "-w n1"}) {
    const auto lines = read_line(words);
    ASSERT_FALSE(lines) << words;
    EXPECT_EQ(lines.error().kind, ErrorKind::refused) << words;
  }
  EXPECT_EQ(read_line("-w n1").error().message, "--nodelist: the manager chooses the nodes");
  EXPECT_EQ(read_line("--arry=1-9").error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(read_line("-n").error().kind, ErrorKind::invalid_argument);
}

TEST(SlurmWords, AdviceForOptionsAndCommandsOfSlurm) {
  EXPECT_EQ(advice("-p"), "--partition of Slurm: there are no partitions: nodes are shared in fractions");
  EXPECT_EQ(advice("--nodelist=n1"), "--nodelist of Slurm: the manager chooses the nodes");
  EXPECT_EQ(advice("--tasks"), "");
  EXPECT_EQ(command_for("squeue"), "aliquot list");
  EXPECT_EQ(command_for("list"), "");
}

}  // namespace
}  // namespace aliquot::ctl::slurm
