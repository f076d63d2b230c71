#include "manager/api/answers/cpu_answers.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "manager/api/answers/use_advice.hpp"

namespace aliquot {

using nlohmann::json;

using namespace wire;

namespace {

// The names of the nodes with runs for which `is` holds.
template <class Is>
std::string nodes_that(const ClusterView& view, const JobUse& use, Is is) {
  std::set<std::string> names;
  for (const RunUse& run : use.runs)
    if (is(run.used)) names.insert(node_name(view, run.node));
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "node " : ", ") + name;
  return all.empty() ? "a node that it ran on earlier" : all;
}

json unknown_json(const ClusterView& view, const JobUse& use, const std::optional<Usage>& used) {
  json why = json::object();
  if (!used) {
    for (const char* key : {"used_s", "stolen_s", "throttled_s"})
      why[key] = "no counter of its VMs has been read yet";
  } else {
    if (!used->throttled)
      why["throttled_s"] = nodes_that(view, use, [](const Usage& u) { return !u.throttled; }) +
                           " does not tell: control groups can be read only on the manager's own machine";
    if (!used->waited)
      why["stolen_s"] = nodes_that(view, use, [](const Usage& u) { return !u.waited; }) +
                        " does not tell how long a virtual CPU was ready without running";
    else if (!used->stolen())
      why["stolen_s"] = "it cannot be told from the time that the caps held its virtual CPUs back";
  }
  if (use.busy.granted.raw == 0)
    why["accuracy"] = "its virtual CPUs were never busy all the time between two readings";
  return why;
}

void add_usage(const std::optional<Usage>& used, json& row) {
  row["used_s"] = used ? json(to_seconds(used->cpu)) : json();
  row["stolen_s"] = used ? seconds_or_null(used->stolen()) : json();
  row["throttled_s"] = used ? seconds_or_null(used->throttled) : json();
}

json run_json(const ClusterView& view, const RunUse& run, const AnswerClock& clock) {
  json row{{"task", run.task},
           {"incarnation", run.incarnation},
           {"node", node_name(view, run.node)},
           {"read_at", iso_time(run.read, clock)},
           {"granted_s", to_seconds(run.granted)}};
  add_usage(run.used, row);
  return row;
}

}  // namespace

json cpu_json(const ClusterView& view, const Submission& job, const std::optional<JobUse>& cpu,
              const AnswerClock& clock) {
  if (!cpu) return nullptr;
  const auto used = cpu->used();
  json answer{{"promised_s", to_seconds(cpu->promised)},
              {"granted_s", to_seconds(cpu->granted)},
              {"energy_joules", joules(cpu->energy)}};
  add_usage(used, answer);
  const BusyUse& busy = cpu->busy;
  answer["accuracy"] = busy.granted.raw > 0
                           ? json(ratio({multiply_divide(busy.used.raw, kMillion, busy.granted.raw)}))
                           : json();
  answer["busy"] = {{"for_s", to_seconds(busy.span)},
                    {"granted_s", to_seconds(busy.granted)},
                    {"used_s", to_seconds(busy.used)},
                    {"stolen_s", seconds_or_null(busy.stolen)}};
  answer["unknown"] = unknown_json(view, *cpu, used);
  const auto advice = cpu_advice(job, *cpu);
  answer["advice"] = advice ? json(*advice) : json();
  std::optional<Instant> read;
  answer["runs"] = json::array();
  for (const RunUse& run : cpu->runs) {
    answer["runs"].push_back(run_json(view, run, clock));
    read = std::max(read.value_or(run.read), run.read);
  }
  answer["read_at"] = iso_or_null(read, clock);
  answer["earlier"] = nullptr;
  if (cpu->earlier > 0) {
    json row{{"runs", cpu->earlier}, {"granted_s", to_seconds(cpu->earlier_granted)}};
    add_usage(cpu->earlier_used, row);
    answer["earlier"] = std::move(row);
  }
  return answer;
}

}  // namespace aliquot
