#include "manager/spool_retention.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace aliquot {
namespace {

namespace fs = std::filesystem;

std::optional<JobId> job_named(std::string_view name) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (fault != std::errc() || end != name.data() + name.size() || number == 0) return std::nullopt;
  return JobId{number};
}

// Symbolic links are not followed.
void add_file(const std::string& path, KeptOutput& output) {
  constexpr std::int64_t kBlock = 512;  // the unit of st_blocks
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return;
  output.size += Memory{found.st_blocks * kBlock};
  output.changed =
      std::max(output.changed, Instant{found.st_mtim.tv_sec * kMillion + found.st_mtim.tv_nsec / 1000});
}

KeptOutput measure(JobId job, const std::string& directory) {
  KeptOutput output{job, {}, {}};
  std::error_code fault;
  bool any = false;
  for (fs::directory_iterator at(directory, fault), end; !fault && at != end; at.increment(fault)) {
    add_file(at->path().string(), output);
    any = true;
  }
  if (!any) add_file(directory, output);
  return output;
}

}  // namespace

std::vector<KeptOutput> kept_outputs(const Spool& spool, const std::function<bool(JobId)>& has_ended) {
  std::vector<KeptOutput> kept;
  std::error_code fault;
  for (fs::directory_iterator at(spool.root(), fault), end; !fault && at != end; at.increment(fault)) {
    const auto job = job_named(at->path().filename().string());
    if (job && has_ended(*job)) kept.push_back(measure(*job, at->path().string()));
  }
  return kept;
}

std::vector<KeptOutput> overdue(std::vector<KeptOutput> kept, const RetentionRule& rule, Instant now) {
  std::ranges::sort(kept, {},
                    [](const KeptOutput& output) { return std::pair(output.changed, output.job); });
  Memory all;
  for (const KeptOutput& output : kept) all += output.size;
  std::vector<KeptOutput> out;
  for (const KeptOutput& output : kept) {
    if (now - output.changed <= rule.keep && all <= rule.at_most) break;
    all -= output.size;
    out.push_back(output);
  }
  return out;
}

Result<void> remove_output(const Spool& spool, JobId job) {
  std::error_code fault;
  fs::remove_all(spool.directory(job), fault);
  if (!fault) return {};
  return fail(ErrorKind::unavailable, "cannot remove " + spool.directory(job) + ": " + fault.message() +
                                          "; an operator removes it");
}

Instant file_clock_now() {
  return {std::chrono::duration_cast<std::chrono::microseconds>(
              std::chrono::system_clock::now().time_since_epoch())
              .count()};
}

}  // namespace aliquot
