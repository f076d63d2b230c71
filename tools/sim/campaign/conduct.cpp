// Conducting a campaign: run, collect, report.
#include <iostream>

#include "tools/sim/campaign/campaign_options.hpp"
#include "tools/sim/campaign/report_files.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"

namespace aliquot {
namespace {

Result<Shard> shard_of(const std::string& text) {
  constexpr std::uint64_t most = 100'000;
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto number = count_option("--shard", text.substr(0, slash), most);
    const auto of = count_option("--shard", text.substr(slash + 1), most);
    if (number && of && *number <= *of)
      return Shard{static_cast<std::uint32_t>(*number), static_cast<std::uint32_t>(*of)};
  }
  return tl::unexpected(bad_option("--shard", "'" + text + "' is not i/n with 1 <= i <= n"));
}

// Writes everything, and says the most important of it.
int report(const CampaignFolder& folder, const CampaignRecord& record, const Results& results) {
  for (const NamedText& file : report_files(record, results))
    if (auto written = folder.write(file.name, file.text); !written) return complain(written.error());
  for (const Table& table : closing_tables(record, results)) std::cout << as_text(table) << "\n";
  std::cout << results.cells.size() << " cells in " << folder.path() << "; open " << folder.path()
            << "/report.html\n";
  return 0;
}

// Of a shard, the other shards' cells are no loss.
void count_missing(const Results& results, const CampaignRecord& record) {
  if (results.missing > results.failures.size())
    std::cerr << "aliquot-sim: note: " << results.missing - results.failures.size()
              << " cells of the campaign are " << (record.shard.of > 1 ? "other shards'" : "missing")
              << "\n";
}

}  // namespace

int conduct(const Campaign& campaign, const TypedCampaign& typed) {
  const auto workers = workers_of(typed.workers);
  if (!workers) return complain(workers.error());
  const auto shard = shard_of(typed.shard);
  if (!shard) return complain(shard.error());
  const CampaignRecord record = record_of(campaign.plan, *shard);
  const auto folder = CampaignFolder::open(typed.out, record);
  if (!folder) return complain(folder.error());
  auto journal = CellJournal::open(folder->journal_path());
  if (!journal) return complain(journal.error());
  if (!journal->found().empty())
    std::cerr << "aliquot-sim: note: " << journal->found().size() << " cells were done before\n";
  if (journal->repaired() > 0)
    std::cerr << "aliquot-sim: note: the last line of " << folder->journal_path()
              << " was torn; its cell is run again\n";
  const auto results = run_campaign(campaign, *shard, *workers, *journal);
  if (!results) return complain(results.error());
  count_missing(*results, record);
  if (const int code = report(*folder, record, *results); code != 0) return code;
  if (results->failures.empty()) return 0;
  std::cerr << "aliquot-sim: " << results->failures.size()
            << (results->failures.size() == 1 ? " cell failed:\n" : " cells failed:\n");
  for (const Failure& failure : results->failures) std::cerr << "  " << name_of(failure.key) << "\n";
  return 1;
}

int merge(const std::vector<std::string>& folders, const std::string& out) {
  const std::string target = out.empty() ? folders.front() : out;
  auto first = CampaignFolder::read_record(folders.front());
  if (!first) return complain(first.error());
  std::vector<Cell> cells;
  for (const std::string& path : folders) {
    const auto record = CampaignFolder::read_record(path);
    if (!record) return complain(record.error());
    if (!same_campaign(*record, *first))
      return complain({ErrorKind::conflict, path + ": is another campaign than " + folders.front() +
                                                ", or was made by another commit"});
    const auto more = read_cells(CampaignFolder::journal_of(path));
    if (!more) return complain(more.error());
    cells.insert(cells.end(), more->begin(), more->end());
  }
  const auto results = collect(first->plan, cells);
  if (!results) return complain(results.error());
  CampaignRecord whole = *first;
  whole.shard = {};
  const auto folder = CampaignFolder::replace(target, whole);
  if (!folder) return complain(folder.error());
  auto journal = CellJournal::open(folder->journal_path());
  if (!journal) return complain(journal.error());
  if (auto added = journal->add_missing(results->cells); !added) return complain(added.error());
  if (const int code = report(*folder, whole, *results); code != 0) return code;
  count_missing(*results, whole);
  return results->missing == 0 ? 0 : 1;
}

}  // namespace aliquot
