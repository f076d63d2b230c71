// node list|show|probe|orphans|add|remove|rename|accept-host, status.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/field_table.hpp"
#include "config/node_words.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/job_table.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

// "name  value" for each field of a flat answer, structures as JSON.
std::string fields_text(const json& answer) {
  std::string out;
  for (const auto& field : answer.items()) {
    const std::string& name = field.key();
    out += name + std::string(name.size() < 20 ? 20 - name.size() : 1, ' ') +
           (field.value().is_string() ? field.value().get<std::string>() : field.value().dump()) + "\n";
  }
  return out;
}

std::string counts(const json& named) {
  std::string out;
  for (const auto& field : named.items())
    if (field.value() != 0) out += (out.empty() ? "" : ", ") + field.value().dump() + " " + field.key();
  return out.empty() ? "none" : out;
}

std::string status_text(const json& s) {
  std::string out = "aliquotd " + s["version"].get<std::string>() + ", cluster " +
                    s["cluster"].get<std::string>() + ", up for " + short_seconds(s["up_s"]) + "\n";
  out += "mode    " + s["mode"].get<std::string>() + "\n";
  out += "policy  " + s["policy"].get<std::string>();
  if (!s["period_s"].is_null()) out += ", every " + short_seconds(s["period_s"]);
  if (!s["next_decision_in_s"].is_null()) out += ", next in " + short_seconds(s["next_decision_in_s"]);
  out += "\nnodes   " + counts(s["nodes"]) + "\njobs    " + counts(s["jobs"]) + "\n";
  if (!s["yield_min"].is_null())
    out += "yields  " + short_ratio(s["yield_min"]) + " at least, " + short_ratio(s["yield_mean"]) +
           " on average\n";
  if (const json motd = s.value("motd", json()); motd.is_string())
    out += "motd    " + motd.get<std::string>() + "\n";
  return out;
}

// `patience`: waits at least so long for the answer.
template <class R>
Run of_a_node(CLI::App& app, std::string (*text)(const json&, const TableStyle&), Duration patience = {}) {
  auto request = std::make_shared<R>();
  app.add_option("NODE", request->node, "name of the node")->required();
  return [request, text, patience](Session& session) -> Result<int> {
    const auto answer = session.ask_patiently(*request, patience);
    if (!answer) return tl::unexpected<Error>(answer.error());
    return session.show(answer->body, {[&](bool) { return text(answer->body, session.style()); },
                                       [&request] { return std::vector{request->node}; }});
  };
}

std::string text_or(const json& text, const char* none) {
  return text.is_null() ? std::string(none) : text.get<std::string>();
}

// A line for each slot: its model, its free part, the jobs that hold it.
std::string slots_text(const json& slots, const TableStyle& style) {
  using enum Align;
  if (slots.empty()) return "";
  Table table{{{"SLOT", right}, {"MODEL"}, {"FREE", right}, {"JOBS"}, {"PLACE"}}, {}};
  for (const json& slot : slots) {
    std::string jobs;
    for (const json& job : slot["jobs"]) jobs += (jobs.empty() ? "" : " ") + job.dump();
    table.rows.push_back({slot["slot"].dump(), slot["model"].get<std::string>(),
                          slot["parts_free"].dump() + "/" + slot["parts"].dump(), jobs.empty() ? "-" : jobs,
                          text_or(slot["place"], "stand-in")});
  }
  return "\n" + to_text(table, style);
}

// A line for each NUMA cell: what it has, and what is bound to it.
std::string cells_text(const json& cells, const TableStyle& style) {
  using enum Align;
  if (cells.empty()) return "";
  Table table{
      {{"CELL", right}, {"CPUS"}, {"MEM", right}, {"VMS", right}, {"VCPUS", right}, {"VM MEM", right}}, {}};
  for (const json& cell : cells)
    table.rows.push_back({cell["cell"].dump(), cell["cpus"].get<std::string>(),
                          short_bytes(cell["memory_bytes"]), cell["vms"].dump(), cell["vcpus"].dump(),
                          short_bytes(cell["vm_memory_bytes"])});
  return "\n" + to_text(table, style);
}

// A line for each device that was found: what jobs have it as, or why they do not.
std::string probe_text(const json& found, const TableStyle& style) {
  json facts = found;
  const json devices = facts.value("devices", json::array());
  const json cells = facts.value("cells", json::array());
  facts.erase("devices");
  facts.erase("cells");
  for (const char* often_null : {"note", "devices_unknown"})
    if (facts.contains(often_null) && facts[often_null].is_null()) facts.erase(often_null);
  std::string out = fields_text(facts) + cells_text(cells, style);
  if (devices.empty()) return out;
  Table table{{{"DEVICE"}, {"SORT"}, {"MODEL"}, {"NUMA", Align::right}, {"WHAT"}, {"WHY NOT"}}, {}};
  for (const json& device : devices) {
    std::string what = text_or(device["label"], "-");
    for (const json& type : device["mdev_types"])
      what += ", " + type["available"].dump() + " x " + type["type"].get<std::string>();
    table.rows.push_back({text_or(device["place"], "-"), text_or(device["sort"], "-"),
                          text_or(device["model"], "-"),
                          device["numa_node"].is_null() ? "-" : device["numa_node"].dump(), what,
                          text_or(device["why_not"], "")});
  }
  return out + "\n" + to_text(table, style);
}

// Of a node that is to be drained later.
std::string announced_text(const json& announced) {
  if (!announced.is_object()) return "";
  std::string out = "\nto be drained (" + announced["mode"].get<std::string>() + ") from " +
                    announced["at"].get<std::string>() + " on, by " + announced["by"].get<std::string>() +
                    "\n";
  if (!announced["deadline"].is_null())
    out += "deadline " + announced["deadline"].get<std::string>() +
           ", then: " + announced["then"].get<std::string>() + "\n";
  return out;
}

// Of a node with a maintenance window ahead.
std::string next_window_text(const json& node) {
  if (!node.contains("next_window")) return "";
  const json& window = node["next_window"];
  return "\nto be empty from " + window["from"].get<std::string>() + " to " +
         window["to"].get<std::string>() + " for maintenance window " + window["name"].get<std::string>() +
         ", drained from " + window["drained_from"].get<std::string>() +
         " on; what can be neither saved nor moved starts on it only if its limits say that it has ended "
         "by "
         "then\n";
}

std::string window_text(const json& drain) {
  const json window = drain.value("window", json());
  return window.is_null() ? "" : " for maintenance window " + window.get<std::string>();
}

// Of a node that is drained: how far that is, and what becomes of each job.
std::string drain_text(const json& drain, const TableStyle& style) {
  if (!drain.is_object()) return "";
  std::string out =
      "\ndrained (" + drain["mode"].get<std::string>() + ") by " + drain["by"].get<std::string>() +
      window_text(drain) + " since " + drain["since"].get<std::string>() + ": " +
      (drain["vms_left"] == 0 ? "it is empty" : drain["vms_left"].dump() + " VMs are left") + "\n";
  if (!drain["deadline"].is_null())
    out += "deadline " + drain["deadline"].get<std::string>() +
           ", then: " + drain["then"].get<std::string>() + "\n";
  const json jobs = drain.value("jobs", json::array());
  if (jobs.empty()) return out;
  Table table{{{"JOB", Align::right}, {"NAME"}, {"WHAT"}, {"WHY"}}, {}};
  for (const json& job : jobs)
    table.rows.push_back({job["job"].dump(), job["name"].get<std::string>(), job["what"].get<std::string>(),
                          job["text"].get<std::string>()});
  return out + to_text(table, style);
}

std::string node_text(const json& node, const TableStyle& style) {
  using enum Align;
  std::string out = to_text(node_table(json::array({node}), true), style) +
                    slots_text(node["slots"], style) + drain_text(node["drain"], style) +
                    announced_text(node.value("announced", json())) + next_window_text(node);
  if (node["placed"].empty()) return out + "\nno jobs stand on it\n";
  Table jobs{
      {{"JOB", right}, {"NAME"}, {"TASKS", right}, {"CPUS", right}, {"YIELD", right}, {"MEM", right}}, {}};
  for (const json& job : node["placed"])
    jobs.rows.push_back({job["job"].dump(), job["name"].get<std::string>(), job["tasks"].dump(),
                         short_number(job["cpus"]), short_ratio(job["yield"]),
                         short_bytes(job["memory_bytes"])});
  return out + "\n" + to_text(jobs, style);
}

// The options of `node add` that set nothing but a value: one for each setting of a node.
void add_settings(CLI::App& app, NodeWords& words) {
  words.reserve(node_fields().size());
  for (const auto& field : node_fields()) {
    if (field.key == "name") continue;
    std::string option = "--" + field.key;
    std::ranges::replace(option, '_', '-');
    auto& values = words.emplace_back(field.key, std::vector<std::string>{}).second;
    auto* added = app.add_option(option, values, field.help)->required(field.required);
    if (!field.list) added->expected(1);
  }
}

std::string change_text(const json& answer) {
  std::string out = "node " + answer["node"].get<std::string>() + ": " +
                    (answer["dry_run"] ? "would be " : "") + answer["done"].get<std::string>();
  std::string jobs;
  for (const json& job : answer["jobs"]) jobs += " " + job.dump();
  if (!jobs.empty()) out += "; VMs of these jobs are on it:" + jobs;
  return out + "\n";
}

template <class R>
Run change_of_node(CLI::App& app, std::shared_ptr<R> request) {
  app.add_flag("--dry-run", request->dry_run, "only say what would be done, and whether it is allowed");
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    return session.show(body, {[&](bool) { return change_text(body); },
                               [&] { return std::vector{body["node"].get<std::string>()}; }});
  };
}

template <class R>
std::shared_ptr<R> about_node(CLI::App& app) {
  auto request = std::make_shared<R>();
  app.add_option("NODE", request->node, "name of the node")->required();
  return request;
}

}  // namespace

Run declare_node_add(CLI::App& app) {
  struct Words {
    std::string name;
    NodeWords settings;
    bool dry_run = false;
  };
  auto words = std::make_shared<Words>();
  app.add_option("NAME", words->name, "name of the new node")->required();
  add_settings(app, words->settings);
  auto request = std::make_shared<NodeAdd>();
  const Run ask = change_of_node(app, request);
  return [words, request, ask](Session& session) -> Result<int> {
    NodeWords set{{"name", {words->name}}};
    for (const auto& each : words->settings)
      if (!each.second.empty()) set.push_back(each);
    auto node = node_of(set);
    if (!node) return tl::unexpected<Error>(node.error());
    request->node = std::move(*node);
    return ask(session);
  };
}

Run declare_node_remove(CLI::App& app) { return change_of_node(app, about_node<NodeRemove>(app)); }
Run declare_node_accept_host(CLI::App& app) { return change_of_node(app, about_node<NodeAcceptHost>(app)); }
Run declare_node_rename(CLI::App& app) {
  auto request = about_node<NodeRename>(app);
  app.add_option("NEW", request->to, "its new name")->required();
  return change_of_node(app, request);
}
namespace {

// Below the table: which nodes do not answer, and what to do.
std::string silent_text(const json& nodes) {
  std::string out;
  for (const json& node : nodes) {
    if (node["silent_s"].is_null()) continue;
    const std::string name = node["node"];
    out += "node " + name + " has not answered for " + short_seconds(node["silent_s"]) + ": " +
           node["why"].get<std::string>() + "\n";
    if (node["state"] != "fenced" && node["jobs"] != 0)
      out += "  if it is off for good: aliquot node confirm-down " + name + " --dry-run\n";
  }
  return out.empty() ? out : "\n" + out;
}

Table orphan_table(const json& orphans) {
  using enum Align;
  Table table{{{"NODE"}, {"VM"}, {"JOB", right}, {"STATE"}, {"AGE", right}, {"MEM", right}, {"WHY"}}, {}};
  for (const json& vm : orphans) {
    const json& age = vm["age_s"];
    table.rows.push_back({vm["node"].get<std::string>(), vm["name"].get<std::string>(), vm["job"].dump(),
                          vm["state"].get<std::string>(), age.is_null() ? "-" : short_seconds(age),
                          short_bytes(vm["memory_bytes"]), vm["because"].get<std::string>()});
  }
  return table;
}

std::string orphans_text(const json& answer, const TableStyle& style, bool only_said) {
  const json& orphans = answer["orphans"];
  if (orphans.empty()) return "no orphans: every VM of this cluster belongs to a job\n";
  std::string out = to_text(orphan_table(orphans), style);
  for (const json& vm : orphans)
    if (vm.contains("error") && !vm["error"].is_null())
      out += vm["name"].get<std::string>() + " was not destroyed: " + vm["error"].get<std::string>() + "\n";
  if (answer.contains("destroyed")) return out + answer["destroyed"].dump() + " destroyed\n";
  return only_said ? out + "--reclaim would destroy these " + std::to_string(orphans.size()) + "\n" : out;
}

}  // namespace

Run declare_node_list(CLI::App&) {
  return [](Session& session) -> Result<int> {
    const auto answer = session.ask(NodeList{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& nodes = answer->body["nodes"];
    const auto names = [&nodes] {
      std::vector<std::string> all;
      for (const json& node : nodes) all.push_back(node["node"]);
      return all;
    };
    return session.show(
        answer->body,
        {[&](bool wide) { return to_text(node_table(nodes, wide), session.style()) + silent_text(nodes); },
         names});
  };
}

Run declare_node_show(CLI::App& app) { return of_a_node<NodeShow>(app, node_text); }
// A node boots two small guests for it, and one that hangs is waited for.
Run declare_node_probe(CLI::App& app) { return of_a_node<NodeProbe>(app, probe_text, seconds(60)); }

Run declare_node_orphans(CLI::App& app) {
  auto reclaim = std::make_shared<bool>(false);
  auto dry_run = std::make_shared<bool>(false);
  app.add_flag("--reclaim", *reclaim, "destroy them (operators)");
  app.add_flag("--dry-run", *dry_run, "with --reclaim: only say what would be destroyed");
  return [reclaim, dry_run](Session& session) -> Result<int> {
    const bool destroys = *reclaim && !*dry_run;
    const auto answer = destroys ? session.ask(NodeReclaim{}) : session.ask(NodeOrphans{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    const auto names = [&body] {
      std::vector<std::string> all;
      for (const json& vm : body["orphans"]) all.push_back(vm["name"]);
      return all;
    };
    const auto text = [&](bool) { return orphans_text(body, session.style(), *reclaim && *dry_run); };
    auto shown = session.show(body, {text, names});
    if (!shown || !destroys || body["destroyed"] == body["orphans"].size()) return shown;
    return fail(ErrorKind::unavailable, "not all orphans were destroyed; see above, and try again");
  };
}

Run declare_status(CLI::App&) {
  return [](Session& session) -> Result<int> {
    const auto answer = session.ask(Status{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    return session.show(answer->body, {[&](bool) { return status_text(answer->body); }, {}});
  };
}

}  // namespace aliquot::ctl
