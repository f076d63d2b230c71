#include "manager/store/backup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "manager/store/durable_mark.hpp"
#include "manager/store/maintenance.hpp"
#include "manager/store/recovery.hpp"
#include "manager/store/sqlite_db.hpp"
#include "manager/store/store_lock.hpp"

namespace aliquot {

namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

tl::unexpected<Error> failed(const std::string& doing, const std::string& path) {
  return fail(ErrorKind::unavailable, "cannot " + doing + " " + path + ": " + std::strerror(errno) +
                                          ": check space and permissions there");
}

Result<void> flush(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return failed("open", path);
  const bool flushed = ::fsync(fd) == 0;
  ::close(fd);
  if (!flushed) return failed("flush", path);
  return {};
}

Result<void> flush_directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path();
  return flush(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY);
}

Result<void> rename_if_there(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT) return failed("rename", from);
  return {};
}

// As one file without a log, by SQLite, under a name that says that it is not complete.
Result<void> copy_store(const std::string& store, const std::string& part) {
  ::unlink(part.c_str());
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return failed("create", part);
  ::close(fd);
  auto db = Db::open(store, Db::Access::read_only);
  if (!db) return tl::unexpected<Error>(db.error());
  auto copy = db->prepare("VACUUM INTO ?");
  if (!copy) return tl::unexpected<Error>(copy.error());
  return copy->bind(std::string_view(part)).run().and_then([&] { return flush(part, O_RDONLY); });
}

Result<void> require_sound(const std::string& backup) {
  const auto found = check_store(backup);
  if (!found) return tl::unexpected<Error>(found.error());
  if (found->problems.empty()) return {};
  return fail(ErrorKind::refused, "backup " + backup + " is not sound: " + found->problems.front() +
                                      ": see all of it with 'aliquot db check', and take another backup");
}

// Managers of the time after the backup had epochs that nodes remember. There is not more than one start in
// a second, so seconds since 1970 are above all of them.
Result<void> raise_epoch(const std::string& store) {
  auto db = Db::open(store, Db::Access::create);
  if (!db) return tl::unexpected<Error>(db.error());
  return db->execute("UPDATE identity SET epoch = max(epoch, CAST(strftime('%s', 'now') AS INTEGER))",
                     "begin a new epoch");
}

// A name that is free, also with the endings of the files beside it.
std::string free_name(const std::string& store) {
  int number = 1;
  const auto name = [&] { return store + ".before-restore-" + std::to_string(number); };
  while (exists(name()) || exists(name() + "-wal")) ++number;
  return name();
}

}  // namespace

Result<void> back_up_store(const std::string& store, const std::string& to) {
  if (!exists(store))
    return fail(ErrorKind::not_found, "store " + store +
                                          ": there is no such file: name the manager's "
                                          "aliquot.db");
  if (exists(to)) return fail(ErrorKind::conflict, to + " exists: name a new file");
  const std::string part = to + ".part";
  auto made = copy_store(store, part).and_then([&] { return require_sound(part); });
  if (made) made = rename_if_there(part, to).and_then([&] { return flush_directory_of(to); });
  if (!made) ::unlink(part.c_str());
  return made;
}

// The mark goes last: a restore that is cut off before leaves a store that is refused, and is done again.
Result<std::string> restore_store(const std::string& backup, const std::string& store) {
  if (auto sound = require_sound(backup); !sound) return tl::unexpected<Error>(sound.error());
  if (auto made = make_directory_of(store); !made) return tl::unexpected<Error>(made.error());
  const auto lock = StoreLock::take(store);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const std::string part = store + ".part";
  const std::string aside = exists(store) ? free_name(store) : std::string();
  auto done = copy_store(backup, part).and_then([&] { return raise_epoch(part); }).and_then([&] {
    return flush(part, O_RDONLY);
  });
  if (done && !aside.empty()) {
    done = rename_if_there(store + "-wal", aside + "-wal").and_then([&] {
      return rename_if_there(store, aside);
    });
  }
  if (!done) return tl::unexpected<Error>(done.error());
  ::unlink((store + "-wal").c_str());
  ::unlink((store + "-shm").c_str());
  done = rename_if_there(part, store).and_then([&] { return flush_directory_of(store); });
  if (!done) return tl::unexpected<Error>(done.error());
  ::unlink(durable_mark_of(store).c_str());
  return aside;
}

}  // namespace aliquot
