#include "manager/spool_claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kLongest = 256;

std::string first_line(std::string text) {
  text.resize(std::min(text.size(), text.find('\n')));
  return text;
}

// "process 1234 on node-a", for messages only.
std::string this_process() {
  std::array<char, 65> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return "process " + std::to_string(::getpid()) + " on " + host.data();
}

bool has_contents(const Spool& spool) {
  std::error_code absent;
  const std::filesystem::directory_iterator first(spool.contents(), absent);
  return !absent && first != std::filesystem::directory_iterator();
}

std::string short_id(const std::string& cluster) { return cluster.substr(0, 8); }

}  // namespace

Result<SpoolClaim> SpoolClaim::take(Spool spool, bool with_others) {
  const std::string path = spool.root() + "/cluster.lock";
  Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.get() < 0)
    return fail(ErrorKind::unavailable, "cannot make " + path + ": " + std::strerror(errno) +
                                            "; make the spool writable for the manager's user");
  if (::flock(lock.get(), (with_others ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return fail(ErrorKind::unsupported, "cannot lock " + path + ": " + std::strerror(errno) +
                                              "; put the spool on storage that keeps locks");
    const std::string holder = first_line(read_head(path, kLongest).value_or(""));
    return fail(ErrorKind::conflict, "spool " + spool.root() + ": in use by another manager" +
                                         (holder.empty() ? "" : ", " + holder) +
                                         ": stop that one first, or name another spool_dir");
  }
  const std::string text = this_process() + "\n";
  if (::ftruncate(lock.get(), 0) == 0)
    static_cast<void>(!::pwrite(lock.get(), text.data(), text.size(), 0));
  return SpoolClaim(std::move(spool), std::move(lock), with_others);
}

Result<std::string> SpoolClaim::owner() const {
  const std::string path = spool_.root() + "/cluster.id";
  if (!file_exists(path)) return std::string();
  auto text = read_head(path, kLongest);
  if (!text) return text;
  std::string id = first_line(std::move(*text));
  if (!id.empty()) return id;
  return fail(ErrorKind::refused, path +
                                      " is empty: write the cluster's id into it ('aliquot db check' on "
                                      "the store prints it)");
}

Result<void> SpoolClaim::admit(const std::string& cluster) const {
  const auto id = owner();
  if (!id) return tl::unexpected<Error>(id.error());
  if (!cluster.empty() && (id->empty() || *id == cluster)) return {};
  if (!cluster.empty())
    return fail(ErrorKind::refused, "spool " + spool_.root() + " belongs to cluster " + short_id(*id) +
                                        ", the store to cluster " + short_id(cluster) +
                                        ": name the spool_dir and the state_dir of the same cluster");
  if (id->empty() && newest_job_in(spool_).raw == 0 && !has_contents(spool_)) return {};
  return fail(
      ErrorKind::refused,
      "the store is new, and spool " + spool_.root() +
          (id->empty() ? " is not" : " belongs to cluster " + short_id(*id)) +
          ": its jobs would get the numbers and files of other jobs. Put the store back ('aliquot db "
          "restore' with a backup; without one 'aliquotd --rebuild-from-nodes' takes back the jobs "
          "whose VMs still run), or name a spool_dir that is empty; if the old cluster is given "
          "up and none of its VMs runs, empty this one");
}

Result<void> SpoolClaim::mark(const std::string& cluster, std::uint64_t epoch) {
  const auto id = owner();
  if (!id) return tl::unexpected<Error>(id.error());
  if (with_others_) {
    auto raised = EpochFence::raise(spool_, epoch);
    if (!raised) return tl::unexpected<Error>(raised.error());
    fence_ = std::move(*raised);
  }
  if (*id == cluster) return {};
  return write_atomically(spool_.root() + "/cluster.id",
                          [&](const Writer& write) { return write(cluster + "\n"); });
}

JobId newest_job_in(const Spool& spool) {
  JobId newest;
  std::error_code fault;
  for (std::filesystem::directory_iterator at(spool.root(), fault), end; !fault && at != end;
       at.increment(fault)) {
    const std::string name = at->path().filename();
    JobId job;
    const auto [stopped, wrong] = std::from_chars(name.data(), name.data() + name.size(), job.raw);
    if (wrong == std::errc{} && stopped == name.data() + name.size()) newest = std::max(newest, job);
  }
  return newest;
}

}  // namespace aliquot
