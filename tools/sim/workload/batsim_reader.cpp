#include <algorithm>
#include <map>

#include "tools/sim/workload/account_names.hpp"
#include "tools/sim/workload/batsim_profiles.hpp"
#include "tools/sim/workload/columns.hpp"
#include "tools/sim/workload/job_lines.hpp"
#include "tools/sim/workload/json_members.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/placement_columns.hpp"
#include "tools/sim/workload/readers.hpp"
#include "tools/sim/workload/user_numbers.hpp"

namespace aliquot {
namespace {

using Kind = JsonPiece::Kind;

// A job of the file; its run time is known once all profiles are.
struct BatsimJob {
  TraceJob job;
  std::string name;                                        // its id as written
  std::vector<std::pair<std::string, std::string>> words;  // of extra_data
  std::uint32_t profile = 0;
  std::uint32_t account = 0;
  std::uint64_t line = 0;
};

// Each text once, numbered.
class Texts {
 public:
  std::uint32_t number_of(const std::string& text) {
    const auto [entry, fresh] = number_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (fresh) texts_.push_back(&entry->first);
    return entry->second;
  }
  [[nodiscard]] const std::string& at(std::uint32_t number) const { return *texts_[number]; }

 private:
  std::map<std::string, std::uint32_t> number_;
  std::vector<const std::string*> texts_;
};

class BatsimReader {
 public:
  BatsimReader(std::string path, const ReadOptions& options)
      : path_(std::move(path)), options_(options), profiles_(options.resource_flops), errors_(path_) {}

  Result<void> take(PlacedPiece&& piece) {
    if (piece.section == "profiles") {
      if (auto added = profiles_.add(piece.key, std::move(piece.value)); !added) {
        return fail(added.error().kind,
                    "line " + std::to_string(piece.line) + ": " + added.error().message);
      }
    }
    if (piece.section == "jobs") take_job(piece);
    if (jobs_.size() > kMostJobs) {
      return fail(ErrorKind::too_large, "more than " + std::to_string(kMostJobs) + " jobs");
    }
    return {};
  }

  Result<Workload> finish() {
    number_jobs();
    JobLines lines;
    for (const BatsimJob& job : jobs_) {
      lines.note(job.job.id, job.line);
      finish_job(job);
    }
    lines.report_duplicates(errors_);
    if (errors_.any()) return errors_.failure();
    workload_.accounts = accounts_.take();
    add_notes();
    return std::move(workload_);
  }

 private:
  void take_job(const PlacedPiece& piece) {
    JsonMembers members(piece.value);
    BatsimJob job;
    job.line = piece.line;
    job.name = members.text_or_number("id");
    job.job.submitted.raw = to_duration(members.number_within("subtime", {}, kLatestSubmit, {})).raw;
    const Decimal most_tasks{kPico * static_cast<Int128>(kMostTasks)};
    const Decimal res = members.number_within("res", Decimal{kPico}, most_tasks, {});
    if (res.pico % kPico != 0) members.reject("res: '" + to_text(res) + "' is not a whole number");
    job.job.tasks = static_cast<std::uint32_t>(res.pico / kPico);
    job.profile = names_.number_of(members.text("profile", true));
    const auto walltime = members.number("walltime");
    const bool limited = walltime && walltime->pico != -kPico;  // -1: none
    if (limited && walltime->pico <= 0) members.reject("walltime: should be more than 0, or -1 for none");
    if (limited) job.job.estimate = to_duration(std::min(*walltime, kLatestSubmit));
    job.job.cpu_need = job.job.memory = Decimal{kPico};
    take_extra(members.any_text("extra_data", false), job, members);
    if (members.wrong().empty()) {
      jobs_.push_back(std::move(job));
    } else {
      errors_.add(piece.line, "jobs[" + std::to_string(piece.index) + "]: " + members.wrong());
    }
  }

  // Reads the object `aliquot`; ignores all else, which belongs to other programs.
  void take_extra(const std::string& text, BatsimJob& job, JsonMembers& members) {
    if (text.empty()) return;
    const auto extra = parse_json_piece(text);
    const JsonPiece* ours = extra ? extra->find("aliquot") : nullptr;
    if (!ours || extra->members.size() > 1) ++others_;
    if (!ours) return;
    JsonMembers within(*ours);
    const Decimal whole{kPico};
    job.job.cpu_need = within.number_within("cpu_need", Decimal{1}, whole, whole);
    job.job.memory = within.number_within("memory", {}, whole, whole);
    job.account = accounts_.index_of(within.text("account", false));
    job.job.user = users_.number_of(within.text(kUser, false));
    for (const auto column : kKnownColumns) {
      if (!options_.as_written && !is_placement_column(column)) continue;
      if (std::string word = within.text(column, false); !word.empty())
        job.words.emplace_back(column, word);
    }
    if (!within.wrong().empty()) members.reject("extra_data: aliquot: " + within.wrong());
  }

  void number_jobs() {
    const auto is_number = [](const BatsimJob& job) {
      const auto number = parse_count(job.name, kLargestJobId);
      return number && std::to_string(*number) == job.name;
    };
    const bool numbers = std::ranges::all_of(jobs_, is_number);
    std::map<std::string, std::uint64_t> line_of;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      BatsimJob& job = jobs_[i];
      if (numbers) {
        job.job.id.raw = *parse_count(job.name, kLargestJobId);
        continue;
      }
      job.job.id.raw = i + 1;
      workload_.extra_columns.add(job.job.id, "id", job.name);
      const auto [first, fresh] = line_of.emplace(job.name, job.line);
      if (!fresh) {
        errors_.add(job.line, "job '" + job.name.substr(0, 40) + "' stands already in line " +
                                  std::to_string(first->second));
      }
    }
    if (!numbers)
      workload_.notes.push_back("its jobs are numbered by their place: their ids are no whole numbers");
  }

  void finish_job(const BatsimJob& from) {
    TraceJob job = from.job;
    const auto run = profiles_.run_of(names_.at(from.profile), job.tasks);
    const std::string which = "job '" + from.name.substr(0, 40) + "': ";
    if (!run) return errors_.add(from.line, which + run.error().message);
    if (run->seconds.pico == 0) return errors_.add(from.line, which + "it takes no time");
    job.runtime = to_duration(run->seconds);
    if (!run->plain) ++computed_;
    if (job.estimate && *job.estimate < job.runtime) ++stopped_;
    if (options_.perfect_estimates) job.estimate.reset();
    WorkloadJob made = make_job(job, options_);
    made.submission.exit_code = run->exit_code;
    made.submission.account = from.account;
    const std::string& profile = names_.at(from.profile);
    if (profile != plain_profile(made.runtime(), run->exit_code))
      workload_.extra_columns.add(job.id, "profile", profile);
    if (options_.as_written) {
      for (const auto& [column, word] : from.words) workload_.extra_columns.add(job.id, column, word);
    } else if (!from.words.empty()) {
      const std::string why = read_placement(from, made.submission.demand);
      if (!why.empty()) return errors_.add(from.line, which + why);
    }
    if (!options_.admits(made.submission.demand)) {
      return errors_.add(from.line, which + std::to_string(job.tasks) + " resources do not fit into " +
                                        std::to_string(options_.shape.nodes) + " empty nodes");
    }
    workload_.jobs.push_back(std::move(made));
  }

  // What it asks for of devices and nodes; what is wrong with that.
  std::string read_placement(const BatsimJob& from, Demand& demand) {
    if (!placement_) {
      workload_.device_models = options_.shape.device_models();
      placement_.emplace(options_.shape.make_nodes(), workload_.device_models);
    }
    const std::string none;
    const auto text = [&](std::string_view column) -> const std::string& {
      for (const auto& [name, word] : from.words)
        if (name == column) return word;
      return none;
    };
    return placement_->read(text, demand);
  }

  void add_notes() {
    if (others_ > 0 && options_.as_written) {
      workload_.notes.push_back(std::to_string(others_) +
                                " jobs have extra_data of others, which is left out");
    }
    if (computed_ > 0 && options_.as_written) {
      workload_.notes.push_back(std::to_string(computed_) +
                                " jobs compute in Batsim: here they take a time");
    }
    if (stopped_ > 0 && !options_.as_written) {
      workload_.notes.push_back(
          std::to_string(stopped_) +
          " jobs run longer than their walltime: Batsim stops them there, here they go on");
    }
    constexpr std::size_t shown = 5;
    std::string names;
    std::size_t count = 0;
    for (const std::string& name : profiles_.silenced()) {
      if (++count <= shown) names += (names.empty() ? "'" : ", '") + name.substr(0, 40) + "'";
    }
    if (count > shown) names += " and " + std::to_string(count - shown) + " more";
    if (count > 0)
      workload_.notes.push_back("communication is not simulated: com is left out of profile " + names);
  }

  std::string path_;
  const ReadOptions& options_;
  std::optional<PlacementColumns> placement_;  // once it is needed
  BatsimProfiles profiles_;
  InputErrors errors_;
  Texts names_;  // of profiles
  AccountNames accounts_;
  UserNumbers users_;
  std::vector<BatsimJob> jobs_;
  std::uint64_t stopped_ = 0;   // jobs that run longer than their walltime
  std::uint64_t computed_ = 0;  // jobs whose profile is more than a delay
  std::uint64_t others_ = 0;    // jobs with extra_data that is not read
  Workload workload_;
};

}  // namespace

Result<Workload> read_batsim(TextSource& source, const std::string& path, const ReadOptions& options) {
  BatsimReader reader(path, options);
  const auto read = read_json_pieces(
      source, path, [&reader](PlacedPiece&& piece) { return reader.take(std::move(piece)); });
  if (!read) return tl::unexpected(read.error());
  return reader.finish();
}

}  // namespace aliquot
