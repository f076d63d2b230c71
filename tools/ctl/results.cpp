#include "tools/ctl/results.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kHead = 110, kMaxPath = 4096, kMaxEntries = 1'000'000;
constexpr std::string_view kTrailer = "TRAILER!!!", kWord = "aliquot-stage-out 1 ";

tl::unexpected<Error> damaged(const std::string& why) {
  return fail(ErrorKind::refused, "the result files are damaged: " + why + "; nothing was unpacked");
}
tl::unexpected<Error> hostile(const std::string& path, const std::string& why) {
  return fail(ErrorKind::refused,
              "the result files have an entry '" + path + "' that " + why + "; nothing was unpacked");
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool is_name(std::string_view part) { return !part.empty() && part != "." && part != ".."; }

// Up from the link's own directory at most to the top, and from there down by names alone. So no link
// leads out, by way of others neither: only real directories are gone up from.
bool stays_inside(std::string_view link, std::string_view target) {
  if (target.empty() || target.starts_with('/')) return false;
  auto depth = static_cast<std::ptrdiff_t>(parts_of(link).size()) - 1;
  bool down = false;
  for (const std::string_view part : parts_of(target)) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && (down || depth-- == 0)) return false;
    down |= part != "..";
  }
  return true;
}

Result<void> check(const ResultEntry& entry) {
  const std::vector<std::string_view> parts = parts_of(entry.path);
  if (entry.path.size() > kMaxPath || !std::ranges::all_of(parts, is_name) ||
      entry.path.find('\0') != std::string::npos)
    return hostile(entry.path.substr(0, 200), "is no path below the directory");
  if (!S_ISDIR(entry.mode) && !S_ISREG(entry.mode) && !S_ISLNK(entry.mode))
    return hostile(entry.path, "is neither a file, a directory nor a link");
  if (S_ISLNK(entry.mode) &&
      (entry.content.size() > kMaxPath || entry.content.find('\0') != std::string::npos ||
       !stays_inside(entry.path, entry.content)))
    return hostile(entry.path, "is a link out of the directory, to '" +
                                   std::string(entry.content.substr(0, 200)) + "'");
  return {};
}

// A file with several names. cpio sends its content with the last of them only.
using Inode = std::array<std::uint32_t, 3>;  // number, and that of its device

class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view archive) : archive_(archive) {}
  // False: that was the trailer.
  Result<bool> next(ResultEntry& entry);
  // Of the last entry, if it is a file with several names.
  [[nodiscard]] const std::optional<Inode>& inode() const { return inode_; }

 private:
  [[nodiscard]] bool number(std::size_t index, std::uint32_t& value) const {
    const char* at = archive_.data() + at_ + 6 + index * 8;
    return std::from_chars(at, at + 8, value, 16).ptr == at + 8;
  }
  bool take(std::size_t size, std::string_view& bytes) {
    if (size > archive_.size() - at_) return false;
    bytes = archive_.substr(at_, size);
    at_ = std::min(archive_.size(), (at_ + size + 3) / 4 * 4);
    return true;
  }

  std::string_view archive_;
  std::size_t at_ = 0;
  std::optional<Inode> inode_;
};

Result<bool> ArchiveReader::next(ResultEntry& entry) {
  std::uint32_t size = 0, name_size = 0, names = 0;
  Inode inode{};
  if (archive_.size() - at_ < kHead || archive_.substr(at_, 6) != "070701" || !number(0, inode[0]) ||
      !number(1, entry.mode) || !number(4, names) || !number(6, size) || !number(7, inode[1]) ||
      !number(8, inode[2]) || !number(11, name_size) || name_size == 0)
    return damaged("an entry has no head");
  inode_ = S_ISREG(entry.mode) && names > 1 ? std::optional(inode) : std::nullopt;
  // Head and name are padded together.
  std::string_view head_and_name;
  if (!take(kHead + name_size, head_and_name) || !take(size, entry.content))
    return damaged("an entry is cut short");
  entry.path = head_and_name.substr(kHead, name_size - 1);
  return entry.path != kTrailer;
}

// The bytes before the last line, if the line is of this content.
Result<std::string_view> checked(std::string_view sent) {
  if (sent.empty())
    return fail(ErrorKind::not_found, "no result files were handed out: the guest did not come so far");
  const std::size_t start = sent.substr(0, sent.size() - 1).rfind(kWord);
  if (!sent.ends_with('\n') || start == std::string_view::npos || sent.size() - start > 100)
    return fail(ErrorKind::conflict,
                "the result files are not whole: the guest was ended while it handed them out");
  const std::string_view line = sent.substr(start + kWord.size(), sent.size() - 1 - start - kWord.size());
  if (line.starts_with("too_large "))
    return fail(ErrorKind::too_large, "the result files take " + std::string(line.substr(10)) +
                                          " bytes, more than the job may hand out; give --stage-out-max");
  const std::string_view archive = sent.substr(0, start);
  if (line != "sha256 " + sha256_hex(archive)) return damaged("their SHA-256 is not that of the guest");
  return archive;
}

// As the guest names it in the archive.
std::string plain(const std::string& path) {
  std::string out;
  for (const std::string_view part : parts_of(path))
    if (!part.empty() && part != ".") out += (out.empty() ? "" : "/") + std::string(part);
  return out;
}

}  // namespace

Result<std::vector<ResultEntry>> read_results(std::string_view sent) {
  const auto archive = checked(sent);
  if (!archive) return tl::unexpected(archive.error());
  std::vector<ResultEntry> entries;
  std::set<std::string> paths;
  std::map<Inode, std::vector<std::size_t>> several;  // the entries of a file with several names
  ArchiveReader reader(*archive);
  for (;;) {
    ResultEntry entry;
    const auto more = reader.next(entry);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    if (auto good = check(entry); !good) return tl::unexpected(good.error());
    const bool is_directory = S_ISDIR(entry.mode);
    if (!paths.insert(entry.path).second && !is_directory) return hostile(entry.path, "stands there twice");
    if (entries.size() == kMaxEntries) return damaged("there are more than a million entries");
    if (reader.inode()) several[*reader.inode()].push_back(entries.size());
    entries.push_back(std::move(entry));
  }
  for (const auto& [inode, names] : several)
    for (const std::size_t name : names)
      if (entries[name].content.empty()) entries[name].content = entries[names.back()].content;
  return entries;
}

std::vector<std::string> absent(const std::vector<std::string>& asked,
                                const std::vector<ResultEntry>& entries) {
  std::vector<std::string> out;
  for (const std::string& path : asked) {
    const std::string name = plain(path);
    const bool there = name.empty() || std::ranges::any_of(entries, [&](const ResultEntry& entry) {
                         return entry.path == name || entry.path.starts_with(name + "/");
                       });
    if (!there) out.push_back(path);
  }
  return out;
}

}  // namespace aliquot
