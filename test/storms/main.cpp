// aliquot-storms: random workloads and faults on the real core. A failure prints how to run it again.
#include <CLI/CLI.hpp>
#include <iostream>

#include "test/storms/laws.hpp"
#include "test/support/policy_specs.hpp"

namespace aliquot {
namespace {

struct Verdict {
  std::vector<std::string> broken;
  std::uint64_t fingerprint = 0;
};

// Cancels in time, and releases what the manager holds after failures: the operator of this world.
class Operator {
 public:
  explicit Operator(const World& world) : left_(world.cancels) {}

  std::vector<Event> operator()(const Step& step, const Cluster& cluster) {
    std::vector<Event> events;
    std::erase_if(left_, [&](const auto& cancel) {
      if (cancel.second > step.now || !cluster.record(cancel.first)) return false;
      events.emplace_back(Cancelled{cancel.first, JobResult::cancelled, "its user lost patience"});
      return true;
    });
    for (const auto& [id, job] : cluster.view().jobs) {
      if (job.held) events.emplace_back(HoldChanged{id, false});
    }
    return events;
  }

 private:
  std::map<JobId, Instant> left_;
};

Verdict run(std::uint64_t seed, const std::string& policy, std::ostream* journal = nullptr) {
  const World world = draw_world(seed);
  auto made = make_policy(policy);
  if (!made) return {{made.error().message}, 0};
  Laws laws(world, journal);
  Simulation simulation(world.workload, world.shape, world.model, std::move(*made), laws);
  simulation.set_meddler([&laws, op = Operator(world)](const Step& step, const Cluster& cluster) mutable {
    laws.check_memory(cluster);
    return op(step, cluster);
  });
  const auto done = simulation.run();
  Verdict verdict;
  if (!done) verdict.broken.push_back(done.error().message);
  laws.at_the_end(simulation.hypervisor());
  verdict.broken.insert(verdict.broken.end(), laws.broken().begin(), laws.broken().end());
  verdict.fingerprint = laws.fingerprint();
  return verdict;
}

// A short period, so that much happens.
std::vector<std::string> all_policies() { return test::policy_specs("600"); }

bool weather_storm(std::uint64_t seed, const std::string& policy, std::ostream* journal) {
  Verdict verdict = run(seed, policy, journal);
  if (run(seed, policy).fingerprint != verdict.fingerprint) {
    verdict.broken.emplace_back("two runs of the same seed differ");
  }
  if (verdict.broken.empty()) return true;
  std::cout << "seed " << seed << " (" << name(draw_world(seed).weather) << ") under " << policy << ":\n";
  for (const std::string& line : verdict.broken) std::cout << "  " << line << "\n";
  std::cout << "  again: aliquot-storms --from " << seed << " --seeds 1 --policy " << policy << "\n";
  return false;
}

int dispatch(int argc, char** argv) {
  std::uint64_t from = 1;
  std::uint64_t seeds = 24;
  std::vector<std::string> policies;
  CLI::App app("Random workloads and faults, by seed, on the manager's own core.", "aliquot-storms");
  app.add_option("--from", from, "the first seed")->capture_default_str();
  app.add_option("--seeds", seeds, "how many seeds")->capture_default_str();
  app.add_option("--policy", policies, "which policies (all)");
  bool journal = false;
  app.add_flag("--journal", journal, "every step to standard error, a line of JSON each");
  CLI11_PARSE(app, argc, argv);
  if (policies.empty()) policies = all_policies();
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (std::uint64_t seed = from; seed < from + seeds; ++seed) {
    for (const std::string& policy : policies)
      ++(weather_storm(seed, policy, journal ? &std::cerr : nullptr) ? passed : failed);
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace aliquot

int main(int argc, char** argv) { return aliquot::dispatch(argc, argv); }
