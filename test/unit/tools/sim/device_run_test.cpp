// Jobs that ask for devices, from the text of a workload and a cluster to a verified run: the columns, the
// core, the model hypervisor, the events file and its verifier together.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "policies/policy.hpp"
#include "test/unit/tools/sim/first_fit.hpp"
#include "tools/sim/cluster_file.hpp"
#include "tools/sim/metrics/run_outputs.hpp"
#include "tools/sim/simulation.hpp"
#include "tools/sim/verify/events_verifier.hpp"
#include "tools/sim/workload/writers.hpp"

namespace aliquot {
namespace {

constexpr const char* kCluster =
    "nodes:\n"
    "  - {name: gpu, count: 2, cores: 8, memory: 80GiB, devices: [V100*2, T4]}\n"
    "  - {name: cpu, cores: 8, memory: 80GiB}\n";

constexpr const char* kJobs =
    "job,submit,tasks,cpu_need,memory,runtime,gpus,gpu_model,gpu_parts,nodes_min,nodes_max,per_node,"
    "contiguous,priority\n"
    "1,0,4,0.125,0.05,100,2,V100,,2,2,2,1,7\n"  // both nodes of devices
    "2,0,1,0.125,0.05,100,1,T4,600,,,,,\n"      // a slice
    "3,1,1,0.125,0.05,100,1,,400,,,,,-3\n"      // the rest of it
    "4,2,1,0.125,0.05,100,1,T4,700,,,,,\n"      // the other node's
    "5,3,2,0.125,0.05,50,2,V100,,,1,,,\n"       // waits for job 1
    "6,4,8,0.125,0.05,50,,,,,,,,\n"
    "7,5,1,0.125,0.05,50,1,V100|T4,,,,,,\n";

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("aliquot-devices-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<Workload> read(const Folder& folder, const std::string& text,
                      const std::string& cluster = kCluster) {
  ReadOptions options;
  options.shape = *parse_cluster(cluster, "cluster.yaml");
  return read_workload(folder.write("jobs.csv", text), options);
}

std::vector<std::string> verify(const Workload& workload, const ClusterShape& shape,
                                const std::string& events) {
  Findings findings;
  const auto reading = verify_events(workload, shape.make_nodes(), Duration{}, events, findings);
  EXPECT_TRUE(reading) << (reading ? "" : reading.error().message);
  return findings.all();
}

TEST(DeviceRun, is_lawful_from_the_workload_to_the_verified_events) {
  const Folder folder;
  const ClusterShape shape = *parse_cluster(kCluster, "cluster.yaml");
  const auto workload = read(folder, kJobs);
  ASSERT_TRUE(workload) << workload.error().message;
  auto outputs = RunOutputs::create({folder / "events.csv", "", ""}, *workload, shape);
  ASSERT_TRUE(outputs);
  Watchers watchers{std::vector<Observer*>{}};
  outputs->watch(watchers);
  Simulation simulation(*workload, shape, {}, std::make_unique<test::FirstFit>(), watchers);
  const auto done = simulation.run();
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_TRUE(outputs->close(0));
  EXPECT_EQ(simulation.hypervisor().checker().violations(), std::vector<std::string>{});
  EXPECT_TRUE(verify(*workload, shape, folder / "events.csv").empty());
  const std::string events = text_of(folder / "events.csv");
  EXPECT_NE(events.find("0,1,started,0-1x2,1,1,0,submission,3*2\n"), std::string::npos) << events;
  EXPECT_NE(events.find("1,3,started,0,1,1,0,submission,4\n"), std::string::npos) << events;
  EXPECT_NE(events.find("100,5,started,0x2,1,1,0,completion,3\n"), std::string::npos) << events;
  // What was done unlawfully is found.
  const auto planted = [&](const std::string& from, const std::string& to) {
    std::string text = events;
    text.replace(text.find(from), from.size(), to);
    const auto found = verify(*workload, shape, folder.write("planted.csv", text));
    return found.empty() ? "nothing" : found.front();
  };
  EXPECT_NE(planted("submission,3*2\n", "submission,3 1\n").find("holds 1 devices"), std::string::npos);
  EXPECT_NE(planted("submission,3*2\n", "submission,3 6\n").find("another model"), std::string::npos);
  EXPECT_NE(planted("submission,3*2\n", "submission,3 9\n").find("that there is not"), std::string::npos);
  EXPECT_NE(planted("2,4,started,1,", "2,4,started,0,").find("gives a device twice"), std::string::npos);
}

TEST(DeviceRun, a_policy_without_devices_says_why_nothing_is_going_to_happen) {
  const Folder folder;
  const ClusterShape shape = *parse_cluster(kCluster, "cluster.yaml");
  const auto workload = read(folder, kJobs);
  ASSERT_TRUE(workload) << workload.error().message;
  Watchers nobody{std::vector<Observer*>{}};
  Simulation simulation(*workload, shape, {}, *make_policy("EASY"), nobody);
  const auto done = simulation.run();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("job 1: asks for 2 V100 on each node: this policy places no devices"),
            std::string::npos)
      << done.error().message;
}

TEST(DeviceRun, the_columns_are_read_into_the_demand_and_written_again) {
  const Folder folder;
  const auto workload = read(folder, kJobs);
  ASSERT_TRUE(workload) << workload.error().message;
  EXPECT_TRUE(workload->notes.empty());
  const auto demand = [&](std::size_t i) { return workload->jobs[i].submission.demand; };
  EXPECT_EQ(demand(0).devices, (DeviceDemand{2, kWholeDevice, DeviceModel{0}}));
  EXPECT_EQ(demand(0).spread, (Spread{2, 2, 2, true}));
  EXPECT_EQ(demand(0).priority, 7);
  EXPECT_FALSE(demand(0).movable);
  EXPECT_EQ(demand(0).min_yield, kFullYield);
  EXPECT_EQ(demand(2).devices, (DeviceDemand{1, 400, kAnyModel}));
  EXPECT_EQ(demand(2).priority, -3);
  EXPECT_FALSE(is_constrained(demand(5)));
  EXPECT_TRUE(demand(5).movable);
  EXPECT_EQ(demand(6).devices.models, ([] {
              DeviceModels either = DeviceModel{0};
              either.add({1});
              return either;
            }()));
  const std::string text = workload_csv(*workload);
  const auto again = read(folder, text);
  ASSERT_TRUE(again) << again.error().message;
  for (std::size_t i = 0; i < workload->jobs.size(); ++i)
    EXPECT_EQ(again->jobs[i].submission, workload->jobs[i].submission) << text;
  EXPECT_EQ(workload_csv(*again), text);
}

TEST(DeviceRun, devices_go_through_the_json_of_batsim_too) {
  const Folder folder;
  const auto workload = read(folder, kJobs);
  ASSERT_TRUE(workload) << workload.error().message;
  ReadOptions options;
  options.as_written = true;
  const auto written = read_workload(folder.write("again.csv", kJobs), options);
  ASSERT_TRUE(written) << written.error().message;
  const auto again = read(folder, workload_batsim(*written, 3));
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->jobs.size(), workload->jobs.size());
  for (std::size_t i = 0; i < workload->jobs.size(); ++i)
    EXPECT_EQ(again->jobs[i].submission.demand, workload->jobs[i].submission.demand) << i;
}

TEST(DeviceRun, what_could_never_run_is_refused_with_its_line_and_the_reason) {
  const Folder folder;
  const auto why = [&](const std::string& row) {
    const auto read_one = read(folder,
                               "job,submit,tasks,cpu_need,memory,runtime,gpus,gpu_model,gpu_parts,"
                               "nodes_min,nodes_max,per_node,contiguous,priority\n1,0," +
                                   row + "\n");
    if (read_one) return std::string("accepted");
    const std::string& text = read_one.error().message;
    return text.substr(text.find(":2: ") + 4);
  };
  EXPECT_EQ(why("4,0.1,0.1,9,2,V100,,2,2,2,1,1"), "accepted");
  EXPECT_EQ(
      why("4,0.1,0.1,9,3,V100,,,,,,"),
      "job 1: asks for 3 V100 on each node; the cluster has 2 V100 on each of 2 nodes, 1 T4 on each of 2 "
      "nodes");
  EXPECT_EQ(why("4,0.1,0.1,9,1,K80,,,,,,"), "job 1: gpu_model: the cluster has no 'K80'; it has V100, T4");
  EXPECT_EQ(why("4,0.1,0.1,9,1,T4|K80,,,,,,"),
            "job 1: gpu_model: the cluster has no 'K80'; it has V100, T4");
  EXPECT_EQ(why("4,0.1,0.1,9,1,T4|,,,,,,"),
            "job 1: gpu_model: a name is missing beside '|'; write A, or A|B");
  EXPECT_EQ(why("4,0.1,0.1,9,,V100,,,,,,"), "job 1: names a model of a device and asks for no device");
  EXPECT_EQ(why("4,0.1,0.1,9,2,,500,,,,,"),
            "job 1: asks for a slice of each of 2 devices; a slice is of one device: ask for one, or for "
            "whole devices");
  EXPECT_EQ(why("4,0.1,0.1,9,,,,3,2,,,"), "job 1: asks for at least 3 nodes and at most 2");
  EXPECT_EQ(why("4,0.1,0.1,9,65,,,,,,,"), "job 1: gpus: '65' is not from 0 to 64");
  EXPECT_EQ(why("4,0.1,0.1,9,x,,,,,,,"), "job 1: gpus: 'x' is not a whole number");
  EXPECT_EQ(why("4,0.1,0.1,9,,,,,,,maybe,"), "job 1: contiguous: 'maybe' is neither 1 nor 0");
  EXPECT_EQ(why("4,0.1,0.1,9,,,,,,,,1e9"), "job 1: priority: '1e9' is not a whole number");
  const auto plain = read(folder, "job,submit,tasks,cpu_need,memory,runtime,gpus\n1,0,1,1,1,9,1\n",
                          "nodes: [{name: n, count: 4, cores: 4, memory: 8GiB}]\n");
  ASSERT_FALSE(plain);
  EXPECT_NE(plain.error().message.find("the cluster has no devices"), std::string::npos);
}

TEST(DeviceRun, a_cluster_file_names_its_devices_strictly) {
  const auto why = [](const std::string& devices) {
    const auto shape = parse_cluster(
        "nodes: [{name: n, count: 2, cores: 4, memory: 8GiB, devices: [" + devices + "]}]\n", "c.yaml");
    return shape ? std::to_string(shape->make_nodes()[1].devices.size()) : shape.error().message;
  };
  EXPECT_EQ(why("V100*2, T4"), "3");
  EXPECT_EQ(why("T4@0000:3b:00.0, A100-1g*4@mdev:nvidia-474"), "5");
  EXPECT_NE(why("from-libvirt").find("no libvirt in a simulation"), std::string::npos);
  EXPECT_NE(why("V100*65").find("the count must be from 1 to 64"), std::string::npos);
  EXPECT_NE(why("V100*40, T4*40").find("80 devices; a node has at most 64"), std::string::npos);
  EXPECT_NE(why("T4@0000:3b:00.9").find("neither a PCI address nor mdev:TYPE"), std::string::npos);
  EXPECT_NE(why("T4@0000:3b:00.0, V100@0000:3b:00.0").find("stands there twice"), std::string::npos);
  EXPECT_NE(why("'*2'").find("the model is no name"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
