#include "tools/experiments/campaign/campaign_command.hpp"

#include <iostream>

#include "tools/experiments/campaign/report_files.hpp"
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

// Writes the report and prints its closing tables. Returns the exit code.
int write_report(const CampaignFolder& folder, const CampaignRecord& record, const Results& results) {
  for (const OutputFile& file : report_files(record, results))
    if (auto written = folder.write(file.name, file.text); !written) return report_error(written.error());
  for (const Table& table : closing_tables(record, results)) std::cout << as_text(table) << "\n";
  std::cout << results.trials.size() << " trials in " << folder.path() << "; open " << folder.path()
            << "/report.html\n";
  return 0;
}

void note_missing(const Results& results, const CampaignRecord& record) {
  if (results.missing > results.failures.size())
    std::cerr << "aliquot-sim: note: " << results.missing - results.failures.size()
              << " trials of the campaign are " << (record.shard.of > 1 ? "other shards'" : "missing")
              << "\n";
}

}  // namespace

int run_campaign_command(const Campaign& campaign, const TypedCampaign& typed) {
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto shard = shard_of(typed.shard);
  if (!shard) return report_error(shard.error());
  const CampaignRecord record = record_of(campaign.plan, *shard);
  const auto folder = CampaignFolder::open(typed.out, record);
  if (!folder) return report_error(folder.error());
  auto journal = TrialJournal::open(folder->journal_path());
  if (!journal) return report_error(journal.error());
  if (!journal->found().empty())
    std::cerr << "aliquot-sim: note: " << journal->found().size() << " trials were done before\n";
  if (journal->repaired() > 0)
    std::cerr << "aliquot-sim: note: the last line of " << folder->journal_path()
              << " was torn; its trial is run again\n";
  const auto results = run_campaign(campaign, *shard, *workers, *journal);
  if (!results) return report_error(results.error());
  note_missing(*results, record);
  if (const int code = write_report(*folder, record, *results); code != 0) return code;
  if (results->failures.empty()) return 0;
  std::cerr << "aliquot-sim: " << results->failures.size()
            << (results->failures.size() == 1 ? " trial failed:\n" : " trials failed:\n");
  for (const Failure& failure : results->failures) std::cerr << "  " << name_of(failure.key) << "\n";
  return 1;
}

int merge_command(const std::vector<std::string>& folders, const std::string& out) {
  const std::string target = out.empty() ? folders.front() : out;
  auto first = CampaignFolder::read_record(folders.front());
  if (!first) return report_error(first.error());
  std::vector<Trial> trials;
  for (const std::string& path : folders) {
    const auto record = CampaignFolder::read_record(path);
    if (!record) return report_error(record.error());
    if (!same_campaign(*record, *first))
      return report_error({ErrorKind::conflict, path + ": is another campaign than " + folders.front() +
                                                    ", or was made by another commit"});
    const auto more = read_trials(CampaignFolder::journal_of(path));
    if (!more) return report_error(more.error());
    trials.insert(trials.end(), more->begin(), more->end());
  }
  const auto results = collect(first->plan, trials);
  if (!results) return report_error(results.error());
  CampaignRecord whole = *first;
  whole.shard = {};
  const auto folder = CampaignFolder::replace(target, whole);
  if (!folder) return report_error(folder.error());
  auto journal = TrialJournal::open(folder->journal_path());
  if (!journal) return report_error(journal.error());
  if (auto added = journal->add_missing(results->trials); !added) return report_error(added.error());
  if (const int code = write_report(*folder, whole, *results); code != 0) return code;
  note_missing(*results, whole);
  return results->missing == 0 ? 0 : 1;
}

}  // namespace aliquot
