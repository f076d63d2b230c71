#include "tools/sim/workload/batsim_writer.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/sim/workload/batsim_names.hpp"
#include "tools/sim/workload/columns.hpp"

namespace aliquot {
namespace {

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
  for (const auto& [column, words] : workload.words.columns()) {
    if (!is_known_column(column) || (profile_is_said && column == "profile")) continue;
    const std::string& word = workload.words.of(job.id, column);
    if (!word.empty()) put(column, quoted(word));
  }
  return text.empty() ? text : "{\"aliquot\": {" + text + "}}";
}

}  // namespace

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
    const std::string& name = workload.words.of(job.id, "id");
    const std::string& wanted = workload.words.of(job.id, "profile");
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
