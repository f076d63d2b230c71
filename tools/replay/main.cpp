// aliquot-replay: was what a manager decided what its code decides?
#include <CLI/CLI.hpp>
#include <iostream>

#include "monitor/provenance.hpp"
#include "tools/replay/replay.hpp"

namespace {

using namespace aliquot;

std::string seconds_text(Instant instant) {
  const std::string micro = std::to_string(instant.raw % kMillion);
  const std::string whole = std::to_string(instant.raw / kMillion);
  return micro == "0" ? whole : whole + "." + std::string(6 - micro.size(), '0') + micro;
}

int tell(const ReplayResult& result) {
  if (!result.difference) {
    std::cout << "same decisions: steps " << result.first_step << " to " << result.last_step << ", "
              << result.decisions << " decisions\n";
    return 0;
  }
  const Difference& found = *result.difference;
  std::cout << "step " << found.step << ", at " << seconds_text(found.now)
            << " s: the first difference, in "
            << (found.part == "event" || found.part == "action" || found.part == "end" ? "an " : "the ")
            << found.part;
  if (found.job) std::cout << " of job " << found.job->raw;
  std::cout << "\n  expected  " << (found.expected.empty() ? "nothing more" : found.expected)
            << "\n  got       " << (found.got.empty() ? "nothing more" : found.got) << "\n";
  return 1;
}

int dispatch(int argc, char** argv) {
  CLI::App app("Decides every step of a manager's journal anew with the manager's own core.",
               "aliquot-replay");
  app.set_version_flag("--version", std::string("aliquot-replay ") + kVersion + " (" + kCommit + ")");
  std::string path;
  app.add_option("JOURNAL", path, "what `aliquot db export` wrote, or a journal from its first step on")
      ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto result = replay_journal(path);
  if (result) return tell(*result);
  std::cerr << "aliquot-replay: " << result.error().message << "\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) { return dispatch(argc, argv); }
