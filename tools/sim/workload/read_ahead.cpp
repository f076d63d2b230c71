#include "tools/sim/workload/read_ahead.hpp"

#include <system_error>
#include <utility>

namespace aliquot {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 17;
constexpr std::size_t kMostReady = 4;

}  // namespace

ReadAhead::ReadAhead(Read read) : read_(std::move(read)) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return;
  }
}

ReadAhead::~ReadAhead() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ReadAhead::run() {
  for (bool last = false; !last;) {
    Piece piece;
    piece.bytes.reserve(2 * kPiece);
    while (piece.more && *piece.more && piece.bytes.size() < kPiece) piece.more = read_(piece.bytes);
    last = !piece.more || !*piece.more;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stop_ || ready_.size() < kMostReady; });
    if (stop_) return;
    ready_.push_back(std::move(piece));
    lock.unlock();
    changed_.notify_one();
  }
}

Result<bool> ReadAhead::read(std::string& out) {
  if (!thread_.joinable()) return read_(out);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty(); });
  Piece& first = ready_.front();
  const std::string bytes = std::exchange(first.bytes, {});
  const bool last = !first.more || !*first.more;
  if (last && bytes.empty()) return first.more;  // and stays there, to be said again
  if (!last) ready_.pop_front();
  lock.unlock();
  changed_.notify_one();
  out.append(bytes);
  return true;
}

}  // namespace aliquot
