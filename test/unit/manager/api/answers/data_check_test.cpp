// What a job may say of its environment, its directory, its input and its result files.
#include "manager/api/answers/data_check.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "manager/hypervisor/archive_memory.hpp"

namespace aliquot {
namespace {

Submit good() {
  Submit asked;
  asked.submission.program = LinuxCommand{{"true"}, {}};
  asked.archive_bytes = 1;
  JobData& data = asked.submission.data;
  data.env = {"A=1", "_b2=a=b", "EMPTY="};
  data.workdir = "/data/run";
  data.stage_in = {{"input.csv", {60}}, {"..hidden", {}}};
  data.stdin_file = StagedInput{"words", {9}};
  data.stage_out = {"out", "./x", "/tmp/y", "a..b"};
  data.stage_out_max = mebibytes(64);
  return asked;
}

TEST(DataCheck, TakesWhatIsPossible) {
  const auto ok = check_data(good(), {});
  EXPECT_TRUE(ok) << ok.error().message;
  EXPECT_TRUE(check_data(Submit{}, {}));
}

TEST(DataCheck, RefusesTheRest) {
  const std::vector<std::pair<const char*, std::function<void(Submit&, JobData&)>>> spoils{
      {"no NAME=VALUE", [](Submit&, JobData& d) { d.env = {"A"}; }},
      {"no NAME=VALUE", [](Submit&, JobData& d) { d.env = {"=1"}; }},
      {"no NAME=VALUE", [](Submit&, JobData& d) { d.env = {"2A=1"}; }},
      {"no NAME=VALUE", [](Submit&, JobData& d) { d.env = {"A B=1"}; }},
      {"the manager's own", [](Submit&, JobData& d) { d.env = {"ALIQUOT_TASK=1"}; }},
      {"absolute path", [](Submit&, JobData& d) { d.workdir = "run"; }},
      {"absolute path", [](Submit&, JobData& d) { d.workdir = "/a/.."; }},
      {"absolute path", [](Submit&, JobData& d) { d.workdir = "/a\n"; }},
      {"the guest's own", [](Submit&, JobData& d) { d.workdir = "/dev"; }},
      {"the guest's own", [](Submit&, JobData& d) { d.workdir = "/aliquot/x"; }},
      {"no name of a file",
       [](Submit&, JobData& d) {
         d.stage_in = {{"a/b", {}}};
       }},
      {"no name of a file",
       [](Submit&, JobData& d) {
         d.stage_in = {{"..", {}}};
       }},
      {"no name of a file",
       [](Submit&, JobData& d) {
         d.stage_in = {{"", {}}};
       }},
      {"two inputs",
       [](Submit&, JobData& d) {
         d.stage_in = {{"a", {}}, {"a", {}}};
       }},
      {"are not there", [](Submit& s, JobData&) { s.archive_bytes = 0; }},
      {"must be a path", [](Submit&, JobData& d) { d.stage_out = {"../x"}; }},
      {"must be a path", [](Submit&, JobData& d) { d.stage_out = {"a/../../x"}; }},
      {"must be a path", [](Submit&, JobData& d) { d.stage_out = {""}; }},
      {"limits.max_stage_out", [](Submit&, JobData& d) { d.stage_out_max = mebibytes(65); }},
      {"for a command",
       [](Submit& s, JobData&) {
         s.submission.program = HashChain{1, 1};
       }},
  };
  for (const auto& [says, spoil] : spoils) {
    Submit asked = good();
    spoil(asked, asked.submission.data);
    const auto checked = check_data(asked, {});
    ASSERT_FALSE(checked) << says;
    EXPECT_NE(checked.error().message.find(says), std::string::npos) << checked.error().message;
  }
}

TEST(DataCheck, ACommandInAnImageHasDataAndAnImageWithoutACommandHasNone) {
  Submit asked = good();
  asked.submission.program = ImageBoot{"debian", {}, {"true"}};
  EXPECT_TRUE(check_data(asked, {}));
  asked.submission.program = ImageBoot{"debian"};
  EXPECT_FALSE(check_data(asked, {}));
}

TEST(DataCheck, AGuestNeedsMemoryForItsArchive) {
  EXPECT_EQ(memory_for_archive(mebibytes(32)), mebibytes(160));
  EXPECT_EQ(memory_for_archive(mebibytes(32) + Memory{1}), mebibytes(168));
}

}  // namespace
}  // namespace aliquot
