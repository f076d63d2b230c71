// aliquot-db: `aliquot db check|export|backup|restore|to-etcd|from-etcd`. A program of its own, so that the
// command line need not link the store. Only the last three change anything.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "config/load.hpp"
#include "manager/api/wire/error_names.hpp"
#include "manager/ha/configured.hpp"
#include "manager/ha/site_move.hpp"
#include "manager/store/backup.hpp"
#include "manager/store/maintenance.hpp"
#include "policies/policy.hpp"

namespace {

using namespace aliquot;

int leave(const Error& error) {
  std::cerr << "aliquot: " << error.message << "\n";
  return exit_code(error.kind);
}

nlohmann::json as_json(const std::string& file, const StoreCheck& check) {
  return {{"file", file},
          {"ok", check.problems.empty()},
          {"cluster", check.cluster_id},
          {"epoch", check.epoch},
          {"snapshot_step", check.snapshot_step},
          {"last_step", check.last_step},
          {"steps", check.steps},
          {"log_lines", check.log_lines},
          {"ended_jobs", check.ended_jobs},
          {"problems", check.problems}};
}

// Exit code 1: it was read, and is not sound.
int check(const std::string& file, bool json) {
  const auto found = check_store(file);
  if (!found) return leave(found.error());
  if (json) {
    std::cout << as_json(file, *found).dump(2) << "\n";
  } else {
    for (const std::string& problem : found->problems) std::cout << problem << "\n";
    std::cout << file << ": " << (found->problems.empty() ? "sound" : "NOT sound") << "; epoch "
              << found->epoch << ", " << found->steps << " steps to " << found->last_step
              << " (snapshot at " << found->snapshot_step << "), " << found->ended_jobs << " jobs ended\n";
  }
  return found->problems.empty() ? 0 : 1;
}

int export_lines(const std::string& file, bool jobs) {
  const auto lines = jobs ? export_jobs(file, std::cout) : export_store(file, std::cout);
  if (!lines) return leave(lines.error());
  std::cerr << *lines << (jobs ? " jobs\n" : " steps\n");
  return 0;
}

int back_up(const std::string& file, const std::string& to, bool json) {
  if (const auto made = back_up_store(file, to); !made) return leave(made.error());
  if (json)
    std::cout << nlohmann::json{{"file", file}, {"backup", to}}.dump(2) << "\n";
  else
    std::cout << to << ": a sound copy of " << file << "\n";
  return 0;
}

int restore(const std::string& backup, const std::string& file, bool json) {
  const auto aside = restore_store(backup, file);
  if (!aside) return leave(aside.error());
  if (json) {
    const nlohmann::json kept = aside->empty() ? nlohmann::json() : nlohmann::json(*aside);
    std::cout << nlohmann::json{{"file", file}, {"backup", backup}, {"kept_as", kept}}.dump(2) << "\n";
    return 0;
  }
  std::cout << file << ": restored from " << backup << "\n";
  if (!aside->empty()) std::cout << "what stood there is kept as " << *aside << "\n";
  return 0;
}

Result<Settings> settings_with_etcd(const std::string& config) {
  const auto check = [](const std::string& spec) { return make_policy(spec).map([](const auto&) {}); };
  const auto loaded = load_settings(config, check, settings_environment(environ));
  if (!loaded) return tl::unexpected<Error>(as_error(loaded.error()));
  if (!loaded->settings.ha.endpoints.empty()) return loaded->settings;
  return fail(ErrorKind::invalid_argument,
              config + " has no `ha`, which says where etcd is (docs/high-availability.md)");
}

int move_site(const std::string& config, bool to_etcd, bool json) {
  const auto settings = settings_with_etcd(config);
  if (!settings) return leave(settings.error());
  const std::string file = settings->state_dir + "/aliquot.db";
  const ha::LeaderLease::Parts etcd = leadership_parts(*settings);
  const auto moved = to_etcd ? ha::move_to_etcd(file, etcd) : ha::move_from_etcd(file, etcd);
  if (!moved) return leave(moved.error());
  if (json) {
    std::cout << nlohmann::json{{"file", file},
                                {"prefix", settings->ha.prefix},
                                {"cluster", moved->cluster},
                                {"last_step", moved->last_step}}
                     .dump(2)
              << "\n";
    return 0;
  }
  const std::string what = "cluster " + moved->cluster + " to step " + std::to_string(moved->last_step);
  if (to_etcd)
    std::cout << "etcd has " << what << " at " << settings->ha.prefix << ", a sound copy of " << file
              << ": start this manager, then the others with empty state directories\n";
  else
    std::cout << file << " has " << what << " and is sound; " << settings->ha.prefix
              << " is removed from etcd: remove `ha` from the configuration and start this manager alone\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Looks after a manager's store; 'restore', 'to-etcd' and 'from-etcd' change it.",
               "aliquot db");
  app.require_subcommand(1);
  std::string file;
  std::string copy;
  std::string config = "/etc/aliquot/aliquot.yaml";
  std::string form = "table";
  bool jobs = false;
  CLI::App* check_verb = app.add_subcommand("check", "is it sound? every problem it has");
  CLI::App* export_verb = app.add_subcommand("export", "its snapshot and steps as JSON lines");
  CLI::App* backup_verb =
      app.add_subcommand("backup", "copies it into one file, also while a manager runs");
  CLI::App* restore_verb =
      app.add_subcommand("restore", "puts a backup in its place; the manager must be stopped");
  restore_verb->add_option("BACKUP", copy, "what 'aliquot db backup' wrote")->required();
  export_verb->add_flag("--jobs", jobs, "its jobs instead, one a line: id, state, submission or outcome");
  CLI::App* to_verb = app.add_subcommand(
      "to-etcd", "the store begins the log of several managers, all of which must be stopped");
  CLI::App* from_verb = app.add_subcommand(
      "from-etcd", "the log of several managers goes into the store of one alone, and away from etcd");
  for (CLI::App* verb : {check_verb, export_verb, backup_verb, restore_verb})
    verb->add_option("FILE", file, "the store, for example /var/lib/aliquot/aliquot.db")->required();
  for (CLI::App* verb : {to_verb, from_verb})
    verb->add_option("CONFIG", config, "the manager's configuration, with `ha`")->capture_default_str();
  for (CLI::App* verb : {check_verb, export_verb, backup_verb, restore_verb, to_verb, from_verb}) {
    verb->add_option("-o,--output", form, "table or json; what is exported is JSON lines in any case")
        ->check(CLI::IsMember({"table", "json"}));
    verb->add_flag_callback(
        "--json", [&form] { form = "json"; }, "the same as -o json");
  }
  backup_verb->add_option("BACKUP", copy, "a new file")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : exit_code(ErrorKind::invalid_argument);
  }
  const bool json = form == "json";
  if (check_verb->parsed()) return check(file, json);
  if (backup_verb->parsed()) return back_up(file, copy, json);
  if (restore_verb->parsed()) return restore(copy, file, json);
  if (to_verb->parsed() || from_verb->parsed()) return move_site(config, to_verb->parsed(), json);
  return export_lines(file, jobs);
}
