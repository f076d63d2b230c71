// Which NFS shares a job gets, and which jobs can have any.
#include "manager/api/answers/share_admission.hpp"

#include <gtest/gtest.h>

#include "test/unit/manager/api/answers/good_submission.hpp"

namespace aliquot {
namespace {

using namespace test;

const std::vector<NfsShare> kOfSite{{"home", "nfs1", "/export/home", "/home", false},
                                    {"data", "nfs2", "/data", "/data", true}};

TEST(Shares, AreThoseThatTheConfigurationHasUnderTheNamesThatAreAsked) {
  Submit asked = good();
  EXPECT_TRUE(shares_to_give(asked, kOfSite)->empty()) << "none unless it asks";
  asked.shares = {"data", "home", "data"};
  EXPECT_EQ(*shares_to_give(asked, kOfSite), (std::vector<NfsShare>{kOfSite[1], kOfSite[0]}));
}

TEST(Shares, ThatTheSiteDoesNotHaveAreRefused) {
  Submit asked = good();
  asked.shares = {"/etc"};
  EXPECT_EQ(shares_to_give(asked, kOfSite).error().message,
            "this site has no share `/etc`; it has home, data");
  EXPECT_EQ(shares_to_give(asked, kOfSite).error().kind, ErrorKind::refused);
  EXPECT_NE(shares_to_give(asked, {}).error().message.find("`shares` in the configuration is empty"),
            std::string::npos);
}

TEST(Shares, AreForCommandsOnNodesOfLibvirt) {
  Submit asked = good();
  asked.submission.shares = kOfSite;
  const auto nodes = one_node_of_each_kind();
  EXPECT_EQ(answer(asked, nodes), "taken");
  EXPECT_EQ(charged(asked.submission, rules(), 0, {}).demand.hypervisor, HypervisorKind::libvirt);
  asked.submission.demand.hypervisor = HypervisorKind::xen;
  EXPECT_EQ(answer(asked, nodes), "a share can be had on nodes of libvirt only; leave --hypervisor out");
  asked.submission.demand.hypervisor.reset();
  run(asked, ImageBoot{"debian", "", {"true"}});
  EXPECT_EQ(answer(asked, nodes), "taken");
  for (const Program& other : {Program(HashChain{1, 1}), Program(KernelBoot{"/k", "", ""}),
                               Program(ImageBoot{"debian", "", {}})}) {
    run(asked, other);
    EXPECT_TRUE(answer(asked, nodes).starts_with("shares are for a command;")) << answer(asked, nodes);
  }
}

// Measured: with 80 MiB the kernel of the guest panics while it starts.
TEST(Shares, TakeMemoryInTheLinuxTaskGuest) {
  Submit asked = good();
  asked.submission.guest_memory = mebibytes(80);
  EXPECT_EQ(answer(asked, {node(0, 2, 1000)}), "taken");
  asked.submission.shares = kOfSite;
  EXPECT_EQ(
      answer(asked, {node(0, 2, 1000)}),
      "the program with its libraries and input files has 0B, and what mounts shares 6MiB, too much for "
      "a guest with a memory of 80MiB, which unpacks them there; give --mem 88MiB or more, or run it in a "
      "disk image (--image)");
  asked.submission.guest_memory = mebibytes(88);
  EXPECT_EQ(answer(asked, {node(0, 2, 1000)}), "taken");
}

TEST(Shares, GoWithoutCheckpoints) {
  Submit asked = good();
  AdmissionRules site = rules();
  site.limits.checkpoint = seconds(600);
  EXPECT_EQ(charged(asked.submission, site, 0, {}).checkpoint, seconds(600));
  asked.submission.shares = kOfSite;
  EXPECT_FALSE(is_checkpointed(charged(asked.submission, site, 0, {})));
  asked.submission.checkpoint = seconds(60);
  EXPECT_TRUE(
      answer(asked, {node(0, 2, 1000)}).starts_with("no checkpoint can be made of a job with shares"));
  asked.submission.checkpoint = Duration{};
  EXPECT_EQ(answer(asked, {node(0, 2, 1000)}), "taken");
}

TEST(Shares, DoNotHideInputFiles) {
  Submit asked = good();
  asked.submission.shares = kOfSite;
  asked.archive_bytes = 1;
  asked.submission.data.stage_in = {{"input", {1}}};
  for (const char* hidden : {"/home", "/home/alice", "/data/x/y"}) {
    asked.submission.data.workdir = hidden;
    EXPECT_NE(answer(asked, {node(0, 2, 1000)}).find("which would hide the input files"), std::string::npos)
        << hidden;
  }
  for (const char* seen : {"/job", "/homes"}) {
    asked.submission.data.workdir = seen;
    EXPECT_EQ(answer(asked, {node(0, 2, 1000)}), "taken") << seen;
  }
  asked.submission.data.stage_in.clear();
  asked.submission.data.workdir = "/home/alice";
  EXPECT_EQ(answer(asked, {node(0, 2, 1000)}), "taken");
}

}  // namespace
}  // namespace aliquot
