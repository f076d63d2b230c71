#include "tools/sim/campaign/cell_journal.hpp"

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

// The whole lines of it; `end` is where the last of them ends.
Result<std::vector<Cell>> parse_lines(const std::string& path, const std::string& text, std::size_t& end) {
  std::vector<Cell> cells;
  std::uint64_t line = 0;
  end = 0;
  for (std::size_t at; (at = text.find('\n', end)) != std::string::npos; end = at + 1) {
    const std::string_view whole(text.data() + end, at - end);
    if (++line == 1) {
      if (whole == cell_header(Columns::all)) continue;
      return fail(ErrorKind::invalid_argument,
                  path + ":1: other columns than this version writes: choose another --out, or remove it");
    }
    auto cell = parse_cell(whole);
    if (!cell) {
      return fail(ErrorKind::invalid_argument, path + ":" + std::to_string(line) +
                                                   ": damaged: " + cell.error().message +
                                                   ": remove the line, and its cell is run again");
    }
    cells.push_back(std::move(*cell));
  }
  return cells;
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

Result<CellJournal> CellJournal::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return unavailable(path, "cannot be opened");
  CellJournal journal(path, file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorKind::conflict,
                path + ": another run is writing here: wait for it, or choose another --out");
  }
  if (auto loaded = journal.load(); !loaded) return tl::unexpected(loaded.error());
  return journal;
}

CellJournal::CellJournal(CellJournal&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      found_(std::move(other.found_)),
      repaired_(other.repaired_),
      synced_(other.synced_) {}

CellJournal::~CellJournal() {
  if (file_ >= 0) ::close(file_);  // and is unlocked
}

Result<void> CellJournal::load() {
  const auto text = read_all(path_, file_);
  if (!text) return tl::unexpected(text.error());
  std::size_t end = 0;
  auto cells = parse_lines(path_, *text, end);
  if (!cells) return tl::unexpected(cells.error());
  found_ = std::move(*cells);
  repaired_ = text->size() - end;
  if (repaired_ > 0 && ::ftruncate(file_, static_cast<off_t>(end)) != 0)
    return unavailable(path_, "the torn last line cannot be dropped");
  if (::lseek(file_, static_cast<off_t>(end), SEEK_SET) < 0) return unavailable(path_, "cannot be written");
  if (end > 0) return {};
  if (auto written = write(cell_header(Columns::all) + "\n"); !written) return written;
  return sync();
}

Result<void> CellJournal::write(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t put = ::write(file_, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return unavailable(path_, "cannot be written");
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Result<void> CellJournal::append(const Cell& cell) {
  if (auto written = write(cell_line(cell, Columns::all) + "\n"); !written) return written;
  constexpr auto kOften = std::chrono::milliseconds(500);
  return std::chrono::steady_clock::now() - synced_ < kOften ? Result<void>{} : sync();
}

Result<void> CellJournal::add_missing(const std::vector<Cell>& cells) {
  std::set<CellKey> known;
  for (const Cell& cell : found_) known.insert(cell.key);
  for (const Cell& cell : cells) {
    if (known.contains(cell.key)) continue;
    if (auto written = append(cell); !written) return written;
  }
  return sync();
}

Result<void> CellJournal::sync() {
  synced_ = std::chrono::steady_clock::now();
  if (::fdatasync(file_) == 0 || errno == EINVAL) return {};  // EINVAL: no file of a disk
  return unavailable(path_, "cannot be written");
}

Result<std::vector<Cell>> read_cells(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unavailable(path, "cannot be opened");
  const auto text = read_all(path, file);
  ::close(file);
  if (!text) return tl::unexpected(text.error());
  std::size_t end = 0;
  return parse_lines(path, *text, end);
}

}  // namespace aliquot
