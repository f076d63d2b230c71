#include "manager/store/replica.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "manager/store/change_set.hpp"
#include "manager/store/durable_mark.hpp"
#include "manager/store/recovery.hpp"
#include "manager/store/schema.hpp"

namespace aliquot {
namespace {

constexpr const char* kTrim =
    "DELETE FROM log WHERE sequence <= (SELECT max(sequence) FROM log) - 20000;"
    "DELETE FROM cpu_use WHERE job IN "
    "(SELECT job FROM ended WHERE place <= (SELECT max(place) FROM ended) - 5000);"
    "DELETE FROM ended WHERE place <= (SELECT max(place) FROM ended) - 5000;"
    "PRAGMA journal_mode = DELETE; VACUUM";

void remove_files(const std::string& path) {
  std::error_code absent;
  for (const char* ending : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(path + ending, absent);
}

Result<void> write_file(const std::string& path, const std::string& bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::size_t written = 0;
  while (fd >= 0 && written < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + written, bytes.size() - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  const bool whole = fd >= 0 && written == bytes.size() && ::fsync(fd) == 0;
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (whole) return {};
  return fail(ErrorKind::unavailable,
              "cannot write " + path + ": " + std::strerror(why) + ": check space and permissions there");
}

Result<std::string> read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad() || bytes.empty()) return fail(ErrorKind::unavailable, "cannot read " + path);
  return bytes;
}

}  // namespace

Result<Replica> Replica::open(const std::string& path) {
  if (auto made = make_directory_of(path); !made) return tl::unexpected<Error>(made.error());
  auto lock = StoreLock::take(path);
  if (!lock) return tl::unexpected<Error>(lock.error());
  Replica replica(std::move(*lock), path);
  if (auto opened = replica.open_db(); !opened) return tl::unexpected<Error>(opened.error());
  return replica;
}

Result<void> Replica::open_db() {
  auto db = open_for_writing(path_);
  if (!db) return tl::unexpected<Error>(db.error());
  const auto batch = newest_batch(*db);
  if (!batch) return tl::unexpected<Error>(batch.error());
  const auto cluster = read_cluster(*db);
  if (!cluster) return tl::unexpected<Error>(cluster.error());
  batch_ = *batch;
  cluster_ = *cluster;
  db_.emplace(std::move(*db));
  return {};
}

Result<void> Replica::apply(const ChangeBatch& batch) {
  if (batch.number != batch_ + 1)
    return fail(ErrorKind::internal, "store " + path_ + ": batch " + std::to_string(batch.number) +
                                         " came after batch " + std::to_string(batch_) +
                                         ": a bug, please report it");
  if (!cluster_.empty() && cluster_ != batch.cluster)
    return fail(ErrorKind::refused, "store " + path_ + " is of cluster " + cluster_ +
                                        ", etcd has that of cluster " + batch.cluster +
                                        ": set the store aside, or name another ha.prefix");
  if (batch.schema > kSchemaVersion)
    return fail(ErrorKind::unsupported, "the leader is of a newer version (schema " +
                                            std::to_string(batch.schema) + ", this program knows " +
                                            std::to_string(kSchemaVersion) + "): upgrade this manager");
  auto transaction = Transaction::begin(*db_);
  if (!transaction) return tl::unexpected<Error>(transaction.error());
  if (auto done = apply_changes(*db_, batch.changes); !done) return done;
  const auto now = newest_batch(*db_);
  if (!now) return tl::unexpected<Error>(now.error());
  if (*now != batch.number)
    return fail(ErrorKind::refused, "batch " + std::to_string(batch.number) + " says that it is batch " +
                                        std::to_string(*now) + ": etcd has another log at ha.prefix");
  if (auto done = transaction->commit(); !done) return done;
  batch_ = batch.number;
  cluster_ = batch.cluster;
  return {};
}

Result<void> Replica::begin() {
  if (batch_ > 0) return {};
  auto begun = db_->execute("INSERT OR REPLACE INTO replica VALUES(1, 1)", "begin a log");
  if (begun) batch_ = 1;
  return begun;
}

Result<void> Replica::go_on_alone() {
  auto gone = db_->execute("DELETE FROM replica", "go on alone");
  if (gone) batch_ = 0;
  return gone;
}

Result<void> Replica::become(const StoreCopy& copy) {
  const std::string draft = path_ + ".new";
  remove_files(draft);
  if (auto written = write_file(draft, copy.bytes); !written) return written;
  db_.reset();
  remove_files(path_);
  std::error_code absent;
  // The mark is of the store that this one replaces.
  std::filesystem::remove(durable_mark_of(path_), absent);
  if (std::rename(draft.c_str(), path_.c_str()) != 0)
    return fail(ErrorKind::unavailable, "cannot rename " + draft + ": " + std::strerror(errno));
  if (auto opened = open_db(); !opened) return opened;
  if (batch_ == copy.batch) return {};
  return fail(ErrorKind::refused, "the copy of the store in etcd has batch " + std::to_string(batch_) +
                                      ", not " + std::to_string(copy.batch) + " as it says");
}

Result<StoreCopy> copy_of_store(const std::string& path) {
  const std::string draft = path + ".copy";
  remove_files(draft);
  auto db = Db::open(path, Db::Access::read_only);
  if (!db) return tl::unexpected<Error>(db.error());
  auto vacuum = db->prepare("VACUUM INTO ?");
  if (!vacuum) return tl::unexpected<Error>(vacuum.error());
  if (auto made = vacuum->bind(std::string_view(draft)).run(); !made)
    return tl::unexpected<Error>(made.error());
  StoreCopy copy;
  const auto trim = [&]() -> Result<void> {
    auto part = Db::open(draft, Db::Access::create);
    if (!part) return tl::unexpected<Error>(part.error());
    if (auto trimmed = part->execute(kTrim, "trim a copy"); !trimmed) return trimmed;
    return newest_batch(*part).map([&](std::uint64_t batch) { copy.batch = batch; });
  };
  const auto trimmed = trim();
  auto bytes = trimmed ? read_all(draft) : Result<std::string>(tl::unexpected<Error>(trimmed.error()));
  remove_files(draft);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  copy.bytes = std::move(*bytes);
  return copy;
}

}  // namespace aliquot
