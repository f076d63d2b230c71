// ha status|step-down.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"
#include "tools/ctl/table.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string text_of(const json& row, const char* key) { return row[key].get<std::string>(); }

std::string leader_text(const json& status) {
  if (!status["fault"].is_null())
    return "it cannot be seen which manager leads: " + status["fault"].get<std::string>() + "\n";
  if (status["leader"].is_null()) return "no manager leads\n";
  return status["leader"].get<std::string>() + " leads, epoch " + status["epoch"].dump() + ", since " +
         status["since"].get<std::string>() + "\n";
}

// Managers of an earlier version do not say it.
std::string state_text(const json& manager) {
  const auto state = manager.find("state");
  return state != manager.end() && state->is_string() ? state->get<std::string>() : "-";
}

std::string status_text(const json& status, const TableStyle& style) {
  using enum Align;
  std::string out = leader_text(status);
  Table managers{{{"MANAGER"}, {"ROLE"}, {"STATE"}, {"BEHIND", right}, {"ADDRESS"}}, {}};
  for (const json& row : status["managers"])
    managers.rows.push_back({{text_of(row, "name")},
                             {text_of(row, "role")},
                             {state_text(row)},
                             {row["batches_behind"].dump()},
                             {text_of(row, "address")}});
  if (!managers.rows.empty()) out += "\n" + to_text(managers, style);
  Table etcd{{{"ETCD"}, {"VERSION"}, {"DATABASE", right}, {"STATE"}}, {}};
  for (const json& row : status["etcd"]) {
    const bool answers = !row["version"].is_null();
    const std::string part = row["leads"] == true ? "leads" : "follows";
    etcd.rows.push_back({{text_of(row, "endpoint")},
                         {answers ? text_of(row, "version") : "-"},
                         {answers ? short_bytes(row["db_bytes"]) : "-"},
                         {row["fault"].is_null() ? part : text_of(row, "fault")}});
  }
  return out + "\n" + to_text(etcd, style);
}

}  // namespace

Run declare_ha_status(CLI::App&) {
  return [](Session& session) -> Result<int> {
    const auto answer = session.ask(HaStatus{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    return session.show(answer->body,
                        {[&](bool) { return status_text(answer->body, session.style()); }, {}});
  };
}

Run declare_ha_step_down(CLI::App&) {
  return [](Session& session) -> Result<int> {
    const auto answer = session.ask(HaStepDown{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    return session.show(answer->body,
                        {[&](bool) {
                           return answer->body["name"].get<std::string>() +
                                  " steps down; `aliquot ha status` shows which one leads then\n";
                         },
                         {}});
  };
}

}  // namespace aliquot::ctl
