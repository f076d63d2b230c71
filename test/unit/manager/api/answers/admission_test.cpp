// What could never run is refused at once, with one clear reason; what could run is taken.
#include "manager/api/answers/admission.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "test/unit/manager/api/answers/good_submission.hpp"

namespace aliquot {
namespace {

using namespace test;

// Two nodes: 4 cores with 4000 MiB, 2 cores with 1000 MiB.
const std::vector<Node> kNodes{test::node(0, 4, 4000), test::node(1, 2, 1000)};

struct Refused {
  const char* says;  // a part of the reason
  ErrorKind kind;
  std::function<void(Submit&)> spoil;
};

Demand& demand(Submit& s) { return s.submission.demand; }

constexpr auto kBad = ErrorKind::invalid_argument;
constexpr auto kNo = ErrorKind::refused;
constexpr auto kLarge = ErrorKind::too_large;

const std::vector<Refused> kDemands{
    {"0 tasks", kBad, [](Submit& s) { demand(s).tasks = 0; }},
    {"1001 tasks", kLarge, [](Submit& s) { demand(s).tasks = 1001; }},
    {"needs no CPU", kBad, [](Submit& s) { demand(s).need = {0}; }},
    {"needs no CPU", kBad, [](Submit& s) { demand(s).need = {-1}; }},
    {"needs 4.000001 cores", kNo, [](Submit& s) { demand(s).need = cores(4) + Cpu{1}; }},
    {"the largest node, n0, has 4", kNo, [](Submit& s) { demand(s).need = cores(100); }},
    {"at most 0.999999 cores, less than its need of 1", kBad,
     [](Submit& s) { s.submission.max_need = Cpu{999'999}; }},
    {"at most 0 cores, less than", kBad, [](Submit& s) { s.submission.max_need = Cpu{}; }},
    {"could grow to 4.5 cores; the largest node, n0, has 4", kNo,
     [](Submit& s) { s.submission.max_need = Cpu{4'500'000}; }},
    {"needs a memory of 80MiB", kNo, [](Submit& s) { s.submission.guest_memory = {0}; }},
    {"not 64MiB; give --mem 80MiB", kNo, [](Submit& s) { s.submission.guest_memory = mebibytes(64); }},
    {"not 15MiB; give --mem 16MiB", kNo,
     [](Submit& s) {
       run(s, HashChain{1, 1});
       s.submission.guest_memory = mebibytes(15);
     }},
    {"largest node, n0, gives", kNo, [](Submit& s) { s.submission.guest_memory = mebibytes(3937); }},
    {"largest node, n0, gives", kNo, [](Submit& s) { s.submission.guest_memory = {INT64_C(1) << 50}; }},
    {"holds 25 such tasks, not 26", kNo, [](Submit& s) { demand(s).tasks = 26; }},
    {"memory and cores do not fit", kNo, [](Submit& s) { demand(s).tasks = 1000; }},
    {"holds 1 such tasks, not 2", kNo, [](Submit& s) { s.submission.guest_memory = mebibytes(2000); }},
    {"holds 1 such tasks, not 2", kNo,
     [](Submit& s) {
       demand(s).need = cores(3);
       s.submission.guest_memory = mebibytes(2000);
     }},
    {"yield is 1.000001", kBad, [](Submit& s) { demand(s).min_yield = {1'000'001}; }},
    {"yield is", kBad, [](Submit& s) { demand(s).min_yield = {-1}; }},
    {"guaranteed yield of 1 takes too much CPU", kNo,
     [](Submit& s) {
       demand(s).tasks = 7;
       demand(s).min_yield = kFullYield;
     }},
    {"guaranteed yield of 0.5 takes too much CPU", kNo,
     [](Submit& s) {
       demand(s).tasks = 13;
       demand(s).min_yield = {500'000};
     }},
    {"time limit must be positive", kBad, [](Submit& s) { s.submission.time_limit = Duration{0}; }},
    {"wall-clock limit must be positive", kBad, [](Submit& s) { s.submission.wall_limit = Duration{0}; }},
    {"no limit to warn of", kBad, [](Submit& s) { s.submission.warn = seconds(60); }},
    {"less than the limit", kBad,
     [](Submit& s) {
       s.submission.wall_limit = seconds(60);
       s.submission.warn = seconds(60);
     }},
    {"checkpoints must not be negative", kBad, [](Submit& s) { s.submission.checkpoint = Duration{-1}; }},
    {"no checkpoint can be made of it", kNo,
     [](Submit& s) {
       s.submission.checkpoint = seconds(60);
       demand(s).movable = false;
     }},
    {"estimate must be positive", kBad, [](Submit& s) { demand(s).estimate = Duration{-5}; }},
};

const std::vector<Refused> kThings{
    {"name has 65 characters", kBad, [](Submit& s) { s.submission.name = std::string(65, 'a'); }},
    {"the name `a b`", kBad, [](Submit& s) { s.submission.name = "a b"; }},
    {"the name `?[31m`", kBad, [](Submit& s) { s.submission.name = "\033[31m"; }},
    {"the name", kBad, [](Submit& s) { s.submission.name = "n\xc3\xa4me"; }},
    {"the account `x;y`", kBad, [](Submit& s) { s.submission.account = "x;y"; }},
    {"there is no command", kBad, [](Submit& s) { run(s, LinuxCommand{}); }},
    {"there is no command", kBad,
     [](Submit& s) {
       run(s, LinuxCommand{{""}, {}});
     }},
    {"at most 131072", kLarge,
     [](Submit& s) {
       run(s, LinuxCommand{{"a", std::string(140'000, 'x')}, {}});
     }},
    {"has 65MiB; at most 64MiB", kLarge, [](Submit& s) { s.archive_bytes = 65 << 20; }},
    {"has 5GiB; at most 4GiB are taken (limits.max_stage_in", kLarge,
     [](Submit& s) {
       s.archive_file = "/scratch/x";
       s.archive_bytes = std::uint64_t{5} << 30;
     }},
    {"more than the 1GiB that a guest can hold in its memory; run it in a disk image (--image)", kLarge,
     [](Submit& s) {
       s.archive_file = "/scratch/x";
       s.archive_bytes = std::uint64_t{2} << 30;
     }},
    {"too much for a guest", kBad,
     [](Submit& s) {
       s.archive_bytes = 50 << 20;
       s.submission.guest_memory = mebibytes(96);
     }},
    {"at least 1 block", kBad,
     [](Submit& s) {
       run(s, HashChain{0, 5});
     }},
    {"at least 1 block", kBad,
     [](Submit& s) {
       run(s, HashChain{5, 0});
     }},
    {"absolute path", kBad,
     [](Submit& s) {
       run(s, KernelBoot{"vmlinuz", "", ""});
     }},
    {"absolute path", kBad,
     [](Submit& s) {
       run(s, KernelBoot{"", "", ""});
     }},
    {"the initrd", kBad,
     [](Submit& s) {
       run(s, KernelBoot{"/k", "initrd", ""});
     }},
    {"may not go up", kBad,
     [](Submit& s) {
       run(s, KernelBoot{"/s/../../etc/shadow", "", ""});
     }},
    {"command line has a control", kBad,
     [](Submit& s) {
       run(s, KernelBoot{"/k", "", "a\nb"});
     }},
    {"is a path, and a job boots only images of the image store; add the file first: `aliquot image add",
     kBad, [](Submit& s) { run(s, ImageBoot{"/etc/shadow"}); }},
    {"is a path", kBad, [](Submit& s) { run(s, ImageBoot{"../../etc/shadow"}); }},
    {"there is no command", kBad,
     [](Submit& s) {
       run(s, ImageBoot{"debian", {}, {""}});
     }},
    {"at most 131072 are taken", ErrorKind::too_large,
     [](Submit& s) {
       run(s, ImageBoot{"debian", {}, {"cat", std::string(131072, 'x')}});
     }},
    {"is no image name", kBad, [](Submit& s) { run(s, ImageBoot{".."}); }},
    {"`a?b` is no image name", kBad, [](Submit& s) { run(s, ImageBoot{"a\nb"}); }},
    {"simulator only", kNo,
     [](Submit& s) {
       run(s, ModelWork{seconds(1), 0});
     }},
};

void refuse_all(const std::vector<Refused>& all) {
  for (const Refused& refused : all) {
    Submit s = good();
    refused.spoil(s);
    const auto admitted = admit(s, kNodes, 0, rules());
    ASSERT_FALSE(admitted) << refused.says;
    EXPECT_EQ(admitted.error().kind, refused.kind) << admitted.error().message;
    EXPECT_NE(admitted.error().message.find(refused.says), std::string::npos)
        << refused.says << ": " << admitted.error().message;
  }
}

TEST(Admission, RefusesDemandsThatCannotBeMet) { refuse_all(kDemands); }
TEST(Admission, RefusesNamesProgramsAndArchivesThatAreWrong) {
  refuse_all(kThings);
  EXPECT_GE(kDemands.size() + kThings.size(), 30U);
}

TEST(Admission, RefusesWhenThereAreTooManyJobsOrNoNodes) {
  EXPECT_EQ(admit(good(), kNodes, 100, rules()).error().kind, ErrorKind::refused);
  EXPECT_EQ(admit(good(), {}, 0, rules()).error().kind, ErrorKind::refused);
}

TEST(Admission, TakesWhatFitsTheEmptyClusterToTheLast) {
  EXPECT_TRUE(admit(good(), kNodes, 99, rules()));
  Submit widest = good();
  demand(widest).tasks = 25;  // 4000/192 = 20, 1000/192 = 5
  EXPECT_TRUE(admit(widest, kNodes, 0, rules()));
  Submit guaranteed = good();
  demand(guaranteed).tasks = 6;
  demand(guaranteed).min_yield = kFullYield;  // 4 + 2 cores
  EXPECT_TRUE(admit(guaranteed, kNodes, 0, rules()));
  Submit largest = good();
  demand(largest) = test::submission(1, 4000, 3936).demand;
  largest.submission.guest_memory = mebibytes(3936);  // and 64 for its VM
  EXPECT_TRUE(admit(largest, kNodes, 0, rules()));
}

TEST(Admission, CountsNodesThatAreDownForTheyComeBack) {
  std::vector<Node> nodes = kNodes;
  for (Node& node : nodes) node.state = NodeState::down;
  EXPECT_TRUE(admit(good(), nodes, 0, rules()));
}

TEST(Admission, ModelProgramsAreTakenWhereTheModelRuns) {
  AdmissionRules model = rules();
  model.model_programs = true;
  Submit s = good();
  run(s, ModelWork{seconds(1), 0});
  EXPECT_TRUE(admit(s, kNodes, 0, model));
}

TEST(Charged, AddsTheOverheadAndTheKernelsUid) {
  const Submission made = charged(good().submission, AdmissionRules{{}, {}, mebibytes(64)}, 1000, {});
  EXPECT_EQ(made.demand.memory, mebibytes(192));
  EXPECT_EQ(made.guest_memory, mebibytes(128));
  EXPECT_EQ(made.uid, 1000U);
}

TEST(Charged, TakesTheSitesCheckpointsUnlessTheUserSays) {
  AdmissionRules site;
  EXPECT_EQ(charged(good().submission, site, 0, {}).checkpoint, std::nullopt);
  site.limits.checkpoint = seconds(600);
  EXPECT_EQ(charged(good().submission, site, 0, {}).checkpoint, seconds(600));
  Submission declined = good().submission;
  declined.checkpoint = Duration{};
  EXPECT_EQ(charged(declined, site, 0, {}).checkpoint, Duration{});
  EXPECT_FALSE(is_checkpointed(charged(declined, site, 0, {})));
}

TEST(Admission, AJobMayAskForAHypervisorKind) {
  Submit asked = good();
  asked.submission.demand.hypervisor = HypervisorKind::xen;
  EXPECT_EQ(answer(asked, one_node_of_each_kind()), "taken");
  EXPECT_EQ(answer(asked, {test::node(0, 2, 1000)}),
            "the job asks for nodes of xen only, and the cluster has none");
  asked.submission.demand.hypervisor = HypervisorKind::libvirt;
  asked.submission.guest_memory = mebibytes(1500);
  EXPECT_NE(answer(asked, one_node_of_each_kind()).find("the largest node, n0,"), std::string::npos)
      << "the node of Xen could hold it";
}

TEST(Admission, WhatXenCannotDoIsForLibvirtAlone) {
  const std::vector<Node> nodes = one_node_of_each_kind();
  Submit asked = good();
  asked.submission.demand.devices.per_node = 1;
  EXPECT_EQ(charged(asked.submission, rules(), 0, {}).demand.hypervisor, HypervisorKind::libvirt);
  EXPECT_EQ(answer(asked, {nodes[1]}),
            "devices can be had on nodes of libvirt only, and the cluster has none");
  asked.submission.demand.hypervisor = HypervisorKind::xen;
  EXPECT_EQ(answer(asked, nodes), "devices can be had on nodes of libvirt only; leave --hypervisor out");
}

TEST(Admission, CheckpointsCanBeHadOnEveryNode) {
  Submit saved = good();
  saved.submission.checkpoint = seconds(60);
  EXPECT_EQ(answer(saved, one_node_of_each_kind()), "taken");
  EXPECT_EQ(charged(saved.submission, rules(), 0, {}).demand.hypervisor, std::nullopt);
}

// It goes to libvirt unless the job asks for Xen.
void expect_libvirt_first(const Program& program, const std::string& refusal) {
  const std::vector<Node> nodes = one_node_of_each_kind();
  Submit asked = good();
  run(asked, program);
  EXPECT_EQ(answer(asked, nodes), "taken");
  EXPECT_EQ(charged(asked.submission, rules(), 0, {}).demand.hypervisor, HypervisorKind::libvirt);
  EXPECT_EQ(answer(asked, {nodes[1]}), refusal);
  asked.submission.demand.hypervisor = HypervisorKind::xen;
  EXPECT_EQ(answer(asked, {nodes[1]}), "taken");
  EXPECT_EQ(charged(asked.submission, rules(), 0, {}).demand.hypervisor, HypervisorKind::xen);
  asked.submission.checkpoint = seconds(60);
  EXPECT_EQ(answer(asked, nodes), "taken");
}

TEST(Admission, AHashChainRunsOnXenIfItAsksForIt) {
  expect_libvirt_first(
      HashChain{1, 1},
      "a hash chain runs on nodes of libvirt unless the job asks for others, and the cluster has none; "
      "give --hypervisor xen if its nodes make PVH guests");
}

TEST(Admission, ADiskImageBootsOnXenOnlyIfThatIsAskedFor) {
  expect_libvirt_first(
      ImageBoot{"debian"},
      "a disk image boots on nodes of libvirt unless the job asks for others, and the cluster has none; "
      "give --hypervisor xen if the image is made for Xen, too");
}

TEST(Admission, AJobMustFitTheNodesOfOneHypervisorKind) {
  std::vector<Node> nodes{test::node(0, 2, 1000), test::node(1, 2, 1000), test::node(2, 2, 1000)};
  nodes[2].hypervisor = HypervisorKind::xen;
  Submit asked = good();
  asked.submission = charged(test::submission(2, 1000, 900), rules(), 0, {});
  asked.submission.guest_memory = mebibytes(900);
  asked.submission.program = LinuxCommand{{"echo", "x"}, {}};
  EXPECT_TRUE(admit(asked, nodes, 0, rules()));
  asked.submission.demand.tasks = 3;
  const auto refused = admit(asked, nodes, 0, rules());
  ASSERT_FALSE(refused) << "three nodes, but two of one kind at most";
  EXPECT_EQ(refused.error().kind, kNo);
  EXPECT_NE(
      refused.error().message.find("(on nodes of libvirt alone: a job runs on nodes of one hypervisor "
                                   "kind)"),
      std::string::npos)
      << refused.error().message;
  nodes[2].hypervisor = HypervisorKind::libvirt;
  EXPECT_TRUE(admit(asked, nodes, 0, rules()));
}

}  // namespace
}  // namespace aliquot
