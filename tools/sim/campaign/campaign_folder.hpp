// The folder of a campaign: which campaign it holds, its journal, and the files made of it.
//
//   campaign.json    what made it: kind, version, commit, options, shard
//   journal.csv      the cells as they were done (cell_journal.hpp), measured times and all
//   *.csv, *.md, report.html, measured/   made anew at the end of every run
//
// Errors: the folder holds another campaign, or the same one by another commit: figures of two programs are
// not mixed. A file cannot be written.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/campaign/campaign.hpp"
#include "tools/sim/campaign/run_campaign.hpp"

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
  // Makes it, or checks that it holds this campaign.
  [[nodiscard]] static Result<CampaignFolder> open(const std::string& path, const CampaignRecord& record);
  // Makes it, or makes the same campaign's folder, of whatever shard, hold this.
  [[nodiscard]] static Result<CampaignFolder> replace(const std::string& path,
                                                      const CampaignRecord& record);
  [[nodiscard]] static Result<CampaignRecord> read_record(const std::string& path);

  [[nodiscard]] std::string journal_path() const { return journal_of(path_); }
  [[nodiscard]] static std::string journal_of(const std::string& path) { return path + "/journal.csv"; }
  // Whole or not at all; `name` may have a folder.
  [[nodiscard]] Result<void> write(const std::string& name, const std::string& text) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit CampaignFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace aliquot
