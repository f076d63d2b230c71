#include "tools/sim/campaign/campaign_folder.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "monitor/provenance.hpp"

namespace aliquot {
namespace {

using Json = nlohmann::ordered_json;

std::string identity_text(const CampaignIdentity& identity) {
  Json options = Json::object();
  for (const auto& [key, value] : identity.options) options[key] = value;
  const Json document = {{"kind", identity.kind},
                         {"version", identity.version},
                         {"commit", identity.commit},
                         {"options", options},
                         {"shard", {identity.shard.number, identity.shard.of}}};
  return document.dump(2) + "\n";
}

CampaignIdentity parse_identity(const std::string& text) {  // throws
  const Json document = Json::parse(text);
  CampaignIdentity identity{document.at("kind"), document.at("version"), document.at("commit"), {}, {}};
  for (const auto& [key, value] : document.at("options").items())
    identity.options.emplace_back(key, value.get<std::string>());
  identity.shard = {document.at("shard").at(0), document.at("shard").at(1)};
  return identity;
}

std::string difference(const CampaignIdentity& there, const CampaignIdentity& ours) {
  if (there.kind != ours.kind) return "it is " + there.kind;
  if (there.version != ours.version || there.commit != ours.commit)
    return "made by version " + there.version + " (" + there.commit + "), and this is " + ours.version +
           " (" + ours.commit + ")";
  if (!(there.shard == ours.shard))
    return "of shard " + std::to_string(there.shard.number) + "/" + std::to_string(there.shard.of);
  for (const auto& [key, value] : ours.options)
    for (const auto& [their_key, their_value] : there.options)
      if (key == their_key && value != their_value) return "with " + key + " " + their_value;
  return "with other options";
}

}  // namespace

CampaignIdentity identity_of(const Campaign& campaign, Shard shard) {
  return {campaign.kind, kVersion, kCommit, campaign.options, shard};
}

bool same_campaign(const CampaignIdentity& a, const CampaignIdentity& b) {
  return a.kind == b.kind && a.version == b.version && a.commit == b.commit && a.options == b.options;
}

Result<CampaignIdentity> CampaignFolder::read_identity(const std::string& path) {
  const std::string name = path + "/campaign.json";
  std::ifstream file(name, std::ios::binary);
  if (!file)
    return fail(ErrorKind::not_found, name + ": cannot be read: is this the folder of a campaign?");
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return parse_identity(text.str());
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorKind::invalid_argument, name + ": " + error.what());
  }
}

Result<CampaignFolder> CampaignFolder::open(const std::string& path, const CampaignIdentity& identity) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return fail(ErrorKind::unavailable, path + ": cannot be made: " + failed.message());
  CampaignFolder folder(path);
  if (!std::filesystem::exists(path + "/campaign.json")) {
    if (std::filesystem::exists(folder.journal_path()))
      return fail(ErrorKind::conflict,
                  path + ": there is a journal but no campaign.json: choose another --out");
    if (auto written = folder.write("campaign.json", identity_text(identity)); !written)
      return tl::unexpected(written.error());
    return folder;
  }
  const auto there = read_identity(path);
  if (!there) return tl::unexpected(there.error());
  if (same_campaign(*there, identity) && there->shard == identity.shard) return folder;
  return fail(ErrorKind::conflict, path + ": holds another campaign, " + difference(*there, identity) +
                                       ": choose another --out, or remove it");
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
