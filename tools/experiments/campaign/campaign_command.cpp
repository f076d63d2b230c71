#include "tools/experiments/campaign/campaign_command.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "tools/experiments/campaign/campaign_folder.hpp"
#include "tools/experiments/campaign/report_files.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/table.hpp"

namespace aliquot {
namespace {

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

// The program of this name takes over, with the terminal and all.
int become(const std::vector<std::string>& words) {
  std::cerr << as_typed(words) << "\n";
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  return report_error({ErrorKind::unavailable, words.front() + " cannot be started here: " +
                                                   std::generic_category().message(errno)});
}

}  // namespace

int run_campaign_command(const Campaign& campaign, const TypedCampaign& typed) {
  const auto workers = workers_of(typed.workers);
  if (!workers) return report_error(workers.error());
  const auto shard = shard_of(typed.shard, std::getenv("SLURM_ARRAY_TASK_ID"));
  if (!shard) return report_error(shard.error());
  const CampaignRecord record = record_of(campaign.plan, *shard);
  const bool in_array = typed.shard.starts_with("array/");
  const auto folder =
      CampaignFolder::open(in_array ? shard_folder(typed.out, shard->number) : typed.out, record);
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

int submit_as_array(const Campaign& campaign, ShardedCommand command, const TypedCampaign& typed) {
  const std::size_t most = campaign.plan.instances.size();
  const auto shards = count_option("--shards", typed.shards, UINT32_MAX);
  if (!shards) return report_error(shards.error());
  if (*shards > most)
    return report_error(bad_option("--shards", "the campaign has " + std::to_string(most) +
                                                   " workloads on clusters; at most so many shards"));
  const auto workers = workers_of(typed.workers.empty() ? "1" : typed.workers);
  if (!workers) return report_error(workers.error());
  command.shards = static_cast<std::uint32_t>(*shards);
  command.workers = *workers;
  const auto for_aliquot = aliquot_array(command);
  if (typed.submit.empty()) {
    std::cout << "with Slurm:   " << as_typed(slurm_array(command))
              << "\nwith Aliquot: " << (for_aliquot ? as_typed(*for_aliquot) : for_aliquot.error().message)
              << "\n";
    return 0;
  }
  if (typed.submit == "aliquot" && !for_aliquot) return report_error(for_aliquot.error());
  std::error_code failed;
  std::filesystem::create_directories(command.out, failed);  // Slurm writes the output of members there
  if (failed)
    return report_error({ErrorKind::unavailable, command.out + ": cannot be made: " + failed.message()});
  return become(typed.submit == "slurm" ? slurm_array(command) : *for_aliquot);
}

int shards_command(const std::string& out) {
  const std::vector<std::string> folders = shard_folders(out);
  if (folders.empty())
    return report_error(
        {ErrorKind::not_found, out + ": there are no folders shard-1, shard-2, ... with a campaign"});
  Table table{"", {"shard", "trials", "of"}, {}, ""};
  std::size_t done = 0;
  std::size_t total = 0;
  std::uint32_t of = 1;
  for (const std::string& path : folders) {
    const auto record = CampaignFolder::read_record(path);
    if (!record) return report_error(record.error());
    const auto trials = read_trials(CampaignFolder::journal_of(path));
    const std::size_t its = trials ? trials->size() : 0;  // no journal yet
    const std::size_t all = shard_trials(record->plan, record->shard);
    table.rows.push_back({std::to_string(record->shard.number), std::to_string(its), std::to_string(all)});
    done += its;
    total = record->plan.instances.size() * record->plan.trials_of_instance();
    of = record->shard.of;
  }
  table.note = std::to_string(done) + " of " + std::to_string(total) + " trials are done";
  if (const std::size_t left = of - folders.size(); left > 0)
    table.note += "; " + std::to_string(left) + " of " + std::to_string(of) + " shards " +
                  (left == 1 ? "has" : "have") + " not begun";
  std::cout << as_text(table);
  return done == total ? 0 : 1;
}

int merge_command(const std::vector<std::string>& typed_folders, const std::string& out) {
  std::vector<std::string> folders;
  for (const std::string& typed : typed_folders) {
    const auto shards = shard_folders(typed);
    folders.insert(folders.end(), shards.begin(), shards.end());
    if (shards.empty()) folders.push_back(typed);
  }
  const std::string target = out.empty() ? typed_folders.front() : out;
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
