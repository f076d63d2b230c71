// aliquot-db: `aliquot db check` and `aliquot db export`. A program of its own, so that the command line
// need not link the store. Reads a store, in use or not, and changes nothing.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "manager/api/wire/error_names.hpp"
#include "manager/store/maintenance.hpp"

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

int export_lines(const std::string& file) {
  const auto steps = export_store(file, std::cout);
  if (!steps) return leave(steps.error());
  std::cerr << *steps << " steps\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Looks into a manager's store; changes nothing.", "aliquot db");
  app.require_subcommand(1);
  std::string file;
  bool json = false;
  CLI::App* check_verb = app.add_subcommand("check", "is it sound? every problem it has");
  CLI::App* export_verb = app.add_subcommand("export", "its snapshot and steps as JSON lines");
  check_verb->add_flag("--json", json, "the finding as JSON");
  for (CLI::App* verb : {check_verb, export_verb})
    verb->add_option("FILE", file, "the store, for example /var/lib/aliquot/aliquot.db")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : exit_code(ErrorKind::invalid_argument);
  }
  return check_verb->parsed() ? check(file, json) : export_lines(file);
}
