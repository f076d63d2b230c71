#include <algorithm>

#include "config/fault.hpp"
#include "config/file_text.hpp"
#include "config/quantities.hpp"
#include "config/yaml_tree.hpp"
#include "policies/model/nearest.hpp"
#include "tools/ctl/job_text.hpp"

namespace aliquot::ctl {

namespace {

constexpr std::size_t kMaxJobFile = std::size_t{1} << 18;

std::vector<std::string> known_keys() {
  std::vector<std::string> names;
  for (const JobKey& key : job_keys()) names.emplace_back(key.name);
  for (const JobListKey& key : job_list_keys()) names.emplace_back(key.name);
  names.insert(names.end(), {"command", "contiguous", "hold", "singleton"});
  return names;
}

// The same of a list of texts.
std::string read_list(const YamlNode& value, const std::string& example, std::vector<std::string>& texts) {
  const bool good = value.kind == YamlNode::Kind::list && !value.items.empty() &&
                    std::all_of(value.items.begin(), value.items.end(),
                                [](const YamlNode& item) { return item.kind == YamlNode::Kind::scalar; });
  if (!good) return "must be a list of text, for example " + example;
  for (const YamlNode& item : value.items) texts.push_back(item.text);
  return {};
}

// What is wrong with this entry; empty: nothing, and the job has it.
std::string read_entry(const YamlEntry& entry, JobText& job) {
  const YamlNode& value = entry.value;
  if (entry.key == "command") return read_list(value, "[./program, \"1\", \"2\"]", job.command);
  for (const JobListKey& key : job_list_keys())
    if (entry.key == key.name) return read_list(value, "[one, two]", job.*key.field);
  const bool scalar = value.kind == YamlNode::Kind::scalar;
  if (entry.key == "hold" || entry.key == "contiguous" || entry.key == "singleton") {
    if (!scalar || (value.text != "true" && value.text != "false")) return "must be true or false";
    (entry.key == "hold"        ? job.hold
     : entry.key == "singleton" ? job.singleton
                                : job.contiguous) = value.text == "true";
    return {};
  }
  const auto key = std::find_if(job_keys().begin(), job_keys().end(),
                                [&entry](const JobKey& k) { return entry.key == k.name; });
  if (key == job_keys().end()) {
    const std::vector<std::string> known = known_keys();
    const auto near = nearest(entry.key, known);
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    return "is not known" + (near ? "; did you mean " + *near + "?" : "; known are " + all);
  }
  if (!scalar) return "must be a single value";
  job.*key->field = value.text;
  return {};
}

}  // namespace

Result<JobText> read_job_text(std::string_view text, const std::string& file) {
  const auto tree = parse_yaml(text, file);
  if (!tree) return tl::unexpected<Error>(as_error({tree.error()}));
  if (tree->kind != YamlNode::Kind::map)
    return tl::unexpected<Error>(as_error(
        {{file, tree->place, "", "a job file is a map of keys and values, for example `tasks: 4`"}}));
  JobText job;
  Faults faults;
  std::vector<std::string> seen;
  for (const YamlEntry& entry : tree->entries) {
    std::string what = read_entry(entry, job);
    if (std::find(seen.begin(), seen.end(), entry.key) != seen.end())
      what = "stands here twice; give it once";
    seen.push_back(entry.key);
    if (!what.empty()) faults.push_back({file, entry.place, entry.key, what});
  }
  if (!faults.empty()) return tl::unexpected<Error>(as_error(faults));
  return job;
}

Result<JobText> read_job_file(const std::string& path) {
  const auto text = read_file_text(path, kMaxJobFile);
  if (!text) return tl::unexpected<Error>(as_error({text.error()}));
  return read_job_text(*text, path);
}

}  // namespace aliquot::ctl
