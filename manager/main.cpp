// aliquotd: reads the settings, opens what the manager works with, and runs its loop.
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "config/dump.hpp"
#include "config/load.hpp"
#include "manager/assembly.hpp"
#include "monitor/provenance.hpp"
#include "policies/policy.hpp"

namespace {

constexpr int kExitUsage = 2;
constexpr int kExitFailed = 1;

aliquot::Result<void> check_spec(const std::string& spec) {
  const auto policy = aliquot::make_policy(spec);
  if (!policy) return tl::unexpected<aliquot::Error>(policy.error());
  return {};
}

// Taken by the loop as a file descriptor; blocked before any thread is made, so that all inherit it.
int block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("aliquotd: runs jobs in virtual machines and shares the nodes in exact fractions");
  std::string file = "/etc/aliquot/aliquot.yaml";
  bool check = false;
  bool dump = false;
  app.add_option("--config", file, "the settings (YAML); config/aliquot.example.yaml explains every key")
      ->capture_default_str();
  app.add_flag("--check-config", check,
               "only say whether the settings are good, and every fault they have");
  app.add_flag("--dump-config", dump, "print the settings in force, each with its origin");
  app.set_version_flag("--version",
                       std::string("aliquotd ") + aliquot::kVersion + " (" + aliquot::kCommit + ")");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : kExitUsage;
  }
  const auto loaded = aliquot::load_settings(file, check_spec);
  if (!loaded) {
    std::cerr << aliquot::as_error(loaded.error()).message << '\n';
    return kExitUsage;
  }
  if (dump) std::cout << aliquot::dump_settings(*loaded);
  if (check) std::cout << file << ": good\n";
  if (dump || check) return 0;

  const int signals = block_signals();
  const auto ran = aliquot::run_manager(file, loaded->settings, signals, check_spec);
  close(signals);
  if (ran) return 0;
  std::cerr << "aliquotd: " << ran.error().message << '\n';
  return kExitFailed;
}
