// Jobs as people write them: on the command line and in a file, the same words, the same errors.
#include "tools/ctl/job_text.hpp"

#include <gtest/gtest.h>

#include "tools/ctl/job_arguments.hpp"

namespace aliquot::ctl {
namespace {

JobText chain() {
  JobText job;
  job.hash_chain = "10:500";
  return job;
}

std::string refusal(const JobText& job, std::optional<Cpu> reference = cores(4)) {
  const auto submit = to_submit(job, reference);
  return submit ? "taken" : submit.error().message;
}

TEST(JobText, HasDefaults) {
  const auto submit = to_submit(chain(), {});
  ASSERT_TRUE(submit) << submit.error().message;
  EXPECT_EQ(submit->submission.demand.tasks, 1U);
  EXPECT_EQ(submit->submission.demand.need, cores(1));
  EXPECT_EQ(submit->submission.max_need, std::nullopt);
  EXPECT_EQ(submit->submission.guest_memory, mebibytes(128));
  EXPECT_EQ(std::get<HashChain>(submit->submission.program), (HashChain{10, 500}));
}

TEST(JobText, ReadsEveryQuantityExactly) {
  JobText job = chain();
  job.tasks = "4";
  job.cpu = "40%";
  job.max_cpus = "2.5";
  job.mem = "1.5GiB";
  job.min_yield = "25%";
  job.time_limit = "10m";
  job.wall_limit = "2h";
  job.warn = "1m";
  job.checkpoint = "5m";
  job.estimate = "90s";
  job.on_task_failure = "continue";
  job.name = "primes";
  job.hold = true;
  const auto submit = to_submit(job, cores(4));
  ASSERT_TRUE(submit) << submit.error().message;
  const Submission& s = submit->submission;
  EXPECT_EQ(s.demand.tasks, 4U);
  EXPECT_EQ(s.demand.need, Cpu{1'600'000});
  EXPECT_EQ(s.max_need, Cpu{2'500'000});
  EXPECT_EQ(s.guest_memory, mebibytes(1536));
  EXPECT_EQ(s.demand.min_yield, Yield{250'000});
  EXPECT_EQ(s.time_limit, seconds(600));
  EXPECT_EQ(s.wall_limit, seconds(7200));
  EXPECT_EQ(s.warn, seconds(60));
  EXPECT_EQ(s.checkpoint, seconds(300));
  EXPECT_EQ(s.on_task_failure, OnTaskFailure::carry_on);
  EXPECT_EQ(s.demand.estimate, seconds(90));
  EXPECT_TRUE(s.hold);
}

TEST(JobText, SaysWhenItMayStart) {
  JobText job = chain();
  job.after = {"ok:7", "any:8:9"};
  job.begin = "2026-12-01T11:30Z";
  job.singleton = true;
  EXPECT_EQ(refusal(job), "--singleton goes with --name: one job of it runs at a time");
  job.name = "sync";
  const auto submit = to_submit(job, {});
  ASSERT_TRUE(submit) << submit.error().message;
  const StartTerms& start = submit->submission.start;
  EXPECT_EQ(start.after,
            (std::vector<Dependency>{{{7}, Awaited::success}, {{8}, Awaited::end}, {{9}, Awaited::end}}));
  EXPECT_TRUE(start.singleton);
  EXPECT_EQ(submit->begin_unix_us, 1'796'124'600'000'000);
  job.after = {"later:7"};
  EXPECT_TRUE(refusal(job).starts_with("--after: 'later:7' names 'later', which is no kind"));
  job.after.clear();
  job.begin = "soon";
  EXPECT_NE(refusal(job).find("is no time"), std::string::npos) << refusal(job);
}

TEST(JobText, SharesAreNamedOnTheCommandLineAndInAFile) {
  auto job = read_job_text("command: [\"true\"]\nshare: [home, data]\n", "job.yaml");
  ASSERT_TRUE(job) << job.error().message;
  JobText more;
  more.share = {"scratch"};
  overlay(*job, more);
  const auto submit = to_submit(*job, {});
  ASSERT_TRUE(submit) << submit.error().message;
  EXPECT_EQ(submit->shares, (std::vector<std::string>{"home", "data", "scratch"}));
}

TEST(JobText, BandwidthIsThatOfANetwork) {
  JobText job = chain();
  job.network = "site";
  job.net = "200Mbit";
  EXPECT_EQ(to_submit(job, {})->network, "site");
  EXPECT_EQ(to_submit(job, {})->bandwidth, Bandwidth{200 * kMillion});
  job.net = "200MB";
  EXPECT_NE(refusal(job).find("--net: \"200MB\" is not a bandwidth"), std::string::npos) << refusal(job);
  job.net = "999kbit";
  EXPECT_EQ(refusal(job), "--net: \"999kbit\" is not from 1Mbit to 1000Gbit");
  job.net = "1Mbit";
  job.network = "lan";
  EXPECT_EQ(refusal(job), "--network: \"lan\" is no network; write job, site or none");
}

TEST(JobText, CheckpointsCanBeDeclinedOrLeftToTheSite) {
  JobText job = chain();
  EXPECT_EQ(to_submit(job, {})->submission.checkpoint, std::nullopt);
  job.checkpoint = "off";
  EXPECT_EQ(to_submit(job, {})->submission.checkpoint, Duration{});
}

TEST(JobText, ACommandBesideAnImageIsRunInTheImage) {
  JobText job;
  job.image = "debian";
  EXPECT_EQ(to_submit(job, {})->submission.program, Program(ImageBoot{"debian"}));
  job.command = {"python3", "-c", "1"};
  EXPECT_EQ(to_submit(job, {})->submission.program,
            Program(ImageBoot{"debian", {}, {"python3", "-c", "1"}}));
}

TEST(JobText, AnMpiJobHasANetworkAndIsStartedByTheGuest) {
  JobText job;
  job.command = {"./ring"};
  job.mpi = "auto";
  EXPECT_EQ(to_submit(job, {})->network, "");  // one task talks to no other
  job.tasks = "4";
  EXPECT_EQ(to_submit(job, {})->network, "job");
  EXPECT_EQ(to_submit(job, {})->submission.program, Program(LinuxCommand{{"./ring"}, {}}));
  job.image = "debian";
  EXPECT_EQ(to_submit(job, {})->submission.program,
            Program(ImageBoot{"debian", {}, {"aliquot-mpi", "auto", "./ring"}}));
  job.network = "none";
  EXPECT_NE(refusal(job).find("--mpi: the tasks of an MPI job need a network of their own"),
            std::string::npos);
  job.network.reset();
  job.gpus = "1";
  EXPECT_NE(refusal(job).find("--mpi starts a process in the VM of each task"), std::string::npos);
}

struct Fault {
  std::optional<std::string> JobText::*field;
  const char* value;
  const char* says;
};
const std::vector<Fault> kFaults{
    {&JobText::tasks, "0", "--tasks: \"0\""},
    {&JobText::tasks, "four", "--tasks:"},
    {&JobText::tasks, "-1", "--tasks:"},
    {&JobText::tasks, "8-1", "or 2-16 to let the manager choose"},
    {&JobText::tasks, "1-", "--tasks:"},
    {&JobText::speedup, "perfect", "--speedup goes with a range of tasks"},
    {&JobText::cpus, "0", "--cpus: a task must need"},
    {&JobText::cpus, "lots", "--cpus:"},
    {&JobText::cpu, "40", "is no percentage"},
    {&JobText::cpu, "x%", "--cpu:"},
    {&JobText::max_cpus, "0.5", "--max-cpus: \"0.5\" is below the need of 1 core;"},
    {&JobText::max_cpus, "150%", "--max-cpus:"},
    {&JobText::mem, "128", "--mem:"},
    {&JobText::mem, "128MB", "--mem:"},
    {&JobText::mem, "0B", "--mem: a guest needs"},
    {&JobText::min_yield, "1.5", "--min-yield:"},
    {&JobText::min_yield, "half", "--min-yield:"},
    {&JobText::time_limit, "10", "--time-limit:"},
    {&JobText::time_limit, "0s", "--time-limit:"},
    {&JobText::checkpoint, "10", "--checkpoint:"},
    {&JobText::checkpoint, "0s", "--checkpoint:"},
    {&JobText::checkpoint, "never", "--checkpoint:"},
    {&JobText::estimate, "soon", "--estimate:"},
    {&JobText::hash_chain, "10", "--hash-chain:"},
    {&JobText::hash_chain, "0:1", "--hash-chain:"},
    {&JobText::hash_chain, "1:", "--hash-chain:"},
    {&JobText::on_task_failure, "ignore", "--on-task-failure: \"ignore\" is neither"},
    {&JobText::kernel, "/k", "exclude each other"},
    {&JobText::image, "/i", "exclude each other"},
    {&JobText::initrd, "/i", "--kernel only"},
    {&JobText::mpi, "lam", "--mpi: \"lam\" is no MPI"},
    {&JobText::mpi, "auto", "--mpi goes with a command only"},
};

TEST(JobText, EveryFaultNamesItsOption) {
  for (const Fault& fault : kFaults) {
    JobText job = chain();
    job.*fault.field = fault.value;
    EXPECT_NE(refusal(job).find(fault.says), std::string::npos) << fault.value << ": " << refusal(job);
  }
  EXPECT_NE(refusal({}).find("nothing to run"), std::string::npos);
  JobText both = chain();
  both.cpus = "1";
  both.cpu = "10%";
  EXPECT_NE(refusal(both).find("exclude each other"), std::string::npos);
  JobText percent = chain();
  percent.cpu = "10%";
  EXPECT_NE(refusal(percent, {}).find("is not known yet; use --cpus"), std::string::npos);
}

TEST(JobFile, IsReadAndOptionsReplaceItsValues) {
  const auto read =
      read_job_text("tasks: 4\ncpus: 1.5\nmem: 64MiB\ncommand: [./primes, \"1\"]\nhold: true\n", "j");
  ASSERT_TRUE(read) << read.error().message;
  JobText job = *read;
  JobText over;
  over.cpu = "50%";
  over.command = {"echo"};
  overlay(job, over);
  const auto submit = to_submit(job, cores(4));
  ASSERT_TRUE(submit) << submit.error().message;
  EXPECT_EQ(submit->submission.demand.need, cores(2));
  EXPECT_EQ(submit->submission.demand.tasks, 4U);
  EXPECT_EQ(std::get<LinuxCommand>(submit->submission.program).argv, std::vector<std::string>{"echo"});
  EXPECT_TRUE(submit->submission.hold);
}

TEST(JobFile, NamesEveryFaultWithItsPlace) {
  const auto read = read_job_text(
      "taks: 4\nmem: [1]\nhold: yes\ncommand: echo\nname: a\nname: b\nwhat-is-this: 1\n", "job.yaml");
  ASSERT_FALSE(read);
  const std::string& text = read.error().message;
  for (const char* says :
       {"job.yaml:1:1: taks", "did you mean tasks?", "job.yaml:2:1: mem", "job.yaml:3:1: hold",
        "job.yaml:4:1: command", "job.yaml:6:1: name: stands here twice",
        "job.yaml:7:1: what-is-this: is not known; known are tasks"})
    EXPECT_NE(text.find(says), std::string::npos) << says << " in:\n" << text;
  EXPECT_FALSE(read_job_text("- a\n", "j"));
  EXPECT_FALSE(read_job_text("", "j"));
  EXPECT_FALSE(read_job_text("a: {", "j"));
  EXPECT_FALSE(read_job_file("/nonexistent"));
}

TEST(JobArguments, AreNumbersAndTasks) {
  EXPECT_EQ(parse_job_name("12")->job.raw, 12U);
  EXPECT_TRUE(parse_job_name("12")->indices.empty());
  for (const char* bad : {"", "0", "-1", "x", "1.2", "99999999999999999999"})
    EXPECT_FALSE(parse_job_name(bad)) << bad;
  EXPECT_EQ(parse_task_name("12.3")->task, 3U);
  EXPECT_FALSE(parse_task_name("12")->task);
  for (const char* bad : {"12.", "12.x", ".1", "12.1.1"}) EXPECT_FALSE(parse_task_name(bad)) << bad;
}

TEST(JobArguments, NameMembersOfArraysAsSlurmDoesToo) {
  for (const char* one : {"7[3]", "7_3", "7_[3]"}) {
    ASSERT_TRUE(parse_job_name(one)) << one;
    EXPECT_EQ(parse_job_name(one)->job.raw, 7U);
    EXPECT_EQ(parse_job_name(one)->indices, (IndexSet{{3, 1, 1}})) << one;
  }
  EXPECT_EQ(count_of(parse_job_name("7[0-9:3,20]")->indices), 5U);
  EXPECT_EQ(parse_task_name("7[3].1")->task, 1U);
  EXPECT_EQ(parse_task_name("7[3].1")->job.indices, (IndexSet{{3, 1, 1}}));
  for (const char* bad : {"7[", "7[]", "7[3", "7]3", "7[3]4", "7_", "[3]", "7[x]", "7[9-1]"})
    EXPECT_FALSE(parse_job_name(bad)) << bad;
}

TEST(JobText, ReadsDevicesAndSpreads) {
  JobText job = chain();
  job.gpus = "2";
  job.gpu_model = "V100";
  job.nodes = "1-4";
  job.tasks = "8";
  job.tasks_per_node = "2";
  job.priority = "-7";
  job.hypervisor = "xen";
  job.contiguous = true;
  const auto submit = to_submit(job, {});
  ASSERT_TRUE(submit) << submit.error().message;
  const Demand& demand = submit->submission.demand;
  EXPECT_EQ(demand.devices, (DeviceDemand{2, kWholeDevice, kAnyModel}));
  EXPECT_EQ(submit->gpu_model, "V100");
  EXPECT_EQ(demand.spread, (Spread{1, 4, 2, true}));
  EXPECT_EQ(demand.priority, -7);
  EXPECT_EQ(demand.hypervisor, HypervisorKind::xen);
  EXPECT_FALSE(demand.movable);
  EXPECT_EQ(demand.min_yield, kFullYield);
  job.min_yield = "0.5";
  EXPECT_EQ(to_submit(job, {})->submission.demand.min_yield, Yield{500'000});
  job.nodes = "3";
  EXPECT_EQ(to_submit(job, {})->submission.demand.spread.max_nodes, 3U);
}

TEST(JobText, RefusesDevicesAndSpreadsThatAreNone) {
  const auto with = [](std::optional<std::string> JobText::*field, const std::string& value) {
    JobText job = chain();
    job.*field = value;
    return refusal(job);
  };
  EXPECT_NE(with(&JobText::gpus, "-1").find("--gpus: "), std::string::npos);
  EXPECT_NE(with(&JobText::gpus, "two").find("--gpus: "), std::string::npos);
  EXPECT_NE(with(&JobText::gpu_parts, "1001").find("from 0 to 1000"), std::string::npos);
  EXPECT_NE(with(&JobText::nodes, "4-1").find("write 4, or 1-4"), std::string::npos);
  EXPECT_NE(with(&JobText::nodes, "0").find("no number of nodes"), std::string::npos);
  EXPECT_NE(with(&JobText::nodes, "1-").find("no number of nodes"), std::string::npos);
  EXPECT_NE(with(&JobText::tasks_per_node, "x").find("--tasks-per-node: "), std::string::npos);
  EXPECT_NE(with(&JobText::priority, "1.5").find("--priority: "), std::string::npos);
  EXPECT_NE(with(&JobText::hypervisor, "kvm").find("is no hypervisor; write libvirt or xen"),
            std::string::npos);
}

}  // namespace
}  // namespace aliquot::ctl
