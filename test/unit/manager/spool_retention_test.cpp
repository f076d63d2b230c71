// What the spool keeps of ended jobs, and for how long.
#include "manager/spool_retention.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "test/unit/manager/store/fixture.hpp"

namespace aliquot {
namespace {

class SpoolRetention : public testing::Test {
 protected:
  // A console of so many bytes, last changed at that second.
  void ended(std::uint64_t job, std::size_t bytes, std::int64_t changed) {
    std::filesystem::create_directories(spool_.directory({job}));
    const std::string console = spool_.console({job}, 0);
    std::ofstream(console) << std::string(bytes, 'x');
    const timespec times[2] = {{changed, 0}, {changed, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, console.c_str(), times, 0), 0);
  }
  [[nodiscard]] std::vector<std::uint64_t> removed(Duration keep, Memory at_most, std::int64_t now) const {
    std::vector<std::uint64_t> jobs;
    const auto all = kept_outputs(spool_, [](JobId job) { return job.raw < 100; });
    for (const KeptOutput& output : overdue(all, {keep, at_most}, Instant{now * kMillion}))
      jobs.push_back(output.job.raw);
    return jobs;
  }
  using Jobs = std::vector<std::uint64_t>;

  test::TemporaryDirectory directory_;
  Spool spool_{directory_.file("")};
};

TEST_F(SpoolRetention, output_is_kept_for_a_time) {
  ended(1, 10, 1000);
  ended(2, 10, 2000);
  EXPECT_EQ(removed(seconds(1000), mebibytes(1), 2000), Jobs{});
  EXPECT_EQ(removed(seconds(1000), mebibytes(1), 2001), Jobs{1});
  EXPECT_EQ(removed(seconds(1000), mebibytes(1), 3001), (Jobs{1, 2}));
}

TEST_F(SpoolRetention, the_oldest_output_goes_where_there_is_too_much) {
  ended(3, 600 << 10, 1000);
  ended(1, 600 << 10, 3000);
  ended(2, 600 << 10, 2000);
  EXPECT_EQ(removed(seconds(100'000), mebibytes(2), 3000), Jobs{});
  EXPECT_EQ(removed(seconds(100'000), mebibytes(1), 3000), (Jobs{3, 2}));
}

TEST_F(SpoolRetention, jobs_that_have_not_ended_and_other_files_are_not_looked_at) {
  ended(100, 10, 1000);
  ended(7, 10, 1000);
  std::filesystem::create_directories(spool_.contents());
  std::ofstream(spool_.root() + "/cluster.id") << "c";
  EXPECT_EQ(removed(seconds(1), mebibytes(1), 9000), Jobs{7});
}

TEST_F(SpoolRetention, a_job_without_files_goes_too) {
  std::filesystem::create_directories(spool_.directory({5}));
  EXPECT_EQ(kept_outputs(spool_, [](JobId) { return true; }).size(), 1U);
  EXPECT_TRUE(remove_output(spool_, {5}));
  EXPECT_FALSE(std::filesystem::exists(spool_.directory({5})));
  EXPECT_TRUE(remove_output(spool_, {5})) << "there is none any more";
}

}  // namespace
}  // namespace aliquot
