// predictions list|export|import|forget.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/file_text.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/table.hpp"
#include "tools/ctl/text_file.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string or_any(const std::string& text) { return text.empty() ? "-" : text; }

// The run times of a class from its shortest to its longest.
Table run_times_table(const json& classes) {
  using enum Align;
  Table table{{{"CLASS"},
               {"ACCOUNT"},
               {"UID", right},
               {"APPLICATION"},
               {"TASKS", right},
               {"ASKED", right},
               {"RUNS", right},
               {"SHORTEST", right},
               {"MEAN", right},
               {"LONGEST", right}},
              {}};
  for (const json& one : classes) {
    std::vector<double> runs = one["runs_s"].get<std::vector<double>>();
    double sum = 0;
    for (const double run : runs) sum += run;
    const auto [least, most] = std::ranges::minmax(runs);
    table.rows.push_back({one["class"].get<std::string>(), or_any(one["account"].get<std::string>()),
                          one["uid"].dump(), or_any(one["application"].get<std::string>()),
                          one["tasks"].dump(), short_seconds(one["requested_s"]),
                          std::to_string(runs.size()), short_seconds(least),
                          short_seconds(sum / static_cast<double>(runs.size())), short_seconds(most)});
  }
  return table;
}

std::vector<std::string> no_names() { return {}; }

}  // namespace

Run declare_predictions_list(CLI::App& app) {
  app.footer(
      "A class holds the last run times, in served time, of the jobs that have its traits in common. A "
      "trait that a class does not keep has its default.");
  return [](Session& session) -> Result<int> {
    const auto answer = session.ask(RunTimesList{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& classes = answer->body["classes"];
    if (classes.empty() && session.globals.form <= Form::wide)
      Session::say("nothing is known yet; a job teaches how long it ran when it completes");
    return session.show(
        answer->body, {[&](bool) { return to_text(run_times_table(classes), session.style()); }, no_names});
  };
}

Run declare_predictions_export(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  app.add_option("--to", *path, "the file to write (standard output)");
  return [path](Session& session) { return export_csv(session, RunTimesExport{}, *path); };
}

Run declare_predictions_import(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  app.add_option("FILE", *path, "as `aliquot predictions export` writes it")->required();
  app.footer("It takes the place of what is known.");
  return [path](Session& session) -> Result<int> {
    auto text = read_file_text(*path, kMostRunTimes);
    if (!text) return tl::unexpected<Error>(as_error({text.error()}));
    const auto answer = session.ask(RunTimesImport{std::move(*text)});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    const auto shown = [&body](bool) { return "took in " + body["classes"].dump() + " classes of jobs\n"; };
    return session.show(body, {shown, no_names});
  };
}

Run declare_predictions_forget(CLI::App& app) {
  auto request = std::make_shared<RunTimesForget>();
  app.add_option("UID", request->uid, "number of the user")->required();
  app.footer("What its runs have taught of the jobs of all users stays.");
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    const auto shown = [&](bool) {
      return "forgot " + body["forgotten"].dump() + " classes of jobs of user id " +
             std::to_string(request->uid) + "\n";
    };
    return session.show(body, {shown, no_names});
  };
}

}  // namespace aliquot::ctl
