#include "tools/ctl/top_frame.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"
#include "tools/ctl/job_table.hpp"
#include "tools/ctl/table.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return text;
}

std::string word(const json& value) {
  return value.is_null() ? "-" : printable(value.is_string() ? value.get<std::string>() : value.dump());
}

std::string fit(std::string text, std::size_t wide, Align align = Align::left) {
  if (text.size() > wide) return text.substr(0, wide - std::min<std::size_t>(wide, 1)) + "~";
  const std::string gap(wide - text.size(), ' ');
  return align == Align::left ? text + gap : gap + text;
}

void cut(StyledLine& line, std::size_t width) {
  std::size_t used = 0;
  for (Span& span : line) {
    if (used + span.text.size() > width) span.text.resize(width - std::min(width, used));
    used += span.text.size();
  }
}

Ink ink_of(const std::string& state) {
  switch (state_tint(state)) {
    case Tint::good:
      return Ink::good;
    case Tint::wait:
      return Ink::wait;
    case Tint::bad:
      return Ink::bad;
    case Tint::none:
      break;
  }
  return Ink::plain;
}

Ink share_ink(const std::string& job) {
  std::size_t number = 0;
  for (const char c : job) number = number * 10 + static_cast<std::size_t>(c - '0');
  return static_cast<Ink>(static_cast<int>(Ink::share0) + static_cast<int>(number % kShareInks));
}

std::string counts(const json& named) {
  std::string out;
  for (const auto& field : named.items())
    if (field.value() != 0) out += (out.empty() ? "" : ", ") + field.value().dump() + " " + field.key();
  return out.empty() ? "none" : out;
}

// The fraction of each node that each job has.
std::map<std::string, std::vector<Fraction>> fractions(const json& nodes, const json& jobs) {
  std::map<std::string, double> capacity;
  for (const json& node : nodes) capacity[word(node["node"])] = node["cpus"].get<double>();
  std::map<std::string, std::vector<Fraction>> all;
  for (const json& job : jobs) {
    if (job["yield"].is_null()) continue;
    for (const json& share : job["nodes"]) {
      const std::string node = word(share["node"]);
      if (capacity[node] <= 0) continue;
      const double given =
          job["cpus"].get<double>() * job["yield"].get<double>() * share["tasks"].get<double>();
      all[node].push_back({job["job"].dump(), given / capacity[node]});
    }
  }
  return all;
}

// What all nodes draw, and how that is known.
std::string power_text(const json& nodes) {
  double watts = 0, measured = 0;
  for (const json& node : nodes) {
    watts += node.value("watts", 0.0);
    if (node.value("watts_by", "table") == "measured") measured += node.value("watts", 0.0);
  }
  if (watts <= 0) return "";
  const char* const by = measured == 0 ? "by the table" : measured < watts ? "partly measured" : "measured";
  return "   power " + short_number(std::round(watts)) + " W " + by;
}

std::vector<StyledLine> head_lines(const TopPicture& p) {
  const json& s = p.status;
  std::string deciding = word(s["policy"]);
  if (s["mode"] != "auto") deciding += " (mode " + word(s["mode"]) + ")";
  if (!s["next_decision_in_s"].is_null())
    deciding += ", decides in " + short_seconds(s["next_decision_in_s"]);
  std::string yields;
  if (!s["yield_min"].is_null())
    yields =
        "   yield " + short_ratio(s["yield_min"]) + " least, " + short_ratio(s["yield_mean"]) + " mean";
  const std::string power = power_text(p.nodes);
  return {{{"aliquot " + word(s["cluster"]), Ink::title},
           {"   " + deciding},
           {"   up " + short_seconds(s["up_s"])}},
          {{"nodes " + counts(s["nodes"]) + "   jobs " + counts(s["jobs"]) + yields + power}}};
}

std::vector<StyledLine> node_lines(const TopPicture& p, std::size_t width) {
  const auto given = fractions(p.nodes, p.jobs);
  constexpr std::size_t kName = 10;
  constexpr std::size_t kFigures = 30;
  const std::size_t bar = std::clamp<std::size_t>(width, kName + kFigures + 12, 132) - kName - kFigures - 2;
  std::vector<StyledLine> lines;
  lines.push_back(
      {{fit("NODE", kName) + " " + fit("CPU, BY JOB", bar) + " " + fit("GIVEN/HAS", 11, Align::right) +
            fit("MEMORY", 12, Align::right) + fit("JOBS", 6, Align::right),
        Ink::dim}});
  for (const json& node : p.nodes) {
    const std::string name = word(node["node"]);
    const std::string state = node_word(node);
    StyledLine line{{fit(name, kName), ink_of(state)}, {" "}};
    if (state == "up") {
      const auto found = given.find(name);
      for (Span& span : fraction_bar(found == given.end() ? std::vector<Fraction>{} : found->second, bar))
        line.push_back(std::move(span));
    } else {
      line.push_back({fit(state, bar), ink_of(state)});
    }
    const auto cores = [](const json& number) {
      return short_number(std::round(number.get<double>() * 100) / 100);
    };
    line.push_back({" " + fit(cores(node["cpus_given"]) + "/" + cores(node["cpus"]), 11, Align::right) +
                    fit(short_bytes(node["memory_used_bytes"]) + "/" + short_bytes(node["memory_bytes"]),
                        12, Align::right) +
                    fit(node["jobs"].dump(), 6, Align::right)});
    lines.push_back(std::move(line));
  }
  return lines;
}

constexpr std::size_t kYieldBar = 8;

std::string yield_bar(const json& yield) {
  if (yield.is_null()) return std::string(kYieldBar, ' ');
  constexpr long kLong = static_cast<long>(kYieldBar);
  const auto full = static_cast<std::size_t>(
      std::clamp(std::lround(yield.get<double>() * static_cast<double>(kYieldBar)), 0L, kLong));
  return std::string(full, '#') + std::string(kYieldBar - full, '.');
}

// A job's line, or with words for figures the title.
struct JobColumns {
  std::string job, name, state, tasks, bar, yield, stretch, served, age, nodes;

  [[nodiscard]] StyledLine line(Ink number, Ink standing, Ink given, Ink rest = Ink::plain) const {
    return {{fit(job, 5, Align::right), number},
            {" " + fit(name, 12) + " ", rest},
            {fit(state, 9), standing},
            {fit(tasks, 5, Align::right) + " ", rest},
            {fit(bar, kYieldBar), given},
            {" " + fit(yield, 4) + fit(stretch, 8, Align::right) + fit(served, 7, Align::right) +
                 fit(age, 7, Align::right) + " " + nodes,
             rest}};
  }
};

std::vector<StyledLine> job_lines(const TopPicture& p, std::size_t first) {
  std::vector<StyledLine> lines;
  const JobColumns titles{"JOB", "NAME", "STATE", "TASK", "YIELD", "", "STRETCH", "SERVED", "AGE", "NODES"};
  lines.push_back(titles.line(Ink::dim, Ink::dim, Ink::dim, Ink::dim));
  for (std::size_t i = first; i < p.jobs.size(); ++i) {
    const json& job = p.jobs[i];
    const std::string number = job["job"].dump();
    const std::string name = word(job["name"]);
    const bool placed = !job["yield"].is_null();
    const JobColumns row{number,
                         name.empty() ? "-" : name,
                         word(job["state"]),
                         job["tasks"].dump(),
                         yield_bar(job["yield"]),
                         short_ratio(job["yield"]),
                         short_ratio(job["bounded_stretch"]),
                         short_seconds(job["virtual_s"]),
                         short_seconds(job["age_s"]),
                         short_placement(job["nodes"])};
    lines.push_back(row.line(placed ? share_ink(number) : Ink::plain, ink_of(row.state),
                             placed && job["yield"] == 1.0 ? Ink::good : Ink::wait));
  }
  if (lines.size() == 1) lines.push_back({{first == 0 ? "no jobs now" : "no more jobs", Ink::dim}});
  return lines;
}

std::vector<StyledLine> decision_lines(const TopPicture& p) {
  std::vector<StyledLine> lines;
  for (const json& row : p.decisions) {
    const std::string at = word(row["at"]);
    std::string clock = at.size() > 19 ? at.substr(11, 8) : at;
    lines.push_back({{clock + " ", Ink::dim},
                     {row["job"].is_null() ? "" : "job " + row["job"].dump() + " ", Ink::title},
                     {word(row["event"]["words"])}});
  }
  if (lines.empty()) lines.push_back({{"nothing has been decided yet", Ink::dim}});
  return lines;
}

// The first `rows`; the last of them says how many more there are.
void keep(std::vector<StyledLine>& lines, std::size_t rows, const std::string& what) {
  if (lines.size() <= rows) return;
  const std::size_t hidden = lines.size() - rows + 1;
  lines.resize(rows);
  if (rows > 0) lines.back() = {{"  and " + std::to_string(hidden) + " more " + what, Ink::dim}};
}

}  // namespace

StyledLine fraction_bar(const std::vector<Fraction>& fractions, std::size_t width) {
  StyledLine bar;
  double sum = 0;
  std::size_t used = 0;
  for (const Fraction& part : fractions) {
    // Ends are rounded, not lengths: the whole is never longer than its parts together.
    sum += part.of_node;
    const auto end = static_cast<std::size_t>(
        std::clamp(std::llround(sum * static_cast<double>(width)), 0LL, static_cast<long long>(width)));
    if (end <= used) continue;
    const std::size_t length = end - used;
    std::string text = part.job.size() <= length ? part.job : "";
    text.resize(length, '=');
    bar.push_back({std::move(text), share_ink(part.job)});
    used = end;
  }
  if (used < width) bar.push_back({std::string(width - used, '.'), Ink::dim});
  return bar;
}

std::vector<StyledLine> top_frame(const TopPicture& picture, const TopView& view) {
  std::vector<StyledLine> frame = head_lines(picture);
  auto nodes = node_lines(picture, view.width);
  auto jobs = job_lines(picture, view.first_job);
  auto decisions = decision_lines(picture);
  if (view.height > 0) {
    // Heads, two empty lines and the title of the decisions; then a third each, and what is left over.
    const std::size_t left = view.height > 8 ? view.height - 5 : 3;
    const std::size_t least = std::min(decisions.size(), std::max<std::size_t>(left / 4, 1));
    keep(nodes, std::max<std::size_t>(left / 3, 2), "nodes");
    keep(jobs, std::max<std::size_t>(left - std::min(left, nodes.size() + least), 2), "jobs: arrow keys");
    const std::size_t rest = left - std::min(left, nodes.size() + jobs.size());
    if (decisions.size() > rest)
      decisions.erase(decisions.begin(), decisions.end() - static_cast<std::ptrdiff_t>(rest));
  }
  const auto append = [&frame](std::vector<StyledLine>& lines) {
    for (StyledLine& line : lines) frame.push_back(std::move(line));
  };
  append(nodes);
  frame.push_back({{""}});
  append(jobs);
  frame.push_back({{""}});
  frame.push_back({{"DECISIONS", Ink::dim}});
  append(decisions);
  for (StyledLine& line : frame) cut(line, view.width);
  return frame;
}

std::string plain(const std::vector<StyledLine>& frame) {
  std::string out;
  for (const StyledLine& line : frame) {
    std::string text;
    for (const Span& span : line) text += span.text;
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

}  // namespace aliquot::ctl
