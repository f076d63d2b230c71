// maintenance add|list|remove.
#include <CLI/CLI.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "monitor/codec_words.hpp"
#include "tools/ctl/begin_time.hpp"
#include "tools/ctl/table.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

struct WindowWords {
  std::string from;
  std::string to;
  std::string lead;
  std::string mode = "migrate";
  std::string then = "save";
};

std::string names_text(const json& names) {
  std::string text;
  for (const json& name : names) text += (text.empty() ? "" : ",") + name.get<std::string>();
  return text;
}

Result<void> read_words(const WindowWords& words, MaintenanceAdd& request) {
  const std::time_t now = std::time(nullptr);
  const auto from = parse_begin(words.from, now);
  if (!from) return fail(ErrorKind::invalid_argument, "--from: " + from.error().message);
  // "22:00" to "02:00": the end is the next such time after the start.
  const auto to = parse_begin(words.to, *from);
  if (!to) return fail(ErrorKind::invalid_argument, "--to: " + to.error().message);
  request.from_unix_us = std::int64_t{*from} * kMillion;
  request.to_unix_us = std::int64_t{*to} * kMillion;
  request.mode = from_word<DrainMode>(words.mode).value_or(DrainMode::migrate);
  request.then = from_word<AfterDeadline>(words.then).value_or(AfterDeadline::save);
  request.lead = kUsualLead;
  if (words.lead.empty()) return {};
  const auto lead = parse_duration(words.lead);
  if (!lead) return fail(ErrorKind::invalid_argument, "--lead: " + lead.error().message);
  request.lead = *lead;
  return {};
}

std::string added_text(const json& window) {
  return (window["dry_run"] == true ? "would be planned: " : "planned: ") +
         window["name"].get<std::string>() + " of " + names_text(window["nodes"]) + "\ndrained from  " +
         window["drained_from"].get<std::string>() + " (" + window["mode"].get<std::string>() +
         "; what is left at " + window["deadline"].get<std::string>() + ": " +
         window["then"].get<std::string>() + ")\nempty from    " + window["from"].get<std::string>() +
         "\nin service at " + window["to"].get<std::string>() + "\n";
}

std::string windows_text(const json& windows, const TableStyle& style) {
  if (windows.empty()) return "no maintenance is planned\n";
  Table table{
      {{"NAME"}, {"STAGE"}, {"DRAINED FROM"}, {"FROM"}, {"TO"}, {"MODE"}, {"VMS", Align::right}, {"NODES"}},
      {}};
  for (const json& window : windows)
    table.rows.push_back({window["name"].get<std::string>(), window["stage"].get<std::string>(),
                          window["drained_from"].get<std::string>(), window["from"].get<std::string>(),
                          window["to"].get<std::string>(), window["mode"].get<std::string>(),
                          window["vms_left"].dump(), names_text(window["nodes"])});
  return to_text(table, style);
}

}  // namespace

Run declare_maintenance_add(CLI::App& app) {
  auto request = std::make_shared<MaintenanceAdd>();
  auto words = std::make_shared<WindowWords>();
  app.add_option("NAME", request->name, "name of the maintenance window")->required();
  app.add_option("--nodes", request->nodes, "names of the nodes, with commas between them")
      ->required()
      ->delimiter(',');
  app.add_option("--from", words->from, "when the nodes are to be empty: now+2h, 22:00, 2026-12-01T22:00")
      ->required();
  app.add_option("--to", words->to, "when they are put back: likewise, or now+4h, from --from on")
      ->required();
  app.add_option("--mode", words->mode, "their jobs are: migrate (moved while they run), save, requeue")
      ->check(CLI::IsMember({"migrate", "save", "requeue"}))
      ->capture_default_str();
  app.add_option("--lead", words->lead,
                 "so long before, they are drained; after half of it, what is left is saved (20m)");
  app.add_option("--then", words->then,
                 "what is left after half of --lead is: save (saved), requeue (rerun)")
      ->check(CLI::IsMember({"save", "requeue"}))
      ->capture_default_str();
  app.add_flag("--dry-run", request->dry_run, "say what would be planned, change nothing");
  return [request, words](Session& session) -> Result<int> {
    if (auto read = read_words(*words, *request); !read) return tl::unexpected<Error>(read.error());
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    return session.show(answer->body, {[&](bool) { return added_text(answer->body); },
                                       [&request] { return std::vector{request->name}; }});
  };
}

Run declare_maintenance_list(CLI::App&) {
  return [](Session& session) -> Result<int> {
    const auto answer = session.ask(MaintenanceList{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& windows = answer->body["windows"];
    const auto names = [&windows] {
      std::vector<std::string> all;
      for (const json& window : windows) all.push_back(window["name"]);
      return all;
    };
    return session.show(answer->body,
                        {[&](bool) { return windows_text(windows, session.style()); }, names});
  };
}

Run declare_maintenance_remove(CLI::App& app) {
  auto request = std::make_shared<MaintenanceRemove>();
  app.add_option("NAME", request->name, "name of the maintenance window")->required();
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const std::string back = names_text(answer->body["nodes"]);
    const std::string text = "maintenance window " + request->name + " is removed" +
                             (back.empty() ? "" : "; back in service: " + back) + "\n";
    return session.show(answer->body,
                        {[&](bool) { return text; }, [&request] { return std::vector{request->name}; }});
  };
}

}  // namespace aliquot::ctl
