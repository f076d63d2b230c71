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

struct CampaignIdentity {
  std::string kind;
  std::string version;
  std::string commit;
  std::vector<std::pair<std::string, std::string>> options;
  Shard shard;
};
// By this program.
[[nodiscard]] CampaignIdentity identity_of(const Campaign& campaign, Shard shard);
// The same but for the shard.
[[nodiscard]] bool same_campaign(const CampaignIdentity& a, const CampaignIdentity& b);

class CampaignFolder {
 public:
  // Makes it, or checks that it holds this campaign.
  [[nodiscard]] static Result<CampaignFolder> open(const std::string& path,
                                                   const CampaignIdentity& identity);
  [[nodiscard]] static Result<CampaignIdentity> read_identity(const std::string& path);

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
