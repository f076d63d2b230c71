#include "tools/ctl/cpu_text.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

// "34.21s": so that small jobs can be compared, too.
std::string exact_seconds(const json& seconds) {
  if (seconds.is_null()) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2fs", seconds.get<double>());
  return text;
}

std::string percent(const json& ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%", 100 * ratio.get<double>());
  return text;
}

std::string sums_text(const json& cpu) {
  return "cpu           " + exact_seconds(cpu["promised_s"]) + " promised, " +
         exact_seconds(cpu["granted_s"]) + " granted, " + exact_seconds(cpu["used_s"]) + " used; " +
         exact_seconds(cpu["stolen_s"]) + " stolen, " + exact_seconds(cpu["throttled_s"]) + " throttled\n";
}

// A manager of an earlier release does not tell.
std::string energy_text(const json& cpu) {
  return cpu.contains("energy_joules") ? "energy        " + short_energy(cpu["energy_joules"]) + "\n" : "";
}

std::string no_accuracy(const json& cpu) {
  return "cap accuracy  - (" + cpu["unknown"].value("accuracy", "not known") + ")\n";
}

std::string accuracy_text(const json& cpu) {
  if (cpu["accuracy"].is_null()) return no_accuracy(cpu);
  return "cap accuracy  " + percent(cpu["accuracy"]) + " of the cap used, in " +
         exact_seconds(cpu["busy"]["for_s"]) +
         " in which it would have taken more (stolen meanwhile: " + exact_seconds(cpu["busy"]["stolen_s"]) +
         ")\n";
}

// One line for each thing that is not known, but for the accuracy, which says so itself.
std::string unknown_text(const json& unknown, const json& sums = {}) {
  std::string out;
  for (const auto& field : unknown.items()) {
    if (field.key() == "accuracy") continue;
    const std::string what = field.key().substr(0, field.key().find('_'));
    out += what + std::string(what.size() < 14 ? 14 - what.size() : 1, ' ') +
           (sums.is_null() || sums[field.key()].is_null() ? "not known: " : "not of all: ") +
           field.value().get<std::string>() + "\n";
  }
  return out;
}

void add_amounts(const json& row, std::vector<Cell>& cells) {
  for (const char* key : {"granted_s", "used_s", "stolen_s", "throttled_s"})
    cells.push_back(exact_seconds(row[key]));
}

Table run_table(const json& cpu) {
  using enum Align;
  Table table{{{"TASK", right},
               {"RUN ON"},
               {"VM", right},
               {"GRANTED", right},
               {"USED", right},
               {"STOLEN", right},
               {"THROTTLED", right}},
              {}};
  for (const json& run : cpu["runs"]) {
    std::vector<Cell> cells{run["task"].dump(), run["node"].get<std::string>(), run["incarnation"].dump()};
    add_amounts(run, cells);
    table.rows.push_back(std::move(cells));
  }
  if (!cpu["earlier"].is_null()) {
    std::vector<Cell> cells{"-", cpu["earlier"]["runs"].dump() + " earlier", "-"};
    add_amounts(cpu["earlier"], cells);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

std::string cpu_text(const json& cpu, const TableStyle& style) {
  if (cpu.is_null()) return "cpu           not kept of this job\n";
  std::string out = sums_text(cpu) + energy_text(cpu);
  out += unknown_text(cpu["unknown"]) + accuracy_text(cpu);
  if (const json& advice = cpu.value("advice", json()); advice.is_string())
    out += "advice        " + advice.get<std::string>() + "\n";
  if (cpu["runs"].size() > 1 || !cpu["earlier"].is_null()) out += "\n" + to_text(run_table(cpu), style);
  return out;
}

std::string account_cpu_text(const json& cpu) {
  const json& busy = cpu["busy"];
  return sums_text(cpu) + energy_text(cpu) + unknown_text(cpu["unknown"], cpu) +
         (cpu["accuracy"].is_null()
              ? no_accuracy(cpu)
              : "cap accuracy  " + percent(cpu["accuracy"]) +
                    " of the cap used: " + exact_seconds(busy["used_s"]) + " of " +
                    exact_seconds(busy["granted_s"]) + " while its jobs would have taken more\n");
}

}  // namespace aliquot::ctl
