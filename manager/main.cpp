// aliquotd: reads the settings, opens what the manager works with, and runs its loop.
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "config/dump.hpp"
#include "config/load.hpp"
#include "manager/assembly.hpp"
#include "manager/highly_available.hpp"
#include "manager/rebuild.hpp"
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

int said(const aliquot::Result<void>& done) {
  if (done) return 0;
  std::cerr << "aliquotd: " << done.error().message << '\n';
  return done.error().kind == aliquot::ErrorKind::not_leader ? aliquot::kExitLostLeadership : kExitFailed;
}

// That the settings are good has been said.
int check_etcd(const aliquot::Settings& settings) {
  if (settings.ha.endpoints.empty()) return 0;
  const auto found = aliquot::try_etcd(settings);
  if (!found) return said(tl::unexpected<aliquot::Error>(found.error()));
  std::istringstream members(*found);
  for (std::string member; std::getline(members, member);) std::cout << "ha: " << member << '\n';
  return 0;
}

std::string check_answer(const std::string& file, const aliquot::LoadResult& loaded) {
  nlohmann::json answer{{"file", file}, {"ok", loaded.has_value()}, {"faults", nlohmann::json::array()}};
  if (!loaded)
    for (const aliquot::Fault& fault : loaded.error())
      answer["faults"].push_back({{"file", fault.file},
                                  {"line", fault.place.line},
                                  {"column", fault.place.column},
                                  {"key", fault.key},
                                  {"text", fault.text}});
  return answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
  bool as_json = false;
  bool rebuild = false;
  app.add_option("--config", file, "the settings (YAML); config/aliquot.example.yaml explains every key")
      ->capture_default_str();
  app.add_flag("--check-config", check,
               "only say whether the settings are good, and every fault they have");
  app.add_flag("--json", as_json, "with --check-config: the answer as JSON");
  app.add_flag("--dump-config", dump, "print the settings in force, each with its origin");
  app.add_flag("--rebuild-from-nodes", rebuild,
               "the store is lost: make a new one from the VMs on the nodes and the spool, and end");
  app.set_version_flag("--version",
                       std::string("aliquotd ") + aliquot::kVersion + " (" + aliquot::kCommit + ")");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : kExitUsage;
  }
  const auto environment = aliquot::settings_environment(environ);
  const auto load = [&] { return aliquot::load_settings(file, check_spec, environment); };
  const auto loaded = load();
  if (check && as_json) {
    std::cout << check_answer(file, loaded) << '\n';
    return loaded ? 0 : kExitUsage;
  }
  if (!loaded) {
    std::cerr << aliquot::as_error(loaded.error()).message << '\n';
    return kExitUsage;
  }
  if (dump) std::cout << aliquot::dump_settings(*loaded);
  if (check) std::cout << file << ": good\n";
  if (check && !dump) return check_etcd(loaded->settings);
  if (dump) return 0;
  if (rebuild) return said(aliquot::rebuild_from_nodes(loaded->settings, std::cout));

  const int signals = block_signals();
  const bool is_alone = loaded->settings.ha.endpoints.empty();
  const auto ran = is_alone ? aliquot::run_manager(loaded->settings, load, signals)
                            : aliquot::run_highly_available(loaded->settings, load, signals);
  close(signals);
  return said(ran);
}
