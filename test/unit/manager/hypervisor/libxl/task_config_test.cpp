#include "manager/hypervisor/libxl/task_config.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

std::string refusal_of(Program program, XenGuests guests, const std::string& spool = "/spool") {
  JobSpec spec;
  spec.job = {7};
  Submission submission;
  submission.program = std::move(program);
  spec.submission = std::move(submission);
  spec.tasks.assign(1, {1, NodeId{0}, false});
  const TaskFileSettings files{"c", Spool(spool), GuestFiles("/guest")};
  const auto made = task_config(nullptr, files, mebibytes(1), spec, 0, {"c", spec.job, 0, 1, 0}, guests);
  if (made) return "taken";
  EXPECT_EQ(made.error().kind, ErrorKind::unsupported);
  return made.error().message;
}

TEST(TaskConfig, says_where_a_hash_chain_runs) {
  EXPECT_EQ(
      refusal_of(HashChain{1, 1}, XenGuests::pv),
      "job 7: the hash-chain guest runs on Xen nodes whose agent has --guests pvh, not here; submit it "
      "without --hypervisor xen");
}

TEST(TaskConfig, attaches_no_disk_whose_path_libxl_would_cut) {
  EXPECT_EQ(refusal_of(ImageBoot{"debian", std::string(64, 'a')}, XenGuests::hvm, "/a,b"),
            "job 7: disks are not attached under Xen where the spool's path, /a,b, has a comma");
}

}  // namespace
}  // namespace aliquot
