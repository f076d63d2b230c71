#include "tools/ctl/job_table.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"
#include "tools/ctl/job_filter.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

const json& at(const json& row, const char* key) {
  static const json nothing;
  const auto found = row.find(key);
  return found == row.end() ? nothing : *found;
}

std::string text(const json& row, const char* key) {
  const json& value = at(row, key);
  if (value.is_string())
    return value.get_ref<const std::string&>().empty() ? "-" : value.get<std::string>();
  return value.is_null() ? "-" : value.dump();
}

// "2 V100", "1 any", "250/1000 V100": what the job asks for on each of its nodes.
std::string devices_asked(const json& job) {
  const json& asks = at(job, "asks");
  if (at(asks, "gpus").is_null()) return "-";
  const json& parts = at(asks, "gpu_parts");
  const std::string count = parts.is_null() ? text(asks, "gpus") : parts.dump() + "/1000";
  const std::string model = text(asks, "gpu_model");
  return count + " " + (model == "-" ? "any" : model);
}

// "12m00s (3m00s-40m00s)": served time that is expected until its end, and the interval.
std::string expected_rest(const json& expected) {
  if (!expected.is_object()) return "-";
  const json& latest = at(expected, "latest_s");
  return short_seconds(at(expected, "rest_s")) + " (" + short_seconds(at(expected, "earliest_s")) + "-" +
         (latest.is_null() ? "" : short_seconds(latest)) + ")";
}

Cell state_cell(const json& row) {
  const std::string state = text(row, "state");
  const bool stands = at(row, "array").is_object() && !at(at(row, "array"), "standing").is_null();
  return {stands ? array_words(row) : state, state_tint(state)};
}

// "7[0-999%50]" for an array.
std::string job_cell(const json& job) {
  const json& array = at(job, "array");
  return text(job, "job") +
         (array.is_object()
              ? "[" + text(array, "indices") +
                    (at(array, "at_once").is_null() ? "]" : "%" + text(array, "at_once") + "]")
              : "");
}

}  // namespace

std::string array_words(const json& job) {
  const json& array = at(job, "array");
  std::string words = text(job, "state") == "array" ? "" : text(job, "state");
  const auto add = [&words](const std::string& what, const std::string& count) {
    words += (words.empty() ? "" : ", ") + what + " " + count;
  };
  for (const char* part : {"standing", "ended"})
    for (const auto& [state, count] : at(array, part).items()) add(state, count.dump());
  if (at(array, "to_come") != 0) add("to come", text(array, "to_come"));
  return words;
}

Tint state_tint(const std::string& state) {
  if (state == "running" || state == "completed" || state == "up") return Tint::good;
  if (state == "failed" || state == "timed_out" || state == "down" || state == "cancelled" ||
      state == "fenced" || state == "unreachable")
    return Tint::bad;
  if (state == "paused" || state == "pausing" || state == "resuming" || state == "migrating" ||
      state == "held" || state == "deferred" || state == "suspect" || state == "draining" ||
      state == "drained")
    return Tint::wait;
  return Tint::none;
}

namespace {

std::string user_of(const json& job) {
  const json& uid = at(job, "uid");
  return uid.is_number_unsigned() ? user_name(uid.get<uid_t>()) : "-";
}

bool have_several_users(const json& jobs) {
  return std::any_of(jobs.begin(), jobs.end(),
                     [&](const json& job) { return at(job, "uid") != at(jobs.front(), "uid"); });
}

}  // namespace

Table job_table(const json& jobs, bool wide) {
  using enum Align;
  const bool users = wide || have_several_users(jobs);
  Table table{{{"JOB", right},
               {"NAME"},
               {"STATE"},
               {"TASKS", right},
               {"CPUS", right},
               {"MEM", right},
               {"YIELD", right},
               {"AGE", right},
               {"SERVED", right},
               {"NODES"}},
              {}};
  if (users) table.columns.insert(table.columns.begin() + 2, {"USER"});
  const bool members =
      std::any_of(jobs.begin(), jobs.end(), [](const json& job) { return at(job, "member").is_object(); });
  if (members) table.columns.insert(table.columns.begin() + 1, {"INDEX", right});
  if (wide)
    for (const char* title :
         {"GPUS", "ACCOUNT", "WAIT", "REST", "STRETCH", "PAUSES", "MOVES", "EXIT", "NOTE"})
      table.columns.push_back({title});
  for (const json& job : jobs) {
    std::vector<Cell> row{
        job_cell(job),
        text(job, "name"),
        state_cell(job),
        text(job, "tasks"),
        short_number(at(job, "cpus")),
        short_bytes(at(job, "memory_bytes")),
        short_ratio(at(job, "yield")),
        short_seconds(at(job, "turnaround_s").is_null() ? at(job, "age_s") : at(job, "turnaround_s")),
        short_seconds(at(job, "virtual_s")),
        short_placement(at(job, "nodes"))};
    if (users) row.insert(row.begin() + 2, user_of(job));
    if (members) row.insert(row.begin() + 1, text(at(job, "member"), "index"));
    if (wide) {
      row.insert(row.end(), {devices_asked(job), text(job, "account"), short_seconds(at(job, "wait_s")),
                             expected_rest(at(job, "expected")), short_ratio(at(job, "bounded_stretch")),
                             text(job, "preemptions"), text(job, "migrations"), text(job, "exit_code"),
                             text(job, "note")});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table vm_table(const json& vms) {
  using enum Align;
  Table table{{{"TASK", right},
               {"STATE"},
               {"NODE"},
               {"CAP", right},
               {"MEM USED", right},
               {"DOING"},
               {"EXIT", right}},
              {}};
  for (const json& vm : vms)
    table.rows.push_back({text(vm, "task"), state_cell(vm), text(vm, "node"), short_ratio(at(vm, "cap")),
                          short_bytes(at(vm, "memory_used_bytes")), text(vm, "doing"),
                          text(vm, "exit_code")});
  return table;
}

std::string node_word(const json& node) {
  const std::string power = node.value("power", "on");
  return power == "on" ? text(node, "state") : power;
}

namespace {

// One word for what is known of a node and what is wanted of it.
Cell node_state_cell(const json& node) {
  std::string state = node_word(node);
  const std::string service = text(node, "service");
  const json& drain = at(node, "drain");
  std::string wanted = service == "in_service" || service == "-" ? "" : service;
  if (wanted == "draining" && drain.is_object() && drain.value("vms_left", 1) == 0) wanted = "drained";
  if (wanted.empty()) return {state, state_tint(state)};
  if (state == "up") return {wanted, state_tint(wanted)};
  return {state + "," + wanted, state_tint(state)};
}

// Why it does not answer, or sleeps.
std::string why_cell(const json& node) {
  const bool sleeps = node.value("power", "on") != "on";
  return text(node, sleeps ? "power_why" : "why");
}

// "1/2 V100": free of all.
std::string device_counts(const json& devices) {
  std::string out;
  for (const json& model : devices)
    out += (out.empty() ? "" : " ") + model["free"].dump() + "/" + model["count"].dump() + " " +
           model["model"].get<std::string>();
  return out.empty() ? "-" : out;
}

bool has_other_vms(const json& node) { return node.value("other_vms", 0) > 0; }

// "2: 0.5 CPUs, 96M": what VMs that belong to no job hold of the node.
std::string other_vms(const json& node) {
  if (!has_other_vms(node)) return "-";
  return text(node, "other_vms") + ": " + short_number(at(node, "other_cpus")) + " CPUs, " +
         short_bytes(at(node, "other_memory_bytes"));
}

}  // namespace

Table node_table(const json& nodes, bool wide) {
  using enum Align;
  Table table{{{"NODE"},
               {"STATE"},
               {"CPUS", right},
               {"NEEDED", right},
               {"GIVEN", right},
               {"MEM", right},
               {"USED", right},
               {"JOBS", right},
               {"TASKS", right}},
              {}};
  if (wide) table.columns.insert(table.columns.end(), {{"CORES", right}, {"SILENT", right}, {"WHY"}});
  const bool devices = std::any_of(nodes.begin(), nodes.end(),
                                   [](const json& node) { return !at(node, "devices").empty(); });
  if (devices) table.columns.push_back({"DEVICES FREE"});
  const bool kinds = std::any_of(nodes.begin(), nodes.end(),
                                 [](const json& node) { return node.value("hypervisor", "") == "xen"; });
  if (kinds) table.columns.push_back({"HYPERVISOR"});
  const bool sources = std::any_of(nodes.begin(), nodes.end(), [wide](const json& node) {
    return node.contains("source") && (wide || node["source"] != "configuration");
  });
  if (sources) table.columns.push_back({"SOURCE"});
  const bool others = std::any_of(nodes.begin(), nodes.end(), has_other_vms);
  if (others) table.columns.push_back({"OTHER VMS"});
  for (const json& node : nodes) {
    std::vector<Cell> row{text(node, "node"),
                          node_state_cell(node),
                          short_number(at(node, "cpus")),
                          short_number(at(node, "cpus_needed")),
                          short_number(at(node, "cpus_given")),
                          short_bytes(at(node, "memory_bytes")),
                          short_bytes(at(node, "memory_used_bytes")),
                          text(node, "jobs"),
                          text(node, "tasks")};
    if (wide)
      row.insert(row.end(), {text(node, "cores"), short_seconds(at(node, "silent_s")), why_cell(node)});
    if (devices) row.push_back(device_counts(at(node, "devices")));
    if (kinds) row.push_back(text(node, "hypervisor"));
    if (sources) row.push_back(text(node, "source"));
    if (others) row.push_back(other_vms(node));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace aliquot::ctl
