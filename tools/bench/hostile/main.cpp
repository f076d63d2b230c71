// aliquot-hostile-clients: lays siege to a real aliquotd with clients that flood it, do not read, send half
// of things and ask for huge answers, and measures what lawful users notice: the memory of the manager, the
// times of `status` and /healthz, and whether every acknowledged job is there afterwards, also after a
// SIGKILL. As root the hostile clients are four users of their own.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "tools/bench/hostile/besieged_daemon.hpp"
#include "tools/bench/hostile/lawful_users.hpp"

namespace {

using namespace aliquot;
using namespace aliquot::siege;

constexpr std::size_t kUsers = 4;
constexpr uid_t kFirstUid = 61'001;
constexpr int kNiceness = 10;

struct Options {
  std::string manager;
  std::size_t clients = 100;
  int seconds = 300;
  std::size_t jobs = 1500;  // before the siege
  std::int64_t memory_mib = 300;
  double status_ms = 200;
  double health_ms = 100;
  bool verbose = false;
};

// In a process of its own; does not return.
[[noreturn]] void attack(const Target& target, const Options& options, std::size_t user) {
  if (getuid() == 0 && setuid(static_cast<uid_t>(kFirstUid + user)) != 0) _exit(1);
  if (nice(kNiceness) == -1) _exit(1);
  const auto acts = hostile_acts();
  std::vector<std::unique_ptr<HostileClient>> clients;
  for (std::size_t i = user; i < options.clients; i += kUsers)
    clients.push_back(std::make_unique<HostileClient>(acts[i / kUsers % acts.size()], target));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  while (std::chrono::steady_clock::now() < end) {
    bool busy = false;
    for (const auto& client : clients) busy = client->take_turn() || busy;
    if (!busy) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (options.verbose && user == 0)
    for (const auto& client : clients)
      std::printf("  %-40s %8.1f MB sent, %llu connections\n", client->name().c_str(),
                  static_cast<double>(client->sent()) / 1e6,
                  static_cast<unsigned long long>(client->connections()));
  std::fflush(stdout);
  _exit(0);
}

std::vector<pid_t> begin_siege(const Target& target, const Options& options) {
  std::vector<pid_t> attackers;
  for (std::size_t user = 0; user < kUsers; ++user) {
    const pid_t pid = fork();
    if (pid == 0) attack(target, options, user);
    attackers.push_back(pid);
  }
  return attackers;
}

bool row(const char* what, double value, const char* unit, double limit) {
  const bool kept = value <= limit;
  std::printf("%-34s %10.1f %-4s (limit %.0f)%s\n", what, value, unit, limit, kept ? "" : "  EXCEEDED");
  return kept;
}

Result<int> lay_siege(const Options& options) {
  BesiegedDaemon manager(options.manager);
  if (auto started = manager.start(); !started) return tl::unexpected<Error>(started.error());
  std::vector<JobId> jobs = submit(manager.target(), options.jobs);
  const std::vector<pid_t> attackers = begin_siege(manager.target(), options);
  LawfulUsers users(manager.target());
  bool ended_well = true;
  for (const pid_t pid : attackers) {
    int status = 0;
    waitpid(pid, &status, 0);
    ended_well = ended_well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  users.stop();
  if (!ended_well) return fail(ErrorKind::internal, "an attacker ended early");
  if (!manager.runs()) return fail(ErrorKind::internal, "the manager has ended");
  jobs.insert(jobs.end(), users.acknowledged().begin(), users.acknowledged().end());
  const double peak = static_cast<double>(manager.memory_peak()) / (1 << 20);
  manager.kill();
  if (auto started = manager.start(); !started) return tl::unexpected<Error>(started.error());
  const std::size_t lost = count_lost(manager.target(), jobs);

  bool kept = row("memory peak", peak, "MiB", static_cast<double>(options.memory_mib));
  kept = row("status, 99th percentile", users.status().percentile99(), "ms", options.status_ms) && kept;
  kept = row("/healthz, 99th percentile", users.health().percentile99(), "ms", options.health_ms) && kept;
  kept = row("jobs lost", static_cast<double>(lost), "", 0) && kept;
  std::printf("status: %zu answers, %llu failures, longest %.1f ms\n", users.status().ms.size(),
              static_cast<unsigned long long>(users.status().failures), users.status().most());
  std::printf("/healthz: %zu answers, %llu failures, longest %.1f ms\n", users.health().ms.size(),
              static_cast<unsigned long long>(users.health().failures), users.health().most());
  std::printf("list: %zu answers, %llu failures, longest %.1f ms\n", users.lists().ms.size(),
              static_cast<unsigned long long>(users.lists().failures), users.lists().most());
  std::printf("jobs: %zu acknowledged, %zu of them during the siege, %llu refused\n", jobs.size(),
              users.acknowledged().size(), static_cast<unsigned long long>(users.refused()));
  const bool enough = !users.acknowledged().empty() && !users.status().ms.empty();
  return kept && enough ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.manager = std::filesystem::canonical("/proc/self/exe").parent_path() / "aliquotd";
  CLI::App app("aliquot-hostile-clients: what a manager under siege costs and how fast it answers");
  app.add_option("--clients", options.clients, "hostile clients")->capture_default_str();
  app.add_option("--seconds", options.seconds, "length of the siege")->capture_default_str();
  app.add_option("--jobs", options.jobs, "jobs that are submitted before it")->capture_default_str();
  app.add_option("--memory-mib", options.memory_mib, "limit of the memory peak")->capture_default_str();
  app.add_option("--status-ms", options.status_ms, "limit of the 99th percentile of status")
      ->capture_default_str();
  app.add_option("--health-ms", options.health_ms, "limit of the 99th percentile of /healthz")
      ->capture_default_str();
  app.add_option("--manager", options.manager, "the aliquotd to besiege")->capture_default_str();
  app.add_flag("--verbose", options.verbose, "what the clients of one user have sent");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  const auto ran = lay_siege(options);
  if (ran) return *ran;
  std::fprintf(stderr, "aliquot-hostile-clients: %s\n", ran.error().message.c_str());
  return 1;
}
