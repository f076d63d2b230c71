#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "tools/sim/one_run.hpp"

namespace aliquot {
namespace {

// Jobs of a few nodes each, in order of submission, some at the same instant: lines of SWF.
std::vector<std::string> lines_of(std::size_t jobs) {
  std::mt19937 random(7);
  std::vector<std::string> lines;
  std::uint64_t now = 0;
  for (std::size_t job = 1; job <= jobs; ++job) {
    now += random() % 40;
    const std::uint64_t runs = 1 + random() % 600;
    const std::string width = std::to_string(1 + random() % 8);
    lines.push_back(std::to_string(job) + " " + std::to_string(now) + " -1 " + std::to_string(runs) + " " +
                    width + " -1 -1 " + width + " " + std::to_string(runs * 2) +
                    " -1 1 1 1 -1 -1 -1 -1 -1");
  }
  return lines;
}

class EarlyRun : public testing::Test {
 protected:
  EarlyRun() { std::filesystem::create_directories(folder_); }
  ~EarlyRun() override { std::filesystem::remove_all(folder_); }

  RunOptions options_for(const std::vector<std::string>& lines) const {
    std::ofstream file(folder_ / "jobs.swf");
    file << "; a trace\n";
    for (const std::string& line : lines) file << line << "\n";
    RunOptions options;
    options.workload = folder_ / "jobs.swf";
    options.read.shape = ClusterShape{16, 4, Memory{8'000'000'000}};
    options.policy = "EASY";
    return options;
  }
  // The same, begun only when all is read: what writes as it goes may not be begun twice.
  RunOptions late(RunOptions options) const {
    options.events_out = folder_ / "events.csv";
    return options;
  }
  static std::string rows_of(const RunOptions& options) {
    const auto run = run_once(options);
    if (!run) return "error: " + run.error().message;
    const auto& [workload, collected] = std::tie((*run)->workload, (*run)->collected);
    return jobs_csv(workload, make_rows(workload, collected));
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("early_run_" + std::to_string(getpid()));
};

TEST_F(EarlyRun, ComesToWhatALateOneComesTo) {
  for (const std::size_t jobs : {1U, 255U, 256U, 257U, 3'000U}) {
    const RunOptions options = options_for(lines_of(jobs));
    const std::string rows = rows_of(options);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(rows, '\n')), jobs + 1);
    EXPECT_EQ(rows, rows_of(late(options)));
  }
}

TEST_F(EarlyRun, BeginsAnewWhereAJobComesTooLate) {
  std::vector<std::string> lines = lines_of(2'000);
  std::swap(lines[10], lines[1'990]);
  const RunOptions options = options_for(lines);
  EXPECT_EQ(rows_of(options), rows_of(late(options)));
  EXPECT_EQ(rows_of(options), rows_of(options_for(lines_of(2'000))));
}

TEST_F(EarlyRun, TellsWhatIsWrongWithTheTraceAndNothingElse) {
  std::vector<std::string> lines = lines_of(2'000);
  lines.back() = "1999 is no job";
  EXPECT_EQ(rows_of(options_for(lines)),
            "error: " + (folder_ / "jobs.swf").string() + ":2001: field 2: 'is' is not a number");
  lines.back() = lines.front();
  EXPECT_EQ(rows_of(options_for(lines)), rows_of(late(options_for(lines))));
}

TEST_F(EarlyRun, ReadsOtherFormatsFirst) {
  RunOptions options = options_for({});
  options.workload = "tools/sim/examples/small.csv";
  if (!std::filesystem::exists(options.workload))
    options.workload = std::string(ALIQUOT_SOURCE_DIR) + "/tools/sim/examples/small.csv";
  const std::string rows = rows_of(options);
  EXPECT_FALSE(rows.starts_with("error")) << rows;
  EXPECT_EQ(rows, rows_of(late(options)));
}

// The two sides of the hand-over, one after the other.
TEST(EarlyJobs, AreKnownAsTheyArePublished) {
  std::vector<WorkloadJob> jobs(3);
  EarlyJobs early;
  early.publish(std::span(jobs).first(2));
  EXPECT_EQ(early.wait_for_more(0).jobs.size(), 2U);
  EXPECT_FALSE(early.wait_for_more(1).all);
  early.finish(jobs);
  EXPECT_EQ(early.wait_for_more(2).jobs.data(), jobs.data());
  EXPECT_TRUE(early.wait_for_more(3).all);
  EXPECT_FALSE(early.let_go());
}

TEST(EarlyJobs, AreNoneOnceWithdrawn) {
  std::vector<WorkloadJob> jobs(3);
  EarlyJobs early;
  early.publish(jobs);
  EXPECT_FALSE(early.let_go());
  early.withdraw();  // does not wait: they were let go
  EXPECT_TRUE(early.wait_for_more(0).jobs.empty());
  EXPECT_TRUE(early.wait_for_more(0).all);
  EXPECT_TRUE(early.let_go());
}

}  // namespace
}  // namespace aliquot
