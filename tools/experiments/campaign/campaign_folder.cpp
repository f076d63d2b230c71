#include "tools/experiments/campaign/campaign_folder.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "monitor/provenance.hpp"

namespace aliquot {
namespace {

using Json = nlohmann::ordered_json;

std::string record_text(const CampaignRecord& record) {
  const CampaignPlan& plan = record.plan;
  Json options = Json::object();
  for (const auto& [key, value] : plan.options) options[key] = value;
  std::string instances;  // one per line, for readers
  for (const InstanceName& name : plan.instances) {
    instances += (instances.empty() ? "\n    " : ",\n    ") +
                 Json({name.workload, name.seed, name.load, name.nodes}).dump();
  }
  const Json document = {{"kind", plan.kind},
                         {"version", record.version},
                         {"commit", record.commit},
                         {"options", options},
                         {"policies", plan.policies},
                         {"penalties", plan.penalties},
                         {"shard", {record.shard.number, record.shard.of}}};
  std::string text = document.dump(2);
  text.resize(text.rfind('\n'));
  return text + ",\n  \"instances\": [" + instances + "\n  ]\n}\n";
}

CampaignRecord parse_record(const std::string& text) {  // throws
  const Json document = Json::parse(text);
  CampaignRecord record;
  record.plan.kind = document.at("kind");
  record.version = document.at("version");
  record.commit = document.at("commit");
  for (const auto& [key, value] : document.at("options").items())
    record.plan.options.emplace_back(key, value.get<std::string>());
  record.plan.policies = document.at("policies").get<std::vector<std::string>>();
  record.plan.penalties = document.at("penalties").get<std::vector<std::string>>();
  for (const Json& name : document.at("instances"))
    record.plan.instances.push_back({name.at(0), name.at(1), name.at(2), name.at(3)});
  record.shard = {document.at("shard").at(0), document.at("shard").at(1)};
  return record;
}

std::string difference(const CampaignRecord& there, const CampaignRecord& ours) {
  if (there.plan.kind != ours.plan.kind) return "it is " + there.plan.kind;
  if (there.version != ours.version || there.commit != ours.commit)
    return "made by version " + there.version + " (" + there.commit + "), and this is " + ours.version +
           " (" + ours.commit + ")";
  if (!(there.shard == ours.shard))
    return "of shard " + std::to_string(there.shard.number) + "/" + std::to_string(there.shard.of);
  for (const auto& [key, value] : ours.plan.options)
    for (const auto& [their_key, their_value] : there.plan.options)
      if (key == their_key && value != their_value) return "with " + key + " " + their_value;
  return "with other options";
}

}  // namespace

CampaignRecord record_of(const CampaignPlan& plan, Shard shard) { return {plan, kVersion, kCommit, shard}; }

bool same_campaign(const CampaignRecord& a, const CampaignRecord& b) {
  return a.plan == b.plan && a.version == b.version && a.commit == b.commit;
}

Result<CampaignRecord> CampaignFolder::read_record(const std::string& path) {
  const std::string name = path + "/campaign.json";
  std::ifstream file(name, std::ios::binary);
  if (!file)
    return fail(ErrorKind::not_found, name + ": cannot be read: is this the folder of a campaign?");
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return parse_record(text.str());
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::invalid_argument, name + ": " + error.what());
  }
}

Result<CampaignFolder> CampaignFolder::open(const std::string& path, const CampaignRecord& record) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return fail(ErrorKind::unavailable, path + ": cannot be made: " + failed.message());
  CampaignFolder folder(path);
  if (!std::filesystem::exists(path + "/campaign.json")) {
    if (std::filesystem::exists(folder.journal_path()))
      return fail(ErrorKind::conflict,
                  path + ": there is a journal but no campaign.json: choose another --out");
    if (auto written = folder.write("campaign.json", record_text(record)); !written)
      return tl::unexpected(written.error());
    return folder;
  }
  const auto there = read_record(path);
  if (!there) return tl::unexpected(there.error());
  if (same_campaign(*there, record) && there->shard == record.shard) return folder;
  return fail(ErrorKind::conflict, path + ": holds another campaign, " + difference(*there, record) +
                                       ": choose another --out, or remove it");
}

Result<CampaignFolder> CampaignFolder::replace(const std::string& path, const CampaignRecord& record) {
  const bool is_there = std::filesystem::exists(path + "/campaign.json");
  if (!is_there) return open(path, record);
  const auto there = read_record(path);
  if (!there) return tl::unexpected(there.error());
  if (!same_campaign(*there, record))
    return fail(ErrorKind::conflict, path + ": holds another campaign: choose another --out");
  CampaignFolder folder(path);
  if (auto written = folder.write("campaign.json", record_text(record)); !written)
    return tl::unexpected(written.error());
  return folder;
}

Result<void> CampaignFolder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path target = std::filesystem::path(path_) / name;
  std::error_code failed;
  std::filesystem::create_directories(target.parent_path(), failed);
  const std::string fresh = target.string() + ".new";
  std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) std::filesystem::rename(fresh, target, failed);
  if (file && !failed) return {};
  return fail(ErrorKind::unavailable,
              target.string() + ": cannot be written: check the folder and its space");
}

}  // namespace aliquot
