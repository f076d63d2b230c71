// The layers of the settings (the file, conf.d, the environment): which value counts, its origin, and the
// place that a fault names.
#include "config/layers.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/dump.hpp"
#include "test/unit/config/support.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;
using test::faults_of;
using test::kNode;

class Layered : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/aliquot-layers-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    dir_ = name;
    fs::create_directory(dir_ / "conf.d");
    write("aliquot.yaml", kNode + "http: {host: 127.0.0.1, port: 80}\ncluster: lab\n");
  }
  void TearDown() override { fs::remove_all(dir_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(dir_ / name) << text; }
  [[nodiscard]] LoadResult load(const Environment& environment = {}) const {
    return load_settings(dir_ / "aliquot.yaml", test::known_spec, environment);
  }
  // Without the directory.
  [[nodiscard]] std::string faults(const Environment& environment = {}) const {
    std::string text = faults_of(load(environment));
    for (std::size_t at; (at = text.find(dir_.string() + "/")) != std::string::npos;)
      text.erase(at, dir_.string().size() + 1);
    return text;
  }
  fs::path dir_;
};

TEST_F(Layered, TheHighestLayerCountsKeyByKey) {
  write("conf.d/10-a.yaml", "http: {port: 81}\nlimits: {max_jobs: 5}\napi: {operators: [alice, bob]}\n");
  write("conf.d/20-b.yaml", "http:\n  port: 82\n");
  const auto loaded = load({{"ALIQUOT__LIMITS__MAX_JOBS", "7"}});
  ASSERT_TRUE(loaded) << faults_of(loaded);
  EXPECT_EQ(loaded->settings.http.host, "127.0.0.1");
  EXPECT_EQ(loaded->settings.http.port, 82);
  EXPECT_EQ(loaded->settings.limits.max_jobs, 7U);
  EXPECT_EQ(loaded->settings.api.operators, (std::vector<std::string>{"alice", "bob"}));
  EXPECT_EQ(loaded->origins.at("http.host"), (dir_ / "aliquot.yaml:4").string());
  EXPECT_EQ(loaded->origins.at("http.port"), (dir_ / "conf.d/20-b.yaml:2").string());
  EXPECT_EQ(loaded->origins.at("limits.max_jobs"), "environment ALIQUOT__LIMITS__MAX_JOBS");
  EXPECT_NE(dump_settings(*loaded).find("# environment ALIQUOT__LIMITS__MAX_JOBS\n"), std::string::npos);
}

TEST_F(Layered, NodesAreJoined) {
  write("conf.d/n2.yaml", "nodes:\n  - {name: n2, uri: 'q://n2'}\n");
  write("conf.d/empty.yaml", "# nothing\n");
  const auto loaded = load();
  ASSERT_TRUE(loaded) << faults_of(loaded);
  ASSERT_EQ(loaded->settings.nodes.size(), 2U);
  EXPECT_EQ(loaded->settings.nodes[1].name, "n2");
  EXPECT_EQ(loaded->origins.at("nodes[1].name"), (dir_ / "conf.d/n2.yaml:2").string());
}

TEST_F(Layered, WhatIsNoYamlFileIsPassedOver) {
  for (const char* name : {"conf.d/.hidden.yaml", "conf.d/a.yaml.orig", "conf.d/README"}) write(name, "::");
  EXPECT_TRUE(load());
}

TEST_F(Layered, EveryFaultNamesItsOwnFile) {
  write("conf.d/a.yaml", "http:\n  prot: 80\nlog: {level: loud}\n");
  write("conf.d/b.yaml", "nodes: [{name: n1, uri: 'q://b'}]\n");
  EXPECT_EQ(
      faults({{"ALIQUOT__HTTP__PORT", "x"}}),
      "conf.d/a.yaml:2:3: http.prot: there is no such key (did you mean port?); known here: host, port, "
      "status_page\n"
      "conf.d/a.yaml:3:14: log.level: \"loud\" is none of the words known here; write debug, info, warning "
      "or "
      "error\n"
      "conf.d/b.yaml:1:16: nodes[1].name: \"n1\" is what aliquot.yaml in line 2 says already "
      "(nodes[0].name); give each node a name of its own\n"
      "environment ALIQUOT__HTTP__PORT: http.port: \"x\" is not a whole number (it does not begin with a "
      "digit); write digits only, for example 12");
}

TEST_F(Layered, AKeyThatOneFileHasTwiceIsAFaultAlsoAboveAnother) {
  write("conf.d/a.yaml", "cluster: x\ncluster: y\n");
  EXPECT_EQ(faults(), "conf.d/a.yaml:2:1: cluster: this key stands in line 1 already; remove one of them");
}

TEST_F(Layered, FilesThatCannotBeReadAreAllNamed) {
  write("conf.d/a.yaml", "a: [\n");
  fs::create_directory(dir_ / "conf.d/b.yaml");
  const std::string text = faults();
  EXPECT_NE(text.find("conf.d/a.yaml:"), std::string::npos) << text;
  EXPECT_NE(text.find("conf.d/b.yaml: is a directory"), std::string::npos) << text;
}

LoadResult with(const Environment& environment) {
  return read_settings(kNode, "a.yaml", test::known_spec, environment);
}

TEST(SettingsEnvironment, SetsSingleValuesAndLists) {
  const auto loaded = with({{"ALIQUOT__CLUSTER", "blue"},
                            {"ALIQUOT__HYPERVISOR__CAP_PERIOD", "50ms"},
                            {"ALIQUOT__API__OPERATORS", "alice,bob"},
                            {"ALIQUOT__API__SUBMITTERS", ""}});
  ASSERT_TRUE(loaded) << faults_of(loaded);
  EXPECT_EQ(loaded->settings.cluster, "blue");
  EXPECT_EQ(loaded->settings.hypervisor.cap_period, Duration{50'000});
  EXPECT_EQ(loaded->settings.api.operators, (std::vector<std::string>{"alice", "bob"}));
  EXPECT_TRUE(loaded->settings.api.submitters.empty());
}

TEST(SettingsEnvironment, IsHeldToTheSameRules) {
  const auto fault = [](const char* name, const char* value) { return faults_of(with({{name, value}})); };
  EXPECT_EQ(
      fault("ALIQUOT__HTTP__PROT", "80").find("environment ALIQUOT__HTTP__PROT: http.prot: there is no"),
      0U);
  EXPECT_NE(fault("ALIQUOT__HTTP", "80").find("http: \"80\" is a single value"), std::string::npos);
  EXPECT_NE(fault("ALIQUOT__NODES", "n1").find("nodes: \"n1\" is a single value"), std::string::npos);
  EXPECT_NE(fault("ALIQUOT__LOG__LEVEL", "in\x01").find("control character"), std::string::npos);
  EXPECT_NE(fault("ALIQUOT__", "x").find("there is no such key"), std::string::npos);
}

TEST(SettingsEnvironment, IsWhatBeginsWithThePrefix) {
  const char* const variables[] = {"PATH=/bin", "ALIQUOT__B=2=3", "ALIQUOT_SERVER=/x",
                                   "ALIQUOT__A=", nullptr};
  EXPECT_EQ(settings_environment(variables), (Environment{{"ALIQUOT__A", ""}, {"ALIQUOT__B", "2=3"}}));
  EXPECT_TRUE(settings_environment(nullptr).empty());
}

}  // namespace
}  // namespace aliquot
