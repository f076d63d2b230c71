#include "manager/hypervisor/epoch_fence.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

namespace aliquot {
namespace {

constexpr std::chrono::milliseconds kTryAgain{5};
constexpr std::size_t kDigits = 20;

std::string mark_of(const Spool& spool) { return spool.root() + "/cluster.epoch"; }

tl::unexpected<Error> failed(const char* verb, const std::string& path) {
  return fail(ErrorKind::unavailable, std::string("cannot ") + verb + " " + path + ": " +
                                          std::strerror(errno) + "; see the storage of the spool");
}

tl::unexpected<Error> is_over(std::uint64_t epoch, const std::string& path) {
  return fail(ErrorKind::not_leader, "the epoch " + std::to_string(epoch) +
                                         " of this manager is over: another one has taken over, as " +
                                         path + " says; nothing was done");
}

// 0: there is no mark yet.
Result<std::uint64_t> read_mark(const Descriptor& file, const std::string& path) {
  std::array<char, kDigits> text{};
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), 0);
  if (count < 0) return failed("read", path);
  std::uint64_t epoch = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + count, epoch);
  if (count == 0 || (wrong == std::errc{} && end == text.data() + text.size())) return epoch;
  return fail(ErrorKind::refused, path + " has no epoch in it: remove it while no manager runs");
}

// In place, of one length: other descriptors of the file see it, and never a part of it.
Result<void> write_mark(const Descriptor& file, const std::string& path, std::uint64_t epoch) {
  std::array<char, kDigits + 2> text{};
  std::snprintf(text.data(), text.size(), "%020llu\n", static_cast<unsigned long long>(epoch));
  if (::pwrite(file.get(), text.data(), kDigits + 1, 0) != kDigits + 1 || ::fsync(file.get()) != 0)
    return failed("write", path);
  return {};
}

// False: another process still holds it.
Result<bool> lock_alone(const Descriptor& file, const std::string& path, Duration patience) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(patience.raw);
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return failed("lock", path);
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kTryAgain);
  }
  return true;
}

}  // namespace

Result<std::shared_ptr<const EpochFence>> EpochFence::raise(const Spool& spool, std::uint64_t epoch,
                                                            Duration patience) {
  const std::string path = mark_of(spool);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return failed("make", path);
  const auto locked = lock_alone(file, path, patience);
  if (!locked) return tl::unexpected<Error>(locked.error());
  const auto mark = read_mark(file, path);
  if (!mark) return tl::unexpected<Error>(mark.error());
  if (*mark > epoch) return is_over(epoch, path);
  if (auto written = write_mark(file, path, epoch); !written) return tl::unexpected<Error>(written.error());
  return std::shared_ptr<const EpochFence>(new EpochFence(path, epoch));
}

Result<std::uint64_t> EpochFence::marked(const Spool& spool) {
  const std::string path = mark_of(spool);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return 0;
  if (!file.is_open()) return failed("open", path);
  return read_mark(file, path);
}

// Only a manager that takes over locks it alone.
Result<Descriptor> EpochFence::hold() const {
  Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return failed("open", path_);
  if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return is_over(epoch_, path_);
    return failed("lock", path_);
  }
  const auto mark = read_mark(file, path_);
  if (!mark) return tl::unexpected<Error>(mark.error());
  if (*mark > epoch_) return is_over(epoch_, path_);
  return file;
}

}  // namespace aliquot
