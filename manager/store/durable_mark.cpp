#include "manager/store/durable_mark.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "monitor/sha256.hpp"

namespace aliquot {

namespace {

constexpr unsigned kSlots = 2;
constexpr off_t kSlotEvery = 4096;  // in sectors of their own
constexpr std::size_t kSlotSize = 256;
constexpr auto kFlushEvery = std::chrono::seconds(1);

std::string checksum(const std::string& cluster, std::uint64_t step) {
  return sha256_hex(cluster + " " + std::to_string(step)).substr(0, 16);
}

}  // namespace

std::string durable_mark_of(const std::string& store) { return store + ".durable"; }

Result<DurableMark> DurableMark::open(const std::string& store, const std::string& cluster,
                                      std::uint64_t step) {
  const std::string path = durable_mark_of(store);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  DurableMark mark(fd, cluster);
  if (fd >= 0 && mark.write(step, 0) && mark.write(step, 1) && ::fdatasync(fd) == 0) return mark;
  return fail(ErrorKind::unavailable, "store " + store + ": cannot write " + path + ": " +
                                          std::strerror(errno) + ": free space, then start again");
}

DurableMark::DurableMark(DurableMark&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      cluster_(std::move(other.cluster_)),
      slot_(other.slot_),
      flushed_(other.flushed_) {}

DurableMark::~DurableMark() {
  if (fd_ < 0) return;
  (void)::fdatasync(fd_);
  ::close(fd_);
}

bool DurableMark::write(std::uint64_t step, unsigned slot) const {
  std::string text = cluster_ + " " + std::to_string(step) + " " + checksum(cluster_, step) + "\n";
  text.resize(kSlotSize, ' ');
  return ::pwrite(fd_, text.data(), text.size(), kSlotEvery * slot) == static_cast<ssize_t>(text.size());
}

void DurableMark::note(std::uint64_t step) {
  if (!write(step, slot_)) return;
  slot_ = (slot_ + 1) % kSlots;
  const auto now = std::chrono::steady_clock::now();
  if (now - flushed_ < kFlushEvery) return;
  flushed_ = now;
  (void)::fdatasync(fd_);
}

std::optional<DurableMark::Said> DurableMark::read(const std::string& store) {
  const int fd = ::open(durable_mark_of(store).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::optional<Said> newest;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    std::array<char, kSlotSize> bytes{};
    const ssize_t size = ::pread(fd, bytes.data(), bytes.size(), kSlotEvery * slot);
    std::istringstream text(
        std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))));
    Said said;
    std::string sum;
    const bool good = text >> said.cluster >> said.step >> sum && sum == checksum(said.cluster, said.step);
    if (good && (!newest || newest->step < said.step)) newest = said;
  }
  ::close(fd);
  return newest;
}

Result<void> check_durable_mark(const std::string& store, const std::optional<DurableMark::Said>& mark,
                                const std::string& cluster, std::uint64_t last) {
  if (!mark || mark->cluster != cluster || mark->step <= last) return {};
  return fail(
      ErrorKind::refused,
      "store " + store + ": it ends at step " + std::to_string(last) + ", but step " +
          std::to_string(mark->step) +
          " was acknowledged: its write-ahead log is damaged, or the file was replaced. Nothing was "
          "changed. Put a backup in its place with 'aliquot db restore'; to go on with what is left, "
          "make the backup of this file with 'aliquot db backup' and restore that");
}

}  // namespace aliquot
