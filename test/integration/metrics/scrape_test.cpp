// The whole way of a metric: steps, the HTTP port, and Prometheus' own judge of what comes out.
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "monitor/exposer.hpp"
#include "monitor/metric_table.hpp"
#include "monitor/metrics.hpp"
#include "test/unit/monitor/watch/small_cluster.hpp"

namespace aliquot {
namespace {

using namespace test;

// Counts everything that there is to count, at least once.
void feed(Metrics& metrics) {
  metrics.policy_in_force("DYNMCB8-ASAP-PER-600+match", seconds(600));
  metrics.mode_in_force(Mode::automatic);
  metrics.epoch(1);
  metrics.request_answered("submit", "ok", seconds(1));
  metrics.libvirt_called("n1", "save", seconds(2), "timeout");
  metrics.migrated(seconds(1));
  metrics.step_stored(seconds(1));
  metrics.store_size(4096);
  metrics.spool(mebibytes(4096), mebibytes(1024), mebibytes(7));
  metrics.images(3, mebibytes(300));
  metrics.clock_offset(seconds(0));
  metrics.memory_told({{{1}, {0}, {mebibytes(100), mebibytes(30), 1}}});
  metrics.show_accounts({{"lab", 0.5, 1.5, 0.25, 1}});
  ClusterView view = two_nodes();
  for (std::uint64_t i = 1; i <= 500; ++i) {
    Step step;
    step.number = i;
    step.now = view.now = {static_cast<std::int64_t>(i) * kMillion};
    step.events = {submitted(i), Tick{}};
    if (i > 1) step.events.emplace_back(outcome(i - 1, 0, 2));
    step.decision = decision("DYNMCB8-ASAP-PER-600+match", true, 0, static_cast<std::int64_t>(i) * 1000);
    step.actions = {create(i, i, 2)};
    step.ended = {ended(i, static_cast<JobResult>(i % 4), static_cast<std::uint32_t>(i % 50 + 1))};
    metrics.on_step(step, view);
    metrics.vm_used({{{i}, {0}, {seconds(1), seconds(2), seconds(1)}, seconds(1), true}}, view);
  }
}

MetricsOptions options() {
  return {"1.2",
          "abc",
          "9.0",
          [](const ClusterView&, JobId) { return Reason::memory; },
          [] { return 1234.5; },
          {},
          {},
          {},
          {},
          [] { return UpkeepGauges{Instant{} + seconds(9), 1, 2, 3}; }};
}

std::string scrape(const Metrics& metrics) {
  const auto exposer =
      Exposer::open("127.0.0.1", 0, {[&] { return metrics.text(); }, [] { return std::nullopt; }});
  if (!exposer) return "";
  httplib::Client client("127.0.0.1", (*exposer)->port());
  const auto answer = client.Get("/metrics");
  return answer ? answer->body : "";
}

TEST(Scrape, HoldsEveryFamilyOfTheTableWithHelpAndType) {
  Metrics metrics(options());
  feed(metrics);
  const std::string text = scrape(metrics);
  for (const MetricRow& row : metric_table()) {
    EXPECT_NE(text.find("# HELP " + std::string(row.name) + " "), std::string::npos) << row.name;
    EXPECT_NE(text.find("# TYPE " + std::string(row.name) + " "), std::string::npos) << row.name;
    EXPECT_NE(text.find("\n" + std::string(row.name)), std::string::npos) << row.name << " has no series";
  }
  EXPECT_EQ(text.find("job=\""), std::string::npos) << "a job became a label";
}

TEST(Scrape, HasTheLabelsThatTheTableSays) {
  Metrics metrics(options());
  feed(metrics);
  const std::string text = scrape(metrics);
  for (const MetricRow& row : metric_table()) {
    const std::regex series("\n" + std::string(row.name) + "(?:_count)?(?:\\{([^}]*)\\})? ");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(text, found, series)) << row.name;
    const std::string printed = found[1];
    std::string names;
    const std::regex label("([a-z_]+)=\"");
    for (std::sregex_iterator at(printed.begin(), printed.end(), label), end; at != end; ++at)
      names += (names.empty() ? "" : ",") + (*at)[1].str();
    EXPECT_EQ(names, row.labels) << row.name;
    for (std::sregex_iterator at(printed.begin(), printed.end(), label), end; at != end; ++at)
      EXPECT_TRUE(std::ranges::any_of(metric_labels(),
                                      [&](const LabelRow& known) { return known.name == (*at)[1].str(); }))
          << (*at)[1] << " is not explained";
  }
}

// The page that is committed is the table's.
TEST(MetricPage, IsWhatTheTableSays) {
  std::ifstream file(std::string(ALIQUOT_SOURCE) + "/docs/metrics.md");
  const std::string committed((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(committed, metric_page()) << "docs/metrics.md is stale: aliquot-metric-page > docs/metrics.md";
}

TEST(Scrape, StaysSmallHoweverManyJobsThereWere) {
  Metrics metrics(options());
  feed(metrics);
  const std::string text = scrape(metrics);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 46 * 2 + 780);
}

TEST(Scrape, IsCleanForPromtool) {
  if (std::system("promtool --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "promtool is not installed (Debian package prometheus)";
  }
  Metrics metrics(options());
  feed(metrics);
  const std::string text = scrape(metrics);
  ASSERT_FALSE(text.empty());
  const std::string path = testing::TempDir() + "aliquot-scrape-" + std::to_string(getpid());
  std::ofstream(path) << text;
  FILE* judge = popen(("timeout 30 promtool check metrics < " + path + " 2>&1").c_str(), "r");
  ASSERT_NE(judge, nullptr);
  std::string words;
  for (int c = 0; (c = std::fgetc(judge)) != EOF;) words += static_cast<char>(c);
  const int status = pclose(judge);
  std::filesystem::remove(path);
  EXPECT_EQ(WEXITSTATUS(status), 0) << words;
  EXPECT_EQ(words, "");
}

}  // namespace
}  // namespace aliquot
