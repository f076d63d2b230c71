#include "config/dump.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "config/changes.hpp"
#include "config/field_table.hpp"
#include "test/unit/config/support.hpp"

namespace aliquot {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(ALIQUOT_SOURCE_DIR "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The file must be what the table says; if not, what it should say is put beside the test binary.
void expect_generated(const std::string& path, const std::string& text) {
  if (content(path) == text) return;
  const std::string actual = std::filesystem::path(path).filename().string() + ".actual";
  std::ofstream(actual) << text;
  ADD_FAILURE() << path << " is not what config/field_table.cpp says; copy "
                << std::filesystem::absolute(actual) << " over it";
}

TEST(Dump, TheExampleAndTheSchemaAreWhatTheTableSays) {
  expect_generated("config/aliquot.example.yaml", example_settings());
  expect_generated("config/schema.json", settings_schema());
}

TEST(Dump, TheExampleHoldsExactlyTheKeysOfTheTableEachCommentedAndLoads) {
  const auto loaded = test::read(content("config/aliquot.example.yaml"));
  ASSERT_TRUE(loaded) << test::faults_of(loaded);
  std::set<std::string> expected{"nodes"};
  for (const auto& field : settings_fields()) expected.insert(field.key);
  for (const auto& field : node_fields()) expected.insert("nodes[0]." + field.key);
  std::set<std::string> found;
  for (const auto& [key, origin] : loaded->origins) found.insert(key);
  EXPECT_EQ(found, expected);

  std::istringstream lines(content("config/aliquot.example.yaml"));
  std::string before, line;
  for (; std::getline(lines, line); before = line) {
    if (line.empty() || line.find_first_not_of(' ') == line.find('#')) continue;
    EXPECT_NE(before.find("# "), std::string::npos) << "no comment above: " << line;
  }
}

TEST(Dump, TheExampleShowsTheDefaults) {
  const auto loaded = test::read(content("config/aliquot.example.yaml"));
  ASSERT_TRUE(loaded);
  Settings defaults;
  defaults.nodes = loaded->settings.nodes;
  EXPECT_TRUE(diff_settings(defaults, loaded->settings).empty());
}

TEST(Dump, WhatIsDumpedReadsBackToTheSameSettings) {
  const auto loaded = test::read(
      "cluster: lab\npolicy: {spec: 'GREEDY # \"x\" \\'}\nlog: {journal: '/tmp/a: b'}\n"
      "hypervisor: {fast_deadline: 1500ms}\napi: {operators: [], submitters: [\"null\", bob], socket_mode: "
      "0777}\n"
      "nodes: [{name: '007', uri: 'qemu:///system', speed: 1.25}, {name: b, uri: 'q://b', memory: "
      "4GiB}]\n");
  ASSERT_TRUE(loaded) << test::faults_of(loaded);
  const std::string dumped = dump_settings(*loaded);
  const auto again = test::read(dumped);
  ASSERT_TRUE(again) << test::faults_of(again) << dumped;
  EXPECT_TRUE(diff_settings(loaded->settings, again->settings).empty()) << dumped;
  EXPECT_EQ(again->settings.policy.spec, "GREEDY # \"x\" \\");
  EXPECT_EQ(again->settings.api.submitters, (std::vector<std::string>{"null", "bob"}));
  EXPECT_NE(dumped.find("# a.yaml:1\n"), std::string::npos);
  EXPECT_NE(dumped.find("# default\n"), std::string::npos);
}

Settings two_nodes() {
  Settings settings;
  settings.nodes.resize(2);
  settings.nodes[0].name = "a";
  settings.nodes[0].uri = "q://a";
  settings.nodes[1].name = "b";
  settings.nodes[1].uri = "q://b";
  return settings;
}

TEST(Changes, TheSameSettingsHaveNone) { EXPECT_TRUE(diff_settings(two_nodes(), two_nodes()).empty()); }

TEST(Changes, EachKeyIsNamedWithBothValuesAndWhetherItNeedsARestart) {
  Settings after = two_nodes();
  after.log.level = "debug";
  after.http.port = 80;
  after.api.operators = {"root", "alice"};
  after.nodes[1].memory = mebibytes(1024);
  const std::vector<SettingChange> expected{
      {"api.operators", "root", "root, alice", Reload::live},
      {"http.port", "9750", "80", Reload::restart},
      {"log.level", "info", "debug", Reload::live},
      {"nodes[b].memory", "", "1GiB", Reload::live},
  };
  EXPECT_EQ(diff_settings(two_nodes(), after), expected);
}

// Some value of the field that differs from the default.
void change(const Field<Settings>& field, Settings& settings) {
  const auto before = field.words(settings);
  for (const char* word : {"other",
                           "/other",
                           "7",
                           "7s",
                           "50ms",
                           "3h",
                           "65MiB",
                           "0600",
                           "debug",
                           "off",
                           "advise",
                           "json",
                           "emulation",
                           "private",
                           "A100=10de:20f1",
                           "lab=alice",
                           "10.0.0.1",
                           "parallel",
                           "cape-rm",
                           "paper",
                           "learned",
                           "0.6",
                           "10.1.0.0/16",
                           "1400",
                           "1Gbit",
                           "home=nfs1:/export:/home",
                           "lab shares=3 jobs=4 user.cpu=1.5",
                           "tcp://*:7447"}) {
    Settings changed = settings;
    if (field.clear) field.clear(changed);
    if (!field.read(changed, word) || field.words(changed) == before) continue;
    settings = std::move(changed);
    return;
  }
  FAIL() << "no other value is known for " << field.key;
}

TEST(Changes, AReloadTakesALiveSettingAndLeavesEachOther) {
  std::string restart;
  for (const auto& field : settings_fields()) {
    Settings read;
    change(field, read);
    const Settings after = reloaded(Settings{}, read);
    const bool live = field.reload == Reload::live;
    EXPECT_EQ(field.words(after), field.words(live ? read : Settings{})) << field.key;
    EXPECT_EQ(diff_settings(Settings{}, after).size(), live ? 1U : 0U) << field.key;
    if (!live) restart += field.key + " ";
  }
  EXPECT_EQ(
      restart,
      "state_dir spool_dir api.socket api.events api.socket_mode api.socket_group api.max_request "
      "api.remote api.remote_events api.remote_rate http.host http.port http.status_page "
      "hypervisor.acceleration hypervisor.cap_period "
      "hypervisor.fast_deadline hypervisor.long_deadline hypervisor.long_lane hypervisor.guest_dir "
      "hypervisor.agent_keys hypervisor.qemu_group hypervisor.numa hypervisor.migration_bandwidth "
      "molding.entries "
      "fair_share.half_life ha.endpoints ha.ca ha.cert ha.key ha.prefix ha.name ha.address ha.lease_ttl "
      "ha.defragment "
      "spool.reserve log.journal ");
}

TEST(Changes, NodesComeAndGoWhileTheManagerRuns) {
  Settings after = two_nodes();
  std::swap(after.nodes[0], after.nodes[1]);
  EXPECT_TRUE(diff_settings(two_nodes(), after).empty()) << "their order means nothing";
  after.nodes[1].name = "c";
  EXPECT_EQ(diff_settings(two_nodes(), after),
            (std::vector<SettingChange>{{"nodes[a]", "q://a", "", Reload::live},
                                        {"nodes[c]", "", "q://a", Reload::live}}));
}

}  // namespace
}  // namespace aliquot
