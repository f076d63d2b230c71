#include "manager/store/recovery.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "manager/store/durable_mark.hpp"
#include "manager/store/schema.hpp"
#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"

namespace aliquot {

namespace {

constexpr const char* kDamaged =
    ": set the file aside, see what 'aliquot db check' and 'aliquot db export' can read of it, then put a "
    "backup in its place";

tl::unexpected<Error> damaged(const Db& db, const std::string& what) {
  return fail(ErrorKind::refused, "store " + db.path() + ": " + what + kDamaged);
}

// Keeps the message of the codec, and the kind `unsupported` of a newer version.
tl::unexpected<Error> undecodable(const Db& db, const std::string& which, const Error& error) {
  if (error.kind != ErrorKind::unsupported) return damaged(db, which + ": " + error.message);
  return fail(error.kind, "store " + db.path() + ": " + which + ": " + error.message);
}

// 128 random bits, so that the domains of two clusters on one node are never confused.
std::string random_cluster_id() {
  std::random_device entropy;
  constexpr char digits[] = "0123456789abcdef";
  std::string id;
  for (int word = 0; word < 4; ++word) {
    auto bits = entropy();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4) id.push_back(digits[bits & 15]);
  }
  return id;
}

std::int64_t wall_unix_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

Result<void> use_wal(Db& db) {
  auto mode = db.prepare("PRAGMA journal_mode = WAL");
  if (!mode) return tl::unexpected<Error>(mode.error());
  const auto row = mode->step();
  if (!row) return tl::unexpected<Error>(row.error());
  if (!*row || mode->text(0) != "wal") {
    return fail(
        ErrorKind::unsupported,
        "store " + db.path() +
            ": this file system cannot hold a write-ahead log: put the state directory on a local disk");
  }
  mode->reset();
  // synchronous=FULL: a commit is on disk when it returns. The limit shrinks a log that a burst has
  // enlarged.
  return db.execute(
      "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864; "
      "PRAGMA cell_size_check = ON",
      "set it up");
}

Result<std::uint64_t> read_snapshot(const Db& db, Recovered& recovered) {
  auto newest = db.prepare("SELECT steps, now, json FROM snapshots ORDER BY steps DESC LIMIT 1");
  if (!newest) return tl::unexpected<Error>(newest.error());
  const auto row = newest->step();
  if (!row) return tl::unexpected<Error>(row.error());
  if (!*row) return 0;
  const auto covers = static_cast<std::uint64_t>(newest->integer(0));
  recovered.last = {newest->integer(1)};
  auto state = decode_state(newest->text(2));
  if (!state) return undecodable(db, "the snapshot of step " + std::to_string(covers), state.error());
  recovered.snapshot = std::move(*state);
  return covers;
}

Result<void> read_identity(const Db& db, Recovered& recovered) {
  return read_cluster(db).map([&](std::string cluster) { recovered.cluster_id = std::move(cluster); });
}

Result<void> read_clocks(const Db& db, Recovered& recovered) {
  auto rows = db.prepare("SELECT epoch, first, offset_us, boot, uptime_us FROM clocks ORDER BY epoch");
  if (!rows) return tl::unexpected<Error>(rows.error());
  for (;;) {
    const auto row = rows->step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return {};
    recovered.clocks.push_back({static_cast<std::uint64_t>(rows->integer(0)),
                                {rows->integer(1)},
                                rows->integer(2),
                                rows->text(3),
                                rows->integer(4)});
  }
}

Result<void> read_nodes(const Db& db, Recovered& recovered) {
  auto nodes = db.prepare("SELECT json FROM nodes");
  if (!nodes) return tl::unexpected<Error>(nodes.error());
  const auto row = nodes->step();
  if (!row) return tl::unexpected<Error>(row.error());
  if (*row) recovered.nodes = nodes->text(0);
  return {};
}

Result<void> read_learned(const Db& db, Recovered& recovered) {
  auto rows = db.prepare("SELECT name, text FROM learned");
  if (!rows) return tl::unexpected<Error>(rows.error());
  for (;;) {
    const auto row = rows->step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return {};
    recovered.learned[rows->text(0)] = rows->text(1);
  }
}

}  // namespace

Result<std::string> read_cluster(const Db& db) {
  auto identity = db.prepare("SELECT cluster_id FROM identity");
  if (!identity) return tl::unexpected<Error>(identity.error());
  const auto row = identity->step();
  if (!row) return tl::unexpected<Error>(row.error());
  return *row ? identity->text(0) : std::string();
}

Result<std::string> read_learned(const std::string& path, const std::string& name) {
  auto db = Db::open(path, Db::Access::read_only);
  if (!db) return tl::unexpected<Error>(db.error());
  auto rows = db->prepare("SELECT text FROM learned WHERE name = ?");
  if (!rows) return tl::unexpected<Error>(rows.error());
  const auto row = rows->bind(std::string_view(name)).step();
  if (!row) return tl::unexpected<Error>(row.error());
  return *row ? rows->text(0) : std::string();
}

Result<void> make_directory_of(const std::string& path) {
  std::error_code failure;
  const auto directory = std::filesystem::path(path).parent_path();
  if (!directory.empty()) std::filesystem::create_directories(directory, failure);
  if (!failure) return {};
  return fail(ErrorKind::unavailable, "store " + path + ": cannot make its directory: " +
                                          failure.message() + ": make it, writable for the manager's user");
}

Result<void> refuse_cut_off(const std::string& path) {
  const auto mark = DurableMark::read(path);
  const auto db = Db::open(path, Db::Access::read_only);
  if (!mark || !db) return {};
  Recovered recovered;
  if (!read_identity(*db, recovered) || recovered.cluster_id.empty()) return {};
  const auto last = db->integer(kLastStep);
  if (!last) return {};
  return check_durable_mark(path, mark, recovered.cluster_id, static_cast<std::uint64_t>(*last));
}

Result<Db> open_for_writing(const std::string& path) {
  // SQLite gives -wal and -shm the mode of the file. A failure here recurs below and is reported there.
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
  auto db = Db::open(path, Db::Access::create);
  if (!db) return db;
  // Checks the version first, so that a file that is not a store is not even switched to WAL.
  const auto ready = bring_up_to_date(*db).and_then([&] { return use_wal(*db); });
  if (!ready) return tl::unexpected<Error>(ready.error());
  return db;
}

Result<Recovered> read_state(const Db& db, std::optional<KnownStep> known_step) {
  Recovered recovered;
  const auto known = read_identity(db, recovered)
                         .and_then([&] { return read_clocks(db, recovered); })
                         .and_then([&] { return read_nodes(db, recovered); })
                         .and_then([&] { return read_learned(db, recovered); });
  if (!known) return tl::unexpected<Error>(known.error());
  if (known_step && db.integer(kLastStep) == static_cast<std::int64_t>(known_step->number)) {
    recovered.last = known_step->at;
    recovered.is_known = true;
    return recovered;
  }
  const auto covers = read_snapshot(db, recovered);
  if (!covers) return tl::unexpected<Error>(covers.error());
  auto rows = db.prepare("SELECT number, json FROM steps WHERE number > ? ORDER BY number");
  if (!rows) return tl::unexpected<Error>(rows.error());
  rows->bind(static_cast<std::int64_t>(*covers));
  std::uint64_t expected = *covers + 1;
  for (;; ++expected) {
    const auto row = rows->step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return recovered;
    const auto number = static_cast<std::uint64_t>(rows->integer(0));
    const std::string which = "step " + std::to_string(number);
    if (number != expected)
      return damaged(db, which + " stands where step " + std::to_string(expected) + " should");
    auto step = decode_step(rows->text(1));
    if (!step) return undecodable(db, which, step.error());
    if (step->number != number)
      return damaged(db, which + " says it is step " + std::to_string(step->number));
    recovered.last = step->now;
    recovered.steps.push_back(std::move(*step));
  }
}

Result<void> begin_epoch(Db& db, Recovered& recovered, const Replication* replication) {
  auto transaction = ShippedTransaction::begin(db, replication);
  if (!transaction) return tl::unexpected<Error>(transaction.error());
  if (!replication)
    if (auto alone = db.execute("DELETE FROM replica", "go on alone"); !alone) return alone;
  auto turn = db.prepare(
      "INSERT INTO identity VALUES(1, ?1, max(1, ?3), ?2) ON CONFLICT(one) DO UPDATE "
      "SET epoch = max(epoch + 1, ?3) RETURNING cluster_id, epoch");
  if (!turn) return tl::unexpected<Error>(turn.error());
  const std::string fresh_id = random_cluster_id();
  const std::int64_t at_least = replication ? static_cast<std::int64_t>(replication->epoch) : 0;
  turn->bind(std::string_view(fresh_id)).bind(wall_unix_us()).bind(at_least);
  const auto row = turn->step();
  if (!row) return tl::unexpected<Error>(row.error());
  recovered.cluster_id = turn->text(0);
  recovered.epoch = static_cast<std::uint64_t>(turn->integer(1));
  turn->reset();
  return transaction->commit();
}

}  // namespace aliquot
