// The files of the GPU cluster: what is read, what is refused; and the inflation of small clusters.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tools/experiments/openb/inflation.hpp"
#include "tools/experiments/openb/openb_files.hpp"

namespace aliquot {
namespace {

constexpr const char* kNodes = "sn,cpu_milli,memory_mib,gpu,model\n";
constexpr const char* kTasks = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n";

class Openb : public ::testing::Test {
 protected:
  ~Openb() override {
    for (const std::string& path : files_) std::filesystem::remove(path);
  }
  std::string file(const std::string& name, const std::string& text) {
    const auto path = std::filesystem::path(::testing::TempDir()) /
                      ("aliquot-openb-" + std::to_string(::getpid()) + "-" + name + ".csv");
    std::ofstream(path, std::ios::binary) << text;
    files_.push_back(path.string());
    return files_.back();
  }
  OpenbCluster cluster(const std::string& lines) {
    const auto read = read_openb_nodes(file("nodes", kNodes + lines));
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(OpenbCluster{});
  }
  std::vector<Demand> tasks(const std::string& lines, const OpenbCluster& of) {
    const auto read = read_openb_tasks(file("tasks", kTasks + lines), of);
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(std::vector<Demand>{});
  }
  void expect_refused(const std::string& header, const std::string& lines, const std::string& why) {
    const OpenbCluster known = cluster("a,8000,1024,2,T4\n");
    const std::string path = file("bad", header + lines);
    const std::string message = header.starts_with("sn") ? read_openb_nodes(path).error().message
                                                         : read_openb_tasks(path, known).error().message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with(path)) << message;
  }

 private:
  std::vector<std::string> files_;
};

TEST_F(Openb, nodes_and_tasks_are_read) {
  const OpenbCluster read = cluster("a,96000,393216,8,G2\nb,32000,262144,0,\nc,16000,122880,2,P100\n");
  ASSERT_EQ(read.nodes.size(), 3U);
  EXPECT_EQ(read.nodes[0].capacity, cores(96));
  EXPECT_EQ(read.nodes[2].memory, mebibytes(122880));
  EXPECT_EQ(read.nodes[2].devices, (std::vector<Device>(2, {{1}, kWholeDevice})));
  EXPECT_EQ(read.device_models, (std::vector<std::string>{"G2", "P100"}));
  EXPECT_EQ(read.parts(), 10'000);
  const auto demands = tasks("p,6000,12288,1,460,,LS\nq,12000,1,8,1000,P100,BE\nr,500,9,0,0,,LS\n", read);
  ASSERT_EQ(demands.size(), 3U);
  EXPECT_EQ(demands[0].devices, (DeviceDemand{1, 460, kAnyModel}));
  EXPECT_EQ(demands[1].devices, (DeviceDemand{8, kWholeDevice, DeviceModel{1}}));
  EXPECT_FALSE(demands[1].movable);
  EXPECT_FALSE(demands[2].devices.any());
  EXPECT_EQ(demands[2].need, Cpu{500'000});
}

TEST_F(Openb, a_task_may_name_several_models_or_its_list_none) {
  const OpenbCluster read =
      cluster("a,96000,393216,8,V100M16\nb,32000,262144,2,T4\nc,16000,122880,2,V100M32\n");
  const auto demands = tasks("p,6000,12288,1,460,V100M16|V100M32,LS\n", read);
  ASSERT_EQ(demands.size(), 1U);
  EXPECT_TRUE(demands[0].devices.models.accept({0}));
  EXPECT_FALSE(demands[0].devices.models.accept({1}));
  EXPECT_TRUE(demands[0].devices.models.accept({2}));
  const auto list = read_openb_tasks(
      file("old", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,qos\np,6000,12288,1,460,LS\n"), read);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->front().devices, (DeviceDemand{1, 460, kAnyModel}));
}

TEST_F(Openb, what_is_malformed_is_named_with_its_line) {
  expect_refused(kNodes, "", "only a header");
  expect_refused("sn,cpu_milli\n", "a,1\n", "'memory_mib' is missing");
  expect_refused(kNodes, "a,8000,1024,2,T4\nb,8000,1024,two,T4\n", ":3: gpu");
  expect_refused(kNodes, "a,8000,1024,65,T4\n", ":2: gpu");
  expect_refused(kNodes, "a,8000,1024,2,\n", ":2: model");
  expect_refused(kNodes, "a,0,1024,2,T4\n", ":2: a node needs CPU");
  expect_refused(kNodes, "a,8000,1024,0,\n", "no node has a GPU");
  expect_refused(kNodes, "a,8000\n", ":2: has 2 fields");
  expect_refused(kTasks, "p,6000,12288,1,460,H100,LS\n", ":2: gpu_spec: no node has a GPU of model 'H100'");
  expect_refused(kTasks, "p,6000,12288,1,460,T4|H100,LS\n",
                 ":2: gpu_spec: no node has a GPU of model 'H100'");
  expect_refused(kTasks, "p,6000,12288,1,460,T4|,LS\n", ":2: gpu_spec: a name is missing");
  expect_refused(kTasks, "p,6000,12288,2,460,,LS\n", ":2: gpu_milli");
  expect_refused(kTasks, "p,6000,12288,1,0,,LS\n", ":2: gpu_milli: 0 of a GPU");
  expect_refused(kTasks, "p,0,12288,1,460,,LS\n", ":2: cpu_milli");
  expect_refused(kTasks, "p,1,-5,1,460,,LS\n", ":2: memory_mib");
  expect_refused(kTasks, "p,1000,1,0,0,,LS\n", "no task asks for a GPU");
}

TEST_F(Openb, tasks_that_fit_exactly_use_every_device_under_every_rule) {
  const OpenbCluster few = cluster("a,8000,1024,4,T4\nb,4000,512,2,T4\n");
  const auto same = tasks("p,2000,256,1,1000,,LS\n", few);
  for (const char* rule : {"FIT-BEST", "FIT-DOT", "FGD", "FGD-FILL"}) {
    const auto run = inflate(few, same, rule, 1);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->tasks, 7U) << rule;  // the seventh exceeds what there is
    EXPECT_EQ(run->refused, 1U) << rule;
    EXPECT_DOUBLE_EQ(run->allocated, 1) << rule;
  }
}

TEST_F(Openb, what_is_not_in_use_is_accounted_for) {
  const OpenbCluster few = cluster("a,8000,1024,4,T4\nb,4000,512,2,T4\nc,8000,1024,0,\n");
  const auto mixed =
      tasks("p,3000,128,1,600,,LS\nq,1000,300,1,1000,,LS\nr,2000,64,0,0,,LS\ns,1000,64,2,1000,,LS\n", few);
  for (const char* rule : {"FIT-BEST", "FIT-DOT", "FGD", "FGD-FILL"})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto run = inflate(few, mixed, rule, seed);
      ASSERT_TRUE(run) << run.error().message;
      const Stranded& rest = run->stranded;
      EXPECT_NEAR(run->allocated + rest.slice + rest.cpu + rest.memory + rest.usable, 1, 1e-9)
          << rule << " seed " << seed;
      EXPECT_LE(run->allocated, 1);
      EXPECT_EQ(run->at.back(), run->allocated);
    }
}

TEST_F(Openb, the_same_order_gives_the_same_run) {
  const OpenbCluster few = cluster("a,8000,1024,4,T4\nb,4000,512,2,T4\n");
  const auto mixed = tasks("p,1000,128,1,600,,LS\nq,1000,100,1,300,,LS\nr,2000,64,0,0,,LS\n", few);
  const auto a = inflate(few, mixed, "FGD-FILL", 7);
  const auto b = inflate(few, mixed, "FGD-FILL", 7);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->at, b->at);
  EXPECT_EQ(a->refused, b->refused);
}

}  // namespace
}  // namespace aliquot
