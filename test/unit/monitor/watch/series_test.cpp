// How many series there are, whose they are, and when they go.
#include <gtest/gtest.h>

#include <future>

#include "monitor/metrics.hpp"
#include "monitor/oscillations.hpp"
#include "test/unit/monitor/watch/large_cluster.hpp"
#include "test/unit/monitor/watch/series_text.hpp"

namespace aliquot {
namespace {

using namespace test;

MetricsOptions with_accounts(const std::map<JobId, std::string>& accounts) {
  MetricsOptions options{"1", "a", "9", {}, {}};
  options.account = [&accounts](JobId job) -> std::optional<std::string_view> {
    const auto known = accounts.find(job);
    if (known == accounts.end()) return std::nullopt;
    return known->second;
  };
  return options;
}

TEST(Series, StayWithinTheirBoundOnTheLargestCluster) {
  Metrics metrics(large_options());
  show_large_cluster(metrics);
  const std::string text = metrics.text();
  EXPECT_EQ(count(text, "node=\"node499\""), 36u);
  EXPECT_EQ(count(text, "account=\"account199\""), 14u);
  const std::size_t series = count(text, "\n") - count(text, "\n# ");
  EXPECT_GT(series, kManyNodes * 18 + kManyAccounts * 10);
  EXPECT_LT(series, kManyNodes * 36 + kManyAccounts * 15 + 600);
}

TEST(Series, MoreAccountsThanAreToldApartAreCountedTogether) {
  std::map<JobId, std::string> accounts;
  ClusterView view = two_nodes();
  view.jobs.clear();
  for (std::uint64_t id = 1; id <= 1000; ++id) {
    view.jobs[{id}] = job(id, Phase::waiting);
    accounts[{id}] = "u" + std::to_string(id);
  }
  Metrics metrics(with_accounts(accounts));
  metrics.refresh(view, Instant{});
  EXPECT_EQ(count(metrics.text(), "aliquot_account_cpu_needed_cores{"), 256u + 1);
  EXPECT_EQ(value(metrics, "aliquot_account_jobs{account=\"other\",state=\"pending\"}"), "744");
  EXPECT_EQ(value(metrics, "aliquot_account_cpu_needed_cores{account=\"other\"}"), "744");
}

TEST(Series, OfAnAccountSayWhatItsUsersDeclareBesideWhatIsNeeded) {
  const std::map<JobId, std::string> accounts{{{1}, "ada"}};
  MetricsOptions options = with_accounts(accounts);
  options.declared = [](JobId) { return DeclaredNeeds{cores(3), mebibytes(600)}; };
  ClusterView view = two_nodes();
  view.jobs.clear();
  view.jobs[{1}] = job(1, Phase::waiting);
  Metrics metrics(std::move(options));
  metrics.refresh(view, Instant{});
  EXPECT_EQ(value(metrics, "aliquot_account_cpu_declared_cores{account=\"ada\"}"), "3");
  EXPECT_EQ(value(metrics, "aliquot_account_cpu_needed_cores{account=\"ada\"}"), "1");
}

TEST(Series, OfMemoryThatIsLentSayWhatPlacedTasksMayTakeBack) {
  const std::map<JobId, std::string> accounts{{{1}, "ada"}, {{2}, "bob"}};
  MetricsOptions options = with_accounts(accounts);
  ClusterView view = two_nodes();
  view.jobs.clear();
  view.jobs[{1}] = job(1, Phase::running, kFullYield, {{{0}, 1}, {{1}, 1}});
  view.jobs[{2}] = job(2, Phase::waiting);
  const Memory counted = view.jobs[{1}].demand.memory;
  options.declared = [counted](JobId) { return DeclaredNeeds{cores(1), counted + Memory{100}}; };
  Metrics metrics(std::move(options));
  metrics.refresh(view, Instant{});
  EXPECT_EQ(value(metrics, "aliquot_account_memory_lent_bytes{account=\"ada\"}"), "200");
  EXPECT_EQ(value(metrics, "aliquot_account_memory_lent_bytes{account=\"bob\"}"), "0") << "it waits";
  EXPECT_EQ(value(metrics, "aliquot_node_memory_lent_bytes{node=\"n1\"}"), "100");
  view.jobs[{1}].demand.memory += Memory{100};
  metrics.refresh(view, Instant{} + seconds(2));
  EXPECT_EQ(value(metrics, "aliquot_node_memory_lent_bytes{node=\"n1\"}"), "0") << "it has all again";
}

TEST(Series, OfMemoryAreThereForThoseWhoseGuestsTell) {
  const std::map<JobId, std::string> accounts{{{1}, "ada"}, {{2}, "bob"}};
  ClusterView view = two_nodes();
  view.jobs.clear();
  view.jobs[{1}] = job(1, Phase::running, kFullYield, {{{0}, 2}});
  view.jobs[{2}] = job(2, Phase::running, kFullYield, {{{1}, 1}});
  Metrics metrics(with_accounts(accounts));
  const GuestMemory memory{Memory{100}, Memory{30}, 1};
  metrics.memory_told({{{1}, {0}, memory}, {{1}, {0}, memory}});
  metrics.refresh(view, Instant{});
  EXPECT_EQ(value(metrics, "aliquot_account_memory_used_bytes{account=\"ada\"}"), "140");
  EXPECT_EQ(value(metrics, "aliquot_account_memory_told_bytes{account=\"ada\"}"), "200");
  EXPECT_EQ(value(metrics, "aliquot_node_memory_used_bytes{node=\"n1\"}"), "140");
  EXPECT_EQ(count(metrics.text(), "memory_used_bytes{"), 2u) << "not known is not 0";
  metrics.memory_told({});
  metrics.refresh(view, Instant{} + seconds(2));
  EXPECT_EQ(count(metrics.text(), "memory_told_bytes{"), 0u);
}

TEST(Series, OfTheEnergyOfAnAccountGrowByWhatItsJobsWereChargedUntilNow) {
  const std::map<JobId, std::string> accounts{{{1}, "ada"}, {{2}, "bob"}, {{3}, "ada"}};
  MetricsOptions options = with_accounts(accounts);
  std::map<JobId, power::Watts> charged{{{1}, power::watts(100)}, {{2}, power::watts(40)}};
  options.draw = [&charged](JobId job) { return charged[job]; };
  Metrics metrics(std::move(options));
  const std::string of_ada = "aliquot_account_energy_joules_total{account=\"ada\"}";
  ClusterView view;
  view.nodes = two_nodes().nodes;
  view.jobs[{1}] = job(1, Phase::running, kFullYield, {{{0}, 1}});
  view.jobs[{2}] = job(2, Phase::running, kFullYield, {{{1}, 1}});
  metrics.refresh(view, Instant{} + seconds(10));
  EXPECT_EQ(value(metrics, of_ada), "0") << "nothing is known of what was before";
  charged[{1}] = power::watts(150);
  metrics.refresh(view, Instant{} + seconds(12));
  EXPECT_EQ(value(metrics, of_ada), "200") << "until now it drew 100 W";
  view.jobs.erase({1});
  metrics.refresh(view, Instant{} + seconds(14));
  metrics.refresh(view, Instant{} + seconds(20));
  EXPECT_EQ(value(metrics, of_ada), "500");
  EXPECT_EQ(value(metrics, "aliquot_account_energy_joules_total{account=\"bob\"}"), "400");
}

TEST(Series, OfAnAccountGoTenMinutesAfterItsLastJob) {
  std::map<JobId, std::string> accounts{{{1}, "ada"}, {{2}, "bob"}, {{3}, "ada"}};
  Metrics metrics(with_accounts(accounts));
  ClusterView view = two_nodes();
  metrics.refresh(view, Instant{});
  EXPECT_EQ(value(metrics, "aliquot_account_jobs{account=\"bob\",state=\"running\"}"), "1");
  view.jobs.erase({2});
  metrics.refresh(view, Instant{} + seconds(599));
  EXPECT_EQ(value(metrics, "aliquot_account_jobs{account=\"bob\",state=\"running\"}"), "0");
  metrics.refresh(view, Instant{} + seconds(600));
  EXPECT_EQ(count(metrics.text(), "\"bob\""), 0u);
  EXPECT_GT(count(metrics.text(), "\"ada\""), 0u);
  accounts[{2}] = "bob";
  view.jobs[{2}] = job(2, Phase::waiting);
  metrics.refresh(view, Instant{} + seconds(700));
  EXPECT_EQ(value(metrics, "aliquot_account_jobs{account=\"bob\",state=\"pending\"}"), "1")
      << "and come back";
}

TEST(Series, OfANodeGoWithItsNameInTheConfiguration) {
  Metrics metrics(MetricsOptions{"1", "a", "9", {}, {}});
  const ClusterView view = two_nodes();
  metrics.refresh(view, Instant{});
  EXPECT_EQ(value(metrics, "aliquot_node_state{node=\"n2\",state=\"suspect\"}"), "1");
  EXPECT_EQ(value(metrics, "aliquot_node_state{node=\"n2\",state=\"down\"}"), "0");
  metrics.libvirt_called("n2", "save", seconds(1), "");
  EXPECT_EQ(value(metrics, "aliquot_node_calls_total{node=\"n2\"}"), "1");
  Step step;
  step.events = {Configured{{view.nodes[0]}, {}}};
  metrics.on_step(step, view);
  metrics.libvirt_called("n2", "save", seconds(1), "");  // its last call comes back late
  EXPECT_EQ(count(metrics.text(), "node=\"n2\""), 0u);
  EXPECT_GT(count(metrics.text(), "node=\"n1\""), 0u);
}

TEST(Series, OfAccountsTellWhatIsNeededPromisedGrantedAndUsed) {
  const std::map<JobId, std::string> accounts{{{1}, "ada"}, {{2}, "bob"}, {{3}, "ada"}, {{4}, ""}};
  MetricsOptions options = with_accounts(accounts);
  options.caps = [] {
    return std::vector<VmCap>{{{1}, 0, {0}, {400'000}, {200'000}}, {{9}, 0, {0}, {100'000}, {100'000}}};
  };
  Metrics metrics(std::move(options));
  const ClusterView view = two_nodes();
  metrics.refresh(view, Instant{});
  metrics.refresh(view, Instant{} + seconds(10));
  const auto of = [&](const std::string& what, const std::string& whose) {
    return value(metrics, "aliquot_account_" + what + "{account=\"" + whose + "\"}");
  };
  EXPECT_EQ(of("cpu_needed_cores", "ada"), "2") << "one running, one waiting";
  EXPECT_EQ(of("cpu_promised_cores", "ada"), "1") << "two units at half speed";
  EXPECT_EQ(of("cpu_granted_cores", "ada"), "0.4");
  EXPECT_EQ(of("cpu_granted_seconds_total", "ada"), "2") << "ten seconds of its node's own cores";
  EXPECT_EQ(of("fairness_ratio", "bob"), "2") << "all of its need, where everybody has half";
  EXPECT_EQ(of("cpu_needed_cores", "(none)"), "1");
  EXPECT_EQ(value(metrics, "aliquot_node_cpu_granted_cores{node=\"n1\"}"), "0.5");
  EXPECT_EQ(value(metrics, "aliquot_node_vms{node=\"n1\"}"), "2");
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_granted_seconds_total{node=\"n1\"}"), "3");
  metrics.vm_used(
      {{{1}, {0}, {seconds(3), {}, {}}, {}, false}, {{9}, {0}, {seconds(1), {}, {}}, {}, false}}, view);
  EXPECT_EQ(of("cpu_seconds_total", "ada"), "3");
  EXPECT_EQ(value(metrics, "aliquot_vm_cpu_seconds_total{node=\"n1\"}"), "4");
}

TEST(Series, OfWaitingTellTheLongestOfThoseThatMayRun) {
  Metrics metrics(MetricsOptions{"1", "a", "9", {}, {}});
  ClusterView view = two_nodes();
  view.jobs.at({3}).phase_since = Instant{} + seconds(40);
  view.jobs.at({4}).held = true;
  metrics.refresh(view, Instant{} + seconds(100));
  EXPECT_EQ(value(metrics, "aliquot_job_longest_wait_seconds"), "60");
  EXPECT_EQ(value(metrics, "aliquot_job_stretch_so_far_max_ratio").substr(0, 3), "3.3");
}

TEST(Series, OfMaintenanceAndMovesTellWhenTheNextWindowStartsAndWhatWaits) {
  MetricsOptions options{"1", "a", "9", {}, [] { return 5000.0; }};
  UpkeepGauges upkeep{Instant{} + seconds(130), 2, 3, 4};
  options.upkeep = [&upkeep] { return upkeep; };
  Metrics metrics(std::move(options));
  const ClusterView view = two_nodes();
  metrics.refresh(view, Instant{} + seconds(100));
  EXPECT_EQ(value(metrics, "aliquot_maintenance_next_start_timestamp_seconds"), "5030");
  EXPECT_EQ(value(metrics, "aliquot_maintenance_nodes"), "2");
  EXPECT_EQ(value(metrics, "aliquot_moves_waiting{cause=\"budget\"}"), "3");
  EXPECT_EQ(value(metrics, "aliquot_moves_waiting{cause=\"cool_down\"}"), "4");
  upkeep = {};
  metrics.refresh(view, Instant{} + seconds(200));
  EXPECT_EQ(value(metrics, "aliquot_maintenance_next_start_timestamp_seconds"), "0");
}

// A scrape goes on while the loop is in the middle of reading the cluster: it would wait here for ever.
TEST(Series, AScrapeWaitsForNobody) {
  std::promise<void> scraped;
  std::promise<void> reading;
  bool first = true;
  MetricsOptions options{"1", "a", "9", {}, {}};
  options.explain = [&](const ClusterView&, JobId) {
    if (std::exchange(first, false)) {
      reading.set_value();
      scraped.get_future().wait();
    }
    return Reason::memory;
  };
  Metrics metrics(std::move(options));
  const auto loop = std::async(std::launch::async, [&] { metrics.refresh(two_nodes(), Instant{}); });
  reading.get_future().wait();
  EXPECT_NE(metrics.text().find("aliquot_build_info"), std::string::npos);
  scraped.set_value();
}

TEST(Oscillations, AreMovesBackAndSecondPausesWithinAnHour) {
  Oscillations watch;
  const ActionHead job{{1}, {7}, {0, 2}};
  const auto at = [](std::int64_t minutes) { return Instant{} + seconds(60 * minutes); };
  EXPECT_EQ(watch.take(Migrate{job, {{1}}, {{2}}}, at(0)).moved_back, 0u);
  EXPECT_EQ(watch.take(Migrate{job, {{2}}, {{1}}}, at(59)).moved_back, 2u) << "one for each VM";
  EXPECT_EQ(watch.take(Migrate{job, {{1}}, {{2}}}, at(119)).moved_back, 0u)
      << "an hour later is another matter";
  EXPECT_EQ(watch.take(Save{job, {{2}}}, at(120)).paused_again, 0u);
  EXPECT_EQ(watch.take(Restore{job, {{1}}, {}}, at(121)).moved_back, 2u) << "a restore elsewhere is a move";
  EXPECT_EQ(watch.take(Save{job, {{1}}}, at(150)).paused_again, 1u) << "one for the job";
  EXPECT_EQ(watch.take(Restore{job, {{1}}, {}}, at(151)).moved_back, 0u) << "where it was saved";
  EXPECT_EQ(watch.take(Save{job, {{1}}}, at(220)).paused_again, 0u);
  watch.end({7});
  EXPECT_EQ(watch.take(Migrate{job, {{2}}, {{1}}}, at(221)).moved_back, 0u);
}

}  // namespace
}  // namespace aliquot
