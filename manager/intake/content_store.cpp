#include "manager/intake/content_store.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <type_traits>

#include "config/quantities.hpp"
#include "manager/hypervisor/descriptor.hpp"
#include "manager/hypervisor/files.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr mode_t kReadOnly = 0440;

tl::unexpected<Error> failed(const std::string& what, int reason) {
  return fail(ErrorKind::unavailable, "cannot " + what + ": " + std::strerror(reason) +
                                          "; an operator checks the spool (space, permissions)");
}

Result<void> write_at(int file, std::string_view bytes, std::size_t at) {
  // A hole stays a hole.
  if (std::ranges::all_of(bytes, [](char c) { return c == 0; })) return {};
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("write into the spool", errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<std::size_t>(n);
  }
  return {};
}

tl::unexpected<Error> too_large(const std::string& name, const ContentStore::CopyRules& rules) {
  return fail(ErrorKind::too_large, name + " is larger than " + rules.setting + " (" +
                                        print_memory(rules.at_most) +
                                        "); take a smaller file, or an operator raises the limit");
}

// Copies the file, or shares its blocks where the file system can, and computes the hash of the copy.
// `goes_on` is asked before each piece, with its size.
Result<std::string> copy(int from, int to, const std::string& name, const ContentStore::CopyRules& rules,
                         const std::function<Result<void>(Memory)>& goes_on) {
  const auto at_most = static_cast<std::size_t>(rules.at_most.raw);
  const bool shared = ::ioctl(to, FICLONE, from) == 0;
  const int source = shared ? to : from;
  Sha256 hash;
  std::string piece(kPiece, '\0');
  std::size_t size = 0;
  for (;;) {
    const ssize_t n = ::pread(source, piece.data(), piece.size(), static_cast<off_t>(size));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("read " + name, errno);
    if (n == 0) break;
    if (auto ok = goes_on({n}); !ok) return tl::unexpected<Error>(ok.error());
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(n));
    if (size + bytes.size() > at_most) return too_large(name, rules);
    hash.update(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    if (!shared)
      if (auto written = write_at(to, bytes, size); !written) return tl::unexpected<Error>(written.error());
    size += bytes.size();
  }
  if (::ftruncate(to, static_cast<off_t>(size)) != 0) return failed("write into the spool", errno);
  return hash.finish();
}

Instant instant_of(const timespec& time) { return {time.tv_sec * kMillion + time.tv_nsec / 1000}; }

// None if the file changed so lately that the next change could have the same time.
std::optional<FileVersion> version_of(int file) {
  constexpr Duration kGranularity = seconds(1);
  struct stat found {};
  timespec now{};
  if (::fstat(file, &found) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0) return std::nullopt;
  const FileVersion version{found.st_dev, found.st_ino, found.st_size, instant_of(found.st_mtim),
                            instant_of(found.st_ctim)};
  if (instant_of(now) - version.changed <= kGranularity) return std::nullopt;
  return version;
}

// The name of a file that is no content yet, or no longer.
std::string unfinished(const std::string& folder) {
  static std::atomic<std::uint64_t> count{0};
  return folder + "/.part-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

// A file that is still being written; removed unless it becomes a content.
class Part {
 public:
  explicit Part(const std::string& folder) : path_(unfinished(folder)) {
    file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kReadOnly));
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() { ::unlink(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int file() const { return file_.get(); }
  [[nodiscard]] Result<void> flush() const {
    if (::fsync(file_.get()) != 0) return failed("write into the spool", errno);
    return {};
  }

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace

Result<void> ContentStore::open(const std::vector<std::string>& needed) {
  const std::lock_guard lock(mutex_);
  if (auto made = make_directories(spool_.contents()); !made) return made;
  for (const std::string& content : needed) ++contents_[content].uses;
  // Where an earlier version kept archives.
  for (const auto& [sha256, content] : contents_)
    if (const std::string old = spool_.root() + "/archives/" + sha256 + ".cpio"; file_exists(old))
      if (auto moved = rename_file(old, spool_.content(sha256)); !moved) return moved;
  return {};
}

Result<void> ContentStore::remove_unused() {
  const std::lock_guard lock(mutex_);
  std::error_code fault;
  std::vector<std::string> unused;
  for (std::filesystem::directory_iterator at(spool_.contents(), fault), end; !fault && at != end;
       at.increment(fault))
    if (!contents_.contains(at->path().filename())) unused.push_back(at->path());
  if (fault) return failed("read " + spool_.contents(), fault.value());
  for (const std::string& path : unused)
    if (auto removed = remove_file(path); !removed) return removed;
  return {};
}

std::optional<std::string> ContentStore::use_again(const FileVersion& source) {
  const std::lock_guard lock(mutex_);
  const auto at =
      std::ranges::find_if(contents_, [&](const auto& row) { return row.second.source == source; });
  if (at == contents_.end() || !file_exists(spool_.content(at->first))) return std::nullopt;
  ++at->second.uses;
  return at->first;
}

bool ContentStore::use_again(const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  const auto at = contents_.find(sha256);
  if (at == contents_.end() || !file_exists(spool_.content(sha256))) return false;
  ++at->second.uses;
  return true;
}

// A copy may take long: the file may grow, and saves that begin meanwhile are promised their space.
Result<void> ContentStore::may_copy(const std::string& name) const {
  if (stopping_)
    return fail(ErrorKind::unavailable,
                "the manager ends, and has not taken " + name + "; ask again when it runs");
  return ask_for_space({kPiece}, "keep a copy of " + name);
}

// Only asked, not promised: what is copied now is on the disk before the next save looks.
Result<void> ContentStore::ask_for_space(Memory size, const std::string& what) const {
  if (!space_) return {};
  if (const auto space = space_->promise(size, what); !space) return tl::unexpected<Error>(space.error());
  return {};
}

Memory ContentStore::size_of(const std::set<std::string>& contents) const {
  Memory sum;
  for (const std::string& sha256 : contents) {
    std::error_code lost;
    const auto size = std::filesystem::file_size(spool_.content(sha256), lost);
    if (!lost) sum += Memory{static_cast<std::int64_t>(size)};
  }
  return sum;
}

// What a user is told of one copy, as long as it is made.
class ContentStore::CopyingRow {
 public:
  CopyingRow(ContentStore& store, std::uint32_t uid, Memory size) : store_(store), uid_(uid), size_(size) {
    change({}, size_);
  }
  CopyingRow(const CopyingRow&) = delete;
  CopyingRow& operator=(const CopyingRow&) = delete;
  ~CopyingRow() { change({-done_.raw}, {-size_.raw}); }
  void add(Memory piece) {
    done_ += piece;
    change(piece, {});
  }

 private:
  void change(Memory done, Memory of) const {
    const std::lock_guard lock(store_.copying_mutex_);
    Copying& row = store_.copying_[uid_];
    row.done += done;
    row.of += of;
    if (row.of.raw <= 0) store_.copying_.erase(uid_);
  }

  ContentStore& store_;
  std::uint32_t uid_;
  Memory size_, done_;
};

std::optional<ContentStore::Copying> ContentStore::copying(std::uint32_t uid) const {
  const std::lock_guard lock(copying_mutex_);
  const auto at = copying_.find(uid);
  return at == copying_.end() ? std::nullopt : std::optional(at->second);
}

Result<void> ContentStore::keep(std::string_view bytes, const std::string& sha256) {
  if (use_again(sha256)) return {};
  if (auto space = ask_for_space({static_cast<std::int64_t>(bytes.size())}, "keep the program"); !space)
    return space;
  const Part part(spool_.contents());
  if (part.file() < 0) return failed("create " + part.path(), errno);
  if (auto written = write_at(part.file(), bytes, 0); !written) return written;
  if (::ftruncate(part.file(), static_cast<off_t>(bytes.size())) != 0)
    return failed("write into the spool", errno);
  if (auto flushed = part.flush(); !flushed) return flushed;
  return admit(part.path(), sha256, std::nullopt);
}

Result<void> ContentStore::use(const std::string& sha256) {
  if (use_again(sha256)) return {};
  return fail(ErrorKind::refused,
              "the spool has lost " + spool_.content(sha256) + "; add the same file again");
}

Result<std::string> ContentStore::keep_copy(int file, const std::string& name, const CopyRules& rules) {
  const auto version = version_of(file);
  if (version && !rules.afresh)
    if (auto known = use_again(*version)) return *known;
  struct stat source {};
  if (::fstat(file, &source) != 0) return failed("read " + name, errno);
  if (source.st_size > rules.at_most.raw) return too_large(name, rules);
  if (auto space = ask_for_space({source.st_blocks * 512}, "keep a copy of " + name); !space)
    return tl::unexpected<Error>(space.error());
  const Part part(spool_.contents());
  if (part.file() < 0) return failed("create " + part.path(), errno);
  CopyingRow row(*this, rules.uid, {source.st_size});
  auto sha256 = copy(file, part.file(), name, rules, [&](Memory piece) {
    row.add(piece);
    return may_copy(name);
  });
  if (!sha256) return sha256;
  if (auto checked = rules.good(part.file()); !checked) return tl::unexpected<Error>(checked.error());
  if (auto flushed = part.flush(); !flushed) return tl::unexpected<Error>(flushed.error());
  const bool unchanged = version && version_of(file) == version;
  if (auto admitted = admit(part.path(), *sha256, unchanged ? version : std::nullopt); !admitted)
    return tl::unexpected<Error>(admitted.error());
  return sha256;
}

Result<void> ContentStore::admit(const std::string& part, const std::string& sha256,
                                 const std::optional<FileVersion>& source) {
  const std::lock_guard lock(mutex_);
  if (auto moved = rename_file(part, spool_.content(sha256)); !moved) return moved;
  Content& content = contents_[sha256];
  ++content.uses;
  if (source) content.source = source;
  return {};
}

void ContentStore::release(const std::vector<std::string>& contents) {
  std::vector<std::string> gone;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& sha256 : contents) {
      const auto found = contents_.find(sha256);
      if (found == contents_.end() || --found->second.uses > 0) continue;
      contents_.erase(found);
      const std::string path = spool_.content(sha256);
      gone.push_back(unfinished(spool_.contents()));
      if (!rename_file(path, gone.back())) gone.back() = path;
    }
  }
  // A large file takes long to remove, and others wait for the lock.
  for (const std::string& path : gone) (void)remove_file(path);
}

}  // namespace aliquot
