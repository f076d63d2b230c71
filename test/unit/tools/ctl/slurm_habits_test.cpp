// What users of Slurm type first works, or says what to type.
#include <filesystem>

#include "test/unit/tools/ctl/running_program.hpp"

namespace aliquot {
namespace {

struct SlurmHabits : test::RunningProgram {
  // A script with these lines in its head.
  std::string script(const std::string& lines) {
    const std::string path = manager_.directory() + "/job.sh";
    std::ofstream(path) << "#!/bin/sh\n" << lines << "echo done\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
};

TEST_F(SlurmHabits, ShortOptionsMeanWhatTheyMeanThere) {
  ASSERT_EQ(run("submit -n 2 -c 0.5 -J test -t 01:00:00 --mem 64M --hash-chain 3:9").exit_code, 0);
  const auto job = answer("show 4");
  EXPECT_EQ(job["tasks"], 2);
  EXPECT_EQ(job["cpus"], 0.5);
  EXPECT_EQ(job["name"], "test");
  EXPECT_EQ(job["time_limit_s"], 3600);
  EXPECT_EQ(job["memory_bytes"], 64 << 20);
}

TEST_F(SlurmHabits, LinesForSlurmInAScript) {
  const auto ran = run("submit " + script("#SBATCH -n 2 -t 30\n#SBATCH -p batch\n#ALIQUOT --name own\n"));
  ASSERT_EQ(ran.exit_code, 0) << ran.words;
  EXPECT_NE(ran.words.find("job.sh: left out: --partition (there are no partitions"), std::string::npos);
  const auto job = answer("show 4");
  EXPECT_EQ(job["tasks"], 2);
  EXPECT_EQ(job["time_limit_s"], 1800);
  EXPECT_EQ(job["name"], "own");
  EXPECT_EQ(run("submit -n 1 " + script("#SBATCH -n 2\n")).exit_code, 0);
  EXPECT_EQ(answer("show 4")["tasks"], 1) << "the command line comes first";
  fails("submit " + script("#SBATCH --array=9-1\n"), 2, "job.sh:2: --array: '9-1' has '9-1', which is no");
  fails("submit " + script("#SBATCH -w n1\n"), 4, "job.sh:2: --nodelist: the manager chooses the nodes");
  EXPECT_EQ(run("submit " + script("#SBATCH --array=1-9%2\n")).exit_code, 0);
  EXPECT_EQ(answer("show 4")["array"]["indices"], "1-9");
  EXPECT_EQ(answer("show 4")["array"]["at_once"], 2);
  fails("submit " + script("#SBATCH --tme=9\n"), 2, "job.sh:2: ");
  fails("submit " + script("#SBATCH -t abc\n"), 2, "job.sh:2: --time-limit: ");
  EXPECT_EQ(run("submit " + script("echo begins\n#SBATCH -w n1\n")).exit_code, 0)
      << "below the first command: a comment, as for sbatch";
}

TEST_F(SlurmHabits, AScriptWithoutAnyLineIsAProgramHere) {
  const std::string path = script("");
  EXPECT_EQ(run("submit $(cd " + manager_.directory() + "; pwd)/job.sh").exit_code, 0);
  EXPECT_EQ(answer("show 4")["program"]["argv"][0], path);
}

TEST_F(SlurmHabits, AnOptionAfterTheCommandIsAskedAbout) {
  const std::string path = script("");
  fails("submit " + path + " --size 3", 2, "write -- before the command: `aliquot submit -- " + path);
  fails("submit " + path + " -n 3", 2, "--tasks stands after the command: write it before");
  EXPECT_EQ(run("submit -- " + path + " -n 3").exit_code, 0);
  EXPECT_EQ(answer("show 4")["program"]["argv"][1], "-n");
}

TEST_F(SlurmHabits, WhatThereIsNotIsSaid) {
  fails("submit -p batch --hash-chain 3:9", 2, "--partition of Slurm: there are no partitions");
  fails("submit -o out.txt --hash-chain 3:9", 2, "`aliquot logs JOB`");
  fails("squeue", 2, "\"squeue\" is a command of Slurm; here it is `aliquot list`");
}

TEST_F(SlurmHabits, ListsSomeJobsOnly) {
  EXPECT_EQ(run("list --name chain -o name").out, "1\n");
  EXPECT_EQ(run("list --state pending -o name").out, "2\n");
  EXPECT_EQ(run("list --state running,pending -o name").out, "1\n2\n");
  EXPECT_EQ(run("list --state failed -o name").out, "3\n") << "ended jobs, because one such state is meant";
  EXPECT_EQ(run("list --since 2023-01-01 -o name").out, "1\n2\n3\n");
  EXPECT_EQ(run("list --since 2h -o name").out, "1\n2\n") << "job 3 ended years ago";
  EXPECT_EQ(run("list --user me -o name").out, getuid() == 0 ? "1\n2\n" : "");
  EXPECT_EQ(run("list --user 4711 -o name").out, "");
  EXPECT_NE(run("list --user 4711").words.find("no such jobs"), std::string::npos);
  EXPECT_NE(run("list -o wide").out.find("USER"), std::string::npos);
  fails("list --state runing", 2, "did you mean `running`?");
  fails("list --user nobodyhere", 3, "this machine has no user \"nobodyhere\"");
  fails("list --since yesterday", 2, "--since: \"yesterday\" is no time");
}

TEST_F(SlurmHabits, UsageIsToldOfJobsThatAreMeant) {
  EXPECT_EQ(run("usage 1").out,
            "JOB  NAME   STATE    TASKS  CPUS  COUNTED  GRANTED  USED  OF IT   MEM  LARGEST  ENOUGH\n"
            "  1  chain  running      2     1        1        -     -      -  128M        -       -\n");
  EXPECT_EQ(answer("usage --user 0 --state pending")[0]["job"], 2);
  EXPECT_EQ(answer("usage --user 0 --all").size(), 3U);
  EXPECT_NE(run("usage --user 4711").words.find("no such jobs"), std::string::npos);
  fails("usage 99", 3, "there is no job 99");
}

TEST_F(SlurmHabits, CancelsByNameOrAll) {
  EXPECT_EQ(run("cancel --name chain --user 0").out, "job 1: cancelled\n");
  EXPECT_EQ(run("cancel --all --user 0").out, "job 1: cancelled\njob 2: cancelled\n");
  EXPECT_EQ(run("cancel --all --state pending --user 0").out, "job 2: cancelled\n");
  fails("cancel --user 0 --name other", 3, "no job that has not ended is meant");
  fails("cancel", 2, "which jobs?");
  fails("cancel 1 --all", 2, "give one of them");
}

}  // namespace
}  // namespace aliquot
