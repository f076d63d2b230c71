#include "manager/hypervisor/agent/epochs_heard.hpp"

#include <sstream>
#include <utility>

#include "manager/hypervisor/agent/agent_wire.hpp"
#include "manager/hypervisor/files.hpp"

namespace aliquot::agent {
namespace {

constexpr std::size_t kLongest = 1 << 20;

}  // namespace

Result<EpochsHeard> EpochsHeard::open(std::string file) {
  EpochsHeard heard(std::move(file));
  if (heard.file_.empty() || !file_exists(heard.file_)) return heard;
  const auto text = read_head(heard.file_, kLongest);
  if (!text) return tl::unexpected<Error>(text.error());
  std::istringstream lines(*text);
  bool is_sound = text->empty() || text->ends_with('\n');
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string cluster;
    std::uint64_t epoch = 0;
    is_sound = is_sound && words >> cluster >> epoch;
    heard.epochs_[cluster] = epoch;
  }
  if (is_sound) return heard;
  return fail(ErrorKind::refused, heard.file_ +
                                      " is not understood: remove it while no manager runs that was "
                                      "replaced by another one");
}

std::uint64_t EpochsHeard::highest(const std::string& cluster) const {
  const auto at = epochs_.find(cluster);
  return at == epochs_.end() ? 0 : at->second;
}

Result<void> EpochsHeard::hear(const std::string& cluster, std::uint64_t epoch) {
  const bool is_a_word = !cluster.empty() && cluster.find_first_of(" \t\r\n") == std::string::npos;
  if (!is_a_word)
    return fail(ErrorKind::invalid_argument, "the manager names no cluster, or not in one word");
  const std::uint64_t before = highest(cluster);
  if (epoch == before) return {};
  if (epoch != kStoreIsLost && epoch < before)
    return fail(
        ErrorKind::not_leader,
        "a later start of this cluster's manager has spoken to the agent (epoch " + std::to_string(before) +
            ", this one is " + std::to_string(epoch) +
            "): end the manager that is not to lead; if there is no other, and this one's store was "
            "put back from a copy, put it back with `aliquot db restore`, which begins a later epoch");
  auto next = epochs_;
  next[cluster] = epoch;
  if (!file_.empty()) {
    const auto written = write_atomically(file_, [&](const Writer& write) -> Result<void> {
      for (const auto& [each, highest] : next)
        if (auto done = write(each + " " + std::to_string(highest) + "\n"); !done) return done;
      return {};
    });
    if (!written) return written;
  }
  epochs_ = std::move(next);
  return {};
}

}  // namespace aliquot::agent
