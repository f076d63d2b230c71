#include "tools/sim/workload/writers.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "monitor/profile_text.hpp"
#include "tools/sim/workload/batsim_profiles.hpp"
#include "tools/sim/workload/columns.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/placement_columns.hpp"

namespace aliquot {
namespace {

std::string evolution_text(const Workload& workload, const WorkloadJob& job) {
  const auto its = workload.profiles.find(job.id);
  return its == workload.profiles.end() ? "" : print_profile(job.submission.demand.tasks, its->second);
}

// The text of a job in a column: an extra column, or from its demand or its profile.
std::string word_of(const Workload& workload, const WorkloadJob& job, std::string_view column) {
  const std::string& word = workload.extra_columns.of(job.id, column);
  if (!word.empty()) return word;
  if (column == kEvolution) return evolution_text(workload, job);
  return placement_text(job.submission.demand, workload.device_models, column);
}

// The columns of kKnownColumns in which some job has a text, sorted by name.
std::vector<std::string_view> spoken_columns(const Workload& workload) {
  std::vector<std::string_view> columns;
  for (const std::string_view column : kKnownColumns) {
    const bool spoken =
        workload.extra_columns.columns().contains(column) ||
        (column == kEvolution && !workload.profiles.empty()) ||
        std::ranges::any_of(workload.jobs, [&](const WorkloadJob& job) {
          return !placement_text(job.submission.demand, workload.device_models, column).empty();
        });
    if (spoken) columns.push_back(column);
  }
  std::ranges::sort(columns);
  return columns;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The profiles that were written of: a name each, of one time and one exit code.
class Profiles {
 public:
  // The wanted name, unless it stands for something else.
  const std::string& name_for(const WorkloadJob& job, const std::string& wanted) {
    const Delay delay{job.runtime(), job.submission.exit_code};
    const std::string plain = plain_profile(delay.first, delay.second);
    if (!wanted.empty() && wanted != plain && !is_plain(wanted)) {
      const auto [entry, fresh] = delays_.emplace(wanted, delay);
      if (entry->second == delay) return entry->first;
    }
    return delays_.emplace(plain, delay).first->first;
  }
  [[nodiscard]] std::string json() const {
    std::string text;
    for (const auto& [name, delay] : delays_) {
      text += (text.empty() ? "\n  " : ",\n  ") + quoted(name) + R"(: {"type": "delay", "delay": )";
      text += to_text(delay.first);
      if (delay.second != 0) text += ", \"ret\": " + std::to_string(delay.second);
      text += '}';
    }
    return "{" + text + "\n}";
  }

 private:
  using Delay = std::pair<Duration, int>;
  // Could it be the name of another delay, which comes later?
  static bool is_plain(const std::string& name) {
    return name.find_first_not_of("0123456789.") == std::string::npos ||
           name.find("-ret") != std::string::npos;
  }
  std::map<std::string, Delay> delays_;
};

std::string extra_of(const Workload& workload, const WorkloadJob& job, bool profile_is_said) {
  std::string text;
  const auto put = [&text](const std::string& key, const std::string& value) {
    text += (text.empty() ? "" : ", ") + quoted(key) + ": " + value;
  };
  if (job.cpu_need.pico != kPico) put("cpu_need", to_text(job.cpu_need));
  if (job.memory.pico != kPico) put("memory", to_text(job.memory));
  if (job.submission.account != 0) put("account", quoted(workload.accounts[job.submission.account]));
  for (const auto& [column, words] : workload.extra_columns.columns()) {
    if (!is_known_column(column) || (profile_is_said && column == "profile")) continue;
    const std::string& word = workload.extra_columns.of(job.id, column);
    if (!word.empty()) put(column, quoted(word));
  }
  return text.empty() ? text : "{\"aliquot\": {" + text + "}}";
}

}  // namespace

std::string workload_csv(const Workload& workload, bool as_written) {
  const bool estimates = std::ranges::any_of(workload.jobs, [as_written](const WorkloadJob& job) {
    const auto& estimate = job.submission.demand.estimate;
    return estimate && (as_written || *estimate != job.runtime());
  });
  const bool accounts = std::ranges::any_of(
      workload.jobs, [](const WorkloadJob& job) { return job.submission.account != 0; });
  std::string text = "job,submit,tasks,cpu_need,memory,runtime";
  text.append(estimates ? ",estimate" : "").append(accounts ? ",account" : "");
  const std::vector<std::string_view> columns = spoken_columns(workload);
  for (const std::string_view column : columns) (text += ',') += column;
  text += '\n';
  for (const WorkloadJob& job : workload.jobs) {
    const Demand& demand = job.submission.demand;
    text += std::to_string(job.id.raw) + ',' + to_text(job.submitted - Instant{}) + ',';
    text += std::to_string(demand.tasks) + ',' + to_text(job.cpu_need) + ',' + to_text(job.memory) + ',';
    text += to_text(job.runtime());
    if (estimates) text += ',' + (demand.estimate ? to_text(*demand.estimate) : "");
    if (accounts) text += ',' + csv_field(workload.accounts[job.submission.account]);
    for (const std::string_view column : columns) text += ',' + csv_field(word_of(workload, job, column));
    text += '\n';
  }
  return text;
}

bool is_swf_number(const std::string& text) {
  const auto number = parse_count(text, kLargestJobId);
  return number && std::to_string(*number) == text;
}

std::string workload_swf(const Workload& workload, std::uint32_t nodes) {
  for (const WorkloadJob& job : workload.jobs) nodes = std::max(nodes, job.submission.demand.tasks);
  const std::string count = std::to_string(workload.jobs.size());
  std::string text = "; Version: 2.2\n; MaxJobs: " + count + "\n; MaxRecords: " + count +
                     "\n; MaxProcs: " + std::to_string(nodes) + "\n";
  for (const WorkloadJob& job : workload.jobs) {
    const TraceSubmission& said = job.submission;
    const std::string tasks = ' ' + std::to_string(said.demand.tasks);
    const std::string& user = workload.extra_columns.of(job.id, "user");
    text += std::to_string(job.id.raw) + ' ' + to_text(job.submitted - Instant{}) + " -1 ";
    text += to_text(job.runtime()) + tasks + " -1 -1" + tasks + ' ';
    text += said.demand.estimate ? to_text(*said.demand.estimate) : "-1";
    text += said.exit_code == 0 ? " -1 1 " : " -1 0 ";
    text += is_swf_number(user) ? user : "-1";
    text += " -1 -1 -1 -1 -1 -1\n";
  }
  return text;
}

std::uint64_t count_batsim_extras(const Workload& workload) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      workload.jobs, [&](const WorkloadJob& job) { return !extra_of(workload, job, true).empty(); }));
}

std::string workload_batsim(const Workload& workload, std::uint32_t nodes) {
  for (const WorkloadJob& job : workload.jobs) nodes = std::max(nodes, job.submission.demand.tasks);
  Profiles profiles;
  std::string text = "{\"nb_res\": " + std::to_string(nodes) + ",\n\"jobs\": [";
  bool first = true;
  for (const WorkloadJob& job : workload.jobs) {
    const Demand& demand = job.submission.demand;
    const std::string& name = workload.extra_columns.of(job.id, "id");
    const std::string& wanted = workload.extra_columns.of(job.id, "profile");
    const std::string& profile = profiles.name_for(job, wanted);
    text += (first ? "\n  " : ",\n  ") +
            ("{\"id\": " + quoted(name.empty() ? std::to_string(job.id.raw) : name));
    first = false;
    text += ", \"subtime\": " + to_text(job.submitted - Instant{});
    text += ", \"res\": " + std::to_string(demand.tasks) + ", \"profile\": " + quoted(profile);
    if (demand.estimate) text += ", \"walltime\": " + to_text(*demand.estimate);
    const std::string extra = extra_of(workload, job, wanted == profile);
    if (!extra.empty()) text += ", \"extra_data\": " + quoted(extra);
    text += '}';
  }
  return text + "\n],\n\"profiles\": " + profiles.json() + "}\n";
}

}  // namespace aliquot
