// audit verify|show: read the files themselves, on the manager's machine.
#include <CLI/CLI.hpp>
#include <deque>
#include <nlohmann/json.hpp>

#include "monitor/audit/audit_chain.hpp"
#include "tools/ctl/table.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

constexpr const char* kDirectory = "/var/lib/aliquot/audit";

struct Asked {
  std::string directory = kDirectory;
  std::string head;
  std::size_t last = 50;
};

Result<int> verify(Session& session, const Asked& asked) {
  const auto known = audit::parse_head(asked.head);
  if (!asked.head.empty() && !known)
    return fail(ErrorKind::invalid_argument,
                "--head is NUMBER:HASH, as the manager's log has it after audit_head");
  const auto found = audit::verify(asked.directory, known);
  if (!found) return tl::unexpected<Error>(found.error());
  const json answer{{"whole", true},
                    {"first", found->first},
                    {"last", found->head.line},
                    {"head", audit::to_text(found->head)}};
  const std::string text = "lines " + std::to_string(found->first) + " to " +
                           std::to_string(found->head.line) + " follow from one another" +
                           (known ? ", and the known one is among them" : "") + "\nthe newest is " +
                           audit::to_text(found->head) + "\n";
  return session.show(answer, {[&](bool) { return text; }, [&] { return std::vector{asked.directory}; }});
}

std::string asker_of(const json& record) {
  const auto text = [&record](const char* key) { return record.value(key, std::string()); };
  if (!text("key").empty()) return text("key") + " from " + text("address");
  if (!text("address").empty()) return "no key, at " + text("address");
  return "process " + record.value("pid", json(0)).dump();
}

Table record_table(const json& records) {
  Table table{
      {{"LINE", Align::right}, {"AT"}, {"UID", Align::right}, {"FROM"}, {"METHOD"}, {"WHAT"}, {"CODE"}},
      {}};
  for (const json& record : records)
    table.rows.push_back({record["line"].dump(), record["at"].get<std::string>(), record["uid"].dump(),
                          asker_of(record), record["method"].get<std::string>(),
                          record.value("object", record.value("why", std::string())),
                          record["code"].get<std::string>()});
  return table;
}

Result<int> show(Session& session, const Asked& asked) {
  std::deque<json> newest;
  const auto keep = [&](const std::string& line) {
    newest.push_back(json::parse(line, nullptr, false));
    if (newest.size() > asked.last) newest.pop_front();
  };
  const auto found = audit::verify(asked.directory, {}, keep);
  if (!found) return tl::unexpected<Error>(found.error());
  const json records(newest);
  return session.show({{"records", records}},
                      {[&](bool) { return to_text(record_table(records), session.style()); },
                       [&] { return std::vector{asked.directory}; }});
}

}  // namespace

Run declare_audit_verify(CLI::App& app) {
  auto asked = std::make_shared<Asked>();
  app.add_option("DIRECTORY", asked->directory, "the audit log")->capture_default_str();
  app.add_option("--head", asked->head,
                 "a line that must be there, NUMBER:HASH: also a cut end is found then");
  return [asked](Session& session) { return verify(session, *asked); };
}

Run declare_audit_show(CLI::App& app) {
  auto asked = std::make_shared<Asked>();
  app.add_option("DIRECTORY", asked->directory, "the audit log")->capture_default_str();
  app.add_option("--last", asked->last, "so many of the newest lines")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  return [asked](Session& session) { return show(session, *asked); };
}

}  // namespace aliquot::ctl
