// FCFS and EASY against recorded start times on which two independent implementations agree: 128 nodes,
// one task a node, perfect estimates. The records are not part of the product; without them: skipped.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/support/toy_cluster.hpp"

namespace aliquot {
namespace {

using test::ToyCluster;
using test::ToyJob;

const std::filesystem::path kRecords =
    std::filesystem::path(ALIQUOT_SOURCE_DIR).parent_path() / "shared/data/reference";

struct Record {
  std::vector<ToyJob> jobs;
  std::map<JobId, std::pair<Instant, Instant>> start_end;
};

// id,submit,procs,req_time,runtime,start,end in whole seconds.
Record read(const std::filesystem::path& path) {
  Record record;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    std::int64_t id, submit, procs, asked, runtime, start, end;
    fields >> id >> submit >> procs >> asked >> runtime >> start >> end;
    ToyJob job{{static_cast<std::uint64_t>(id)}, {seconds(submit).raw}, {}, seconds(runtime)};
    job.demand.tasks = static_cast<std::uint32_t>(procs);
    job.demand.need = cores(1);
    job.demand.estimate = seconds(runtime);
    record.jobs.push_back(job);
    record.start_end[job.id] = {{seconds(start).raw}, {seconds(end).raw}};
  }
  return record;
}

class Reference : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(Reference, every_job_starts_and_ends_as_recorded) {
  const auto& [spec, name] = GetParam();
  if (!std::filesystem::exists(kRecords / name)) GTEST_SKIP() << "no " << (kRecords / name);
  const Record record = read(kRecords / name);
  ASSERT_GT(record.jobs.size(), 100U);
  std::vector<Node> nodes(128);
  for (std::uint32_t n = 0; n < 128; ++n) {
    nodes[n].id = {n};
    nodes[n].capacity = cores(1);
  }
  const auto result = ToyCluster(nodes, record.jobs, {}).run(spec);
  ASSERT_EQ("", result.complaint);
  std::size_t different = 0;
  for (const auto& [id, times] : record.start_end) {
    if (times == std::pair(result.start.at(id), result.end.at(id))) continue;
    if (++different > 5) continue;
    ADD_FAILURE() << "job " << id.raw << " started at " << to_seconds(result.start.at(id)) << ", recorded "
                  << to_seconds(times.first);
  }
  EXPECT_EQ(0U, different) << "of " << record.jobs.size();
}

std::vector<std::pair<std::string, std::string>> records() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string seed : {"1", "2", "3"}) {
    all.emplace_back("FCFS", "fcfs_lublin_seed" + seed + ".csv");
    all.emplace_back("EASY", "easy_lublin_seed" + seed + ".csv");
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Reference, testing::ValuesIn(records()));

}  // namespace
}  // namespace aliquot
