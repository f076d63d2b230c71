#include "tools/ctl/plan_text.hpp"

#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string signed_number(const json& number) {
  return (number.get<double>() > 0 ? "+" : "") + short_number(number);
}

std::string changes_text(const json& plan, const TableStyle& style) {
  using enum Align;
  Table table{{{"CHANGE"}, {"JOB", right}, {"NAME"}, {"FROM"}, {"TO"}, {"YIELD", right}, {"CPUS", right}},
              {}};
  for (const auto& [key, word] : std::vector<std::pair<const char*, const char*>>{{"pauses", "pause"},
                                                                                  {"moves", "move"},
                                                                                  {"starts", "start"},
                                                                                  {"resumes", "resume"},
                                                                                  {"yields", "yield"}})
    for (const json& change : plan[key])
      table.rows.push_back(
          {word, change["job"].dump(), change["name"].get<std::string>(), short_placement(change["from"]),
           short_placement(change["to"]),
           short_ratio(change["yield_before"]) + " -> " + short_ratio(change["yield_after"]),
           signed_number(change["gain_cpus"])});
  return table.rows.empty() ? "nothing would change\n" : to_text(table, style);
}

std::string arrow(const std::string& before, const std::string& after) {
  return before == after ? after : before + " -> " + after;
}

// "placed 3 -> 4, waiting 2 -> 1, CPUs given 2 -> 3, least yield 1.00 -> 0.50"
std::string figures_text(const json& plan) {
  const json& a = plan["before"];
  const json& b = plan["after"];
  std::string out = "jobs placed " + arrow(a["placed"].dump(), b["placed"].dump()) + ", not placed " +
                    arrow(a["waiting"].dump(), b["waiting"].dump()) + "; CPUs given " +
                    arrow(short_number(a["cpus_given"]), short_number(b["cpus_given"])) + "; yield " +
                    arrow(short_ratio(a["yield_min"]), short_ratio(b["yield_min"])) + " at least, " +
                    arrow(short_ratio(a["yield_mean"]), short_ratio(b["yield_mean"])) + " on average\n";
  if (!plan["cost"].is_null() && plan["cost"]["actions"] != 0)
    out += "cost: " + plan["cost"]["actions"].dump() + " actions" +
           (plan["cost"]["bytes"] == 0
                ? ""
                : ", " + short_bytes(plan["cost"]["bytes"]) + " of memory saved, restored or copied") +
           "\n";
  return out;
}

std::string actions_text(const json& plan, const TableStyle& style) {
  using enum Align;
  Table table{{{"ROUND", right},
               {"ACTION"},
               {"JOB", right},
               {"TASKS"},
               {"FROM"},
               {"TO"},
               {"YIELD", right},
               {"MEMORY", right},
               {"STANDS STILL", right}},
              {}};
  const auto node = [](const json& name) { return name.is_null() ? "-" : name.get<std::string>(); };
  for (const json& a : plan["actions"]) {
    const auto first = a["task"].get<std::int64_t>();
    const auto last = first + a["tasks"].get<std::int64_t>() - 1;
    table.rows.push_back(
        {a["round"].dump(), a["action"].get<std::string>(), a["job"].dump(),
         first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last),
         node(a["from"]), node(a["to"]), short_ratio(a["yield"]),
         a["bytes"] == 0 ? "-" : short_bytes(a["bytes"]),
         a["stall_s"] == 0.0 ? "-" : short_seconds(a["stall_s"])});
  }
  if (table.rows.empty()) return "";
  return "\nin this order; those of one round go on side by side:\n" + to_text(table, style) +
         (plan["more_actions"] == true ? "and more\n" : "");
}

// What becomes of the jobs of nodes that are supposed to be down or drained.
std::string rows_text(const json& rows, const char* heading, const TableStyle& style) {
  if (rows.empty()) return "";
  Table table{{{"JOB", Align::right}, {"NAME"}, {"WHAT"}, {"WHY"}}, {}};
  for (const json& row : rows)
    table.rows.push_back({row["job"].dump(), row["name"].get<std::string>(), row["what"].get<std::string>(),
                          row["text"].get<std::string>()});
  return heading + to_text(table, style) + "\n";
}

std::string suppositions_text(const json& plan, const TableStyle& style) {
  std::string words;
  for (const json& assumption : plan["what_if"])
    words += (words.empty() ? "what if " : ", ") + assumption.get<std::string>();
  return (words.empty() ? "" : words + ":\n\n") +
         rows_text(plan["lost"], "of the jobs on nodes that are down:\n", style) +
         rows_text(plan["drained"], "of the jobs on nodes that are drained:\n", style);
}

}  // namespace

std::string plan_text(const json& plan, const TableStyle& style, bool wide) {
  std::string out = suppositions_text(plan, style) + changes_text(plan, style) + figures_text(plan);
  if (!plan["next_decision_in_s"].is_null())
    out += "the period is over in " + short_seconds(plan["next_decision_in_s"]) + "\n";
  for (const json& waits : plan["waits"])
    out += "job " + waits["job"].dump() + " waits (" + waits["reason"].get<std::string>() +
           "): " + waits["text"].get<std::string>() + "\n";
  if (plan["more_waits"] != 0) out += "and " + plan["more_waits"].dump() + " more wait\n";
  for (const json& broken : plan["refused"])
    out += "refused by the checker (" + broken["law"].get<std::string>() +
           "): " + broken["text"].get<std::string>() + "\n";
  if (wide || plan["actions"].size() <= 20) out += actions_text(plan, style);
  return out;
}

}  // namespace aliquot::ctl
