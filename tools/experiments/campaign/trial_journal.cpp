#include "tools/experiments/campaign/trial_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

namespace aliquot {
namespace {

tl::unexpected<Error> unavailable(const std::string& path, const std::string& what) {
  return fail(ErrorKind::unavailable, path + ": " + what + ": " + std::strerror(errno));
}

// The complete lines of a journal; `end` is where the last of them ends.
Result<std::vector<Trial>> parse_lines(const std::string& path, const std::string& text, std::size_t& end) {
  std::vector<Trial> trials;
  std::uint64_t line = 0;
  end = 0;
  for (std::size_t at; (at = text.find('\n', end)) != std::string::npos; end = at + 1) {
    const std::string_view whole(text.data() + end, at - end);
    if (++line == 1) {
      if (whole == trial_header(Columns::all)) continue;
      return fail(ErrorKind::invalid_argument,
                  path + ":1: other columns than this version writes: choose another --out, or remove it");
    }
    auto trial = parse_trial(whole);
    if (!trial) {
      return fail(ErrorKind::invalid_argument, path + ":" + std::to_string(line) +
                                                   ": damaged: " + trial.error().message +
                                                   ": remove the line, and its trial is run again");
    }
    trials.push_back(std::move(*trial));
  }
  return trials;
}

Result<std::string> read_all(const std::string& path, int file) {
  std::string text;
  char piece[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unavailable(path, "cannot be read");
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<TrialJournal> TrialJournal::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return unavailable(path, "cannot be opened");
  TrialJournal journal(path, file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorKind::conflict,
                path + ": another run is writing here: wait for it, or choose another --out");
  }
  if (auto loaded = journal.load(); !loaded) return tl::unexpected(loaded.error());
  return journal;
}

TrialJournal::TrialJournal(TrialJournal&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      found_(std::move(other.found_)),
      repaired_(other.repaired_),
      synced_(other.synced_) {}

TrialJournal::~TrialJournal() {
  if (file_ >= 0) ::close(file_);  // and is unlocked
}

Result<void> TrialJournal::load() {
  const auto text = read_all(path_, file_);
  if (!text) return tl::unexpected(text.error());
  std::size_t end = 0;
  auto trials = parse_lines(path_, *text, end);
  if (!trials) return tl::unexpected(trials.error());
  found_ = std::move(*trials);
  repaired_ = text->size() - end;
  if (repaired_ > 0 && ::ftruncate(file_, static_cast<off_t>(end)) != 0)
    return unavailable(path_, "the torn last line cannot be dropped");
  if (::lseek(file_, static_cast<off_t>(end), SEEK_SET) < 0) return unavailable(path_, "cannot be written");
  if (end > 0) return {};
  if (auto written = write(trial_header(Columns::all) + "\n"); !written) return written;
  return sync();
}

Result<void> TrialJournal::write(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t put = ::write(file_, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return unavailable(path_, "cannot be written");
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Result<void> TrialJournal::append(const Trial& trial) {
  if (auto written = write(trial_line(trial, Columns::all) + "\n"); !written) return written;
  constexpr auto kOften = std::chrono::milliseconds(500);
  return std::chrono::steady_clock::now() - synced_ < kOften ? Result<void>{} : sync();
}

Result<void> TrialJournal::add_missing(const std::vector<Trial>& trials) {
  std::set<TrialKey> known;
  for (const Trial& trial : found_) known.insert(trial.key);
  for (const Trial& trial : trials) {
    if (known.contains(trial.key)) continue;
    if (auto written = append(trial); !written) return written;
  }
  return sync();
}

Result<void> TrialJournal::sync() {
  synced_ = std::chrono::steady_clock::now();
  if (::fdatasync(file_) == 0 || errno == EINVAL) return {};  // EINVAL: not a file on a disk
  return unavailable(path_, "cannot be written");
}

Result<std::vector<Trial>> read_trials(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unavailable(path, "cannot be opened");
  const auto text = read_all(path, file);
  ::close(file);
  if (!text) return tl::unexpected(text.error());
  std::size_t end = 0;
  return parse_lines(path, *text, end);
}

}  // namespace aliquot
