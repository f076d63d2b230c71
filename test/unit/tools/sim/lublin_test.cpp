#include "tools/sim/generate/lublin.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "monitor/sha256.hpp"
#include "test/unit/tools/sim/shared_files.hpp"

namespace aliquot {
namespace {

std::string swf(const LublinOptions& options) { return lublin_swf(lublin(options), options); }

// Fields 1, 2, 4 and 5 of each job.
std::vector<std::array<std::int64_t, 4>> fields_of(std::istream& file) {
  std::vector<std::array<std::int64_t, 4>> jobs;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(';')) continue;
    std::istringstream fields(line);
    std::array<std::int64_t, 4> job{};
    std::int64_t waited = 0;
    fields >> job[0] >> job[1] >> waited >> job[2] >> job[3];
    jobs.push_back(job);
  }
  return jobs;
}

// What the original program wrote.
class Original : public testing::TestWithParam<std::pair<std::uint32_t, bool>> {};

TEST_P(Original, IsEqualInNumberSubmissionRunTimeAndNodes) {
  const auto [seed, typeless] = GetParam();
  const auto path =
      test::shared_file("data/lublin/lublin99_" + std::string(typeless ? "typeless" : "default") + "_seed" +
                        std::to_string(seed) + ".swf");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  std::ifstream file(path);
  std::istringstream ours(swf({seed, 1000, 128, typeless}));
  const auto expected = fields_of(file);
  ASSERT_EQ(expected.size(), 1000U);
  EXPECT_EQ(fields_of(ours), expected);
}

INSTANTIATE_TEST_SUITE_P(Samples, Original,
                         testing::Values(std::pair(1U, false), std::pair(2U, false), std::pair(3U, false),
                                         std::pair(1U, true), std::pair(2U, true), std::pair(3U, true)));

TEST(Lublin, WritesTheSameBytesAsTheOriginalProgram) {  // by their hashes: of the samples, seed 1
  EXPECT_EQ(sha256_hex(swf({})), "8d14951c527dcb7dfa7c90c5a7f7b8d1908036e879dd056ec4674129fa34eaa5");
  EXPECT_EQ(sha256_hex(swf({1, 1000, 128, true})),
            "edf128c2f03329eff1a02e96de942b7ec904afc8437579b36ef7795d16f5a9fb");
}

TEST(Lublin, WritesTheSameBytesAsBefore) {
  EXPECT_EQ(sha256_hex(swf({20000101, 1000, 128, false})),
            "6c5beb06ba03377bcaf2963ec3053781c02a6fc6a8a610c49ccb6ac7311b2e72");
  EXPECT_EQ(sha256_hex(swf({7, 500, 1024, false})),
            "d2ab3a949f592335120943a4435904ef58909ddf3f333c0091afe3d511c8dcf2");
}

TEST(Lublin, StartsALongerWorkloadWithTheShorterOne) {
  const auto shorter = lublin({5, 100, 128, false});
  const auto longer = lublin({5, 300, 128, false});
  ASSERT_EQ(longer.size(), 300U);
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    EXPECT_EQ(shorter[i].submit_s, longer[i].submit_s);
    EXPECT_EQ(shorter[i].runtime_s, longer[i].runtime_s);
    EXPECT_EQ(shorter[i].nodes, longer[i].nodes);
  }
}

TEST(Lublin, KeepsEveryJobWithinTheSystem) {
  for (const std::uint32_t nodes : {1U, 2U, 3U, 10U, 100U, 1000U}) {
    for (const bool typeless : {false, true}) {
      std::int64_t before = 0;
      std::uint32_t widest = 0;
      for (const LublinJob& job : lublin({9, 2000, nodes, typeless})) {
        ASSERT_GE(job.submit_s, before);
        ASSERT_GE(job.runtime_s, 1);
        ASSERT_LE(job.runtime_s, 162754);
        ASSERT_GE(job.nodes, 1U);
        ASSERT_LE(job.nodes, nodes);
        before = job.submit_s;
        widest = std::max(widest, job.nodes);
      }
      EXPECT_GE(widest, (nodes + 1) / 2) << "the upper end moves with the system";
    }
  }
}

}  // namespace
}  // namespace aliquot
