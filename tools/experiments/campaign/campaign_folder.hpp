// The folder of a campaign: which campaign it holds, its journal, and the files made of it.
//
//   campaign.json    the record: kind, version, commit, options, shard
//   journal.csv      the finished trials in the order they were done, measured times included
//   *.csv, *.md, report.html, measured/   the report, rewritten at the end of every run
//
// Errors: a file cannot be written; the folder holds another campaign, or the same one by another commit,
// for figures of two programs are never mixed.
#pragma once

#include <string>
#include <vector>

#include "tools/experiments/campaign/campaign.hpp"

namespace aliquot {

// What campaign.json says.
struct CampaignRecord {
  CampaignPlan plan;
  std::string version;
  std::string commit;
  Shard shard;
};
// By this program.
[[nodiscard]] CampaignRecord record_of(const CampaignPlan& plan, Shard shard);
// The same but for the shard.
[[nodiscard]] bool same_campaign(const CampaignRecord& a, const CampaignRecord& b);

class CampaignFolder {
 public:
  // Creates the folder, or checks that it holds this campaign.
  [[nodiscard]] static Result<CampaignFolder> open(const std::string& path, const CampaignRecord& record);
  // Creates the folder; or, if it holds the same campaign, whichever shard, replaces its record.
  [[nodiscard]] static Result<CampaignFolder> replace(const std::string& path,
                                                      const CampaignRecord& record);
  [[nodiscard]] static Result<CampaignRecord> read_record(const std::string& path);

  [[nodiscard]] std::string journal_path() const { return journal_of(path_); }
  [[nodiscard]] static std::string journal_of(const std::string& path) { return path + "/journal.csv"; }
  // Atomic: the file is complete or unchanged. `name` may contain a folder.
  [[nodiscard]] Result<void> write(const std::string& name, const std::string& text) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit CampaignFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace aliquot
