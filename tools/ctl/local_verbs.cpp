// What needs no manager: config check, sim, db, version, completion.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "config/load.hpp"
#include "monitor/provenance.hpp"
#include "policies/policy.hpp"
#include "tools/ctl/completion.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

Run declare_config_check(CLI::App& app) {
  auto file = std::make_shared<std::string>("/etc/aliquot/aliquot.yaml");
  app.add_option("FILE", *file, "configuration file")->capture_default_str();
  return [file](Session& session) -> Result<int> {
    const auto check = [](const std::string& spec) -> Result<void> {
      const auto policy = make_policy(spec);
      if (!policy) return tl::unexpected<Error>(policy.error());
      return {};
    };
    const auto loaded = load_settings(*file, check);
    if (!loaded) return tl::unexpected<Error>(as_error(loaded.error()));
    const nlohmann::json answer{{"file", *file}, {"ok", true}, {"nodes", loaded->settings.nodes.size()}};
    const auto text = [&](bool) {
      return *file + ": no fault; " + std::to_string(loaded->settings.nodes.size()) + " nodes\n";
    };
    return session.show(answer, {text, [&file] { return std::vector{*file}; }});
  };
}

// For the help only: run_beside is what these words come to, before any option is looked at.
Run declare_sim(CLI::App&) {
  return [](Session&) { return run_beside("aliquot-sim", {}); };
}
Run declare_db(CLI::App&) {
  return [](Session&) { return run_beside("aliquot-db", {}); };
}

Result<int> run_beside(std::string program, std::vector<std::string> arguments) {
  // Beside this program first, then wherever the shell would look.
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  const std::string beside = (self.parent_path() / program).string();
  std::vector<char*> argv{program.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(beside.c_str(), argv.data());
  execvp(program.c_str(), argv.data());
  return fail(ErrorKind::unavailable, "cannot run " + program + ", neither " + beside +
                                          " nor one in PATH: " + std::strerror(errno) +
                                          "; install or build it");
}

Run declare_version(CLI::App&) {
  return [](Session& session) -> Result<int> {
    const nlohmann::json answer{{"version", kVersion}, {"commit", kCommit}, {"protocol", "ALIQUOT/1"}};
    const auto text = [](bool) { return std::string("aliquot ") + kVersion + " (" + kCommit + ")\n"; };
    return session.show(answer, {text, {}});
  };
}

Run declare_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>("bash");
  app.add_option("SHELL", *shell, "bash, zsh or fish")->check(CLI::IsMember(completed_shells()));
  return [shell](Session&) -> Result<int> {
    print(completion(*shell));
    return 0;
  };
}

}  // namespace aliquot::ctl
