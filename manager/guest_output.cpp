#include "manager/guest_output.hpp"

#include <filesystem>

#include "config/quantities.hpp"

namespace aliquot {
namespace {

// The guest cuts its own output at the limit. Only a guest that does not keep to that writes more than this
// slack.
constexpr Memory kConsoleSlack = mebibytes(1);

// The line at the end of the results.
constexpr Memory kResultsSlack{4096};

bool is_longer(const std::string& path, Memory limit) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(path, failure);
  return !failure && size > static_cast<std::uintmax_t>(limit.raw);
}

}  // namespace

std::optional<std::string> excessive_output(const Spool& spool, const RunningTask& running,
                                            Memory max_output) {
  const auto& [job, task, incarnation, most_results] = running;
  const std::string who = "task " + std::to_string(task) + " wrote more than ";
  if (is_longer(spool.console(job, task), max_output + kConsoleSlack))
    return who + "limits.max_output (" + print_memory(max_output) + ") to its console";
  if (is_longer(spool.status(job, task, incarnation), kMostStatus))
    return who + print_memory(kMostStatus) +
           " to its status channel, the second serial port, which is for its exit status only";
  if (is_longer(spool.results(job, task), most_results + kResultsSlack))
    return who + print_memory(most_results) +
           " to the port for its result files (--stage-out-max); only the guest's first process writes "
           "there";
  return std::nullopt;
}

}  // namespace aliquot
