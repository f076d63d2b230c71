#include "manager/store/new_store.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "manager/store/durable_mark.hpp"
#include "manager/store/recovery.hpp"
#include "manager/store/state_codec.hpp"

namespace aliquot {
namespace {

Result<void> write_state(Db& db, const StoreIdentity& identity, const CoreState& state) {
  auto transaction = Transaction::begin(db);
  if (!transaction) return tl::unexpected<Error>(transaction.error());
  auto owner = db.prepare("INSERT INTO identity VALUES(1, ?, ?, ?)");
  if (!owner) return tl::unexpected<Error>(owner.error());
  auto run = db.prepare("INSERT INTO clocks VALUES(?, ?, ?, ?, ?)");
  if (!run) return tl::unexpected<Error>(run.error());
  auto snapshot = db.prepare("INSERT INTO snapshots VALUES(?, ?, ?)");
  if (!snapshot) return tl::unexpected<Error>(snapshot.error());
  const std::string json = encode_state(state);
  const ClockRow& clock = identity.clock;
  const auto epoch = static_cast<std::int64_t>(clock.epoch);
  return owner->bind(std::string_view(identity.cluster_id))
      .bind(epoch)
      .bind(clock.offset_us)
      .run()
      .and_then([&] {
        return run->bind(epoch)
            .bind(clock.first.raw)
            .bind(clock.offset_us)
            .bind(std::string_view(clock.boot))
            .bind(clock.uptime_us)
            .run();
      })
      .and_then([&] {
        return snapshot->bind(static_cast<std::int64_t>(state.steps))
            .bind(state.view.now.raw)
            .bind(std::string_view(json))
            .run();
      })
      .and_then([&] { return transaction->commit(); });
}

// A manager that was refused leaves a store that was never used.
bool was_used(const std::string& path) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) return false;
  const auto db = Db::open(path, Db::Access::read_only);
  if (!db) return true;
  const auto state = read_state(*db);
  return !state || !state->cluster_id.empty() || state->snapshot || !state->steps.empty();
}

void remove_store(const std::string& path) {
  std::error_code absent;
  for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(path + ending, absent);
}

}  // namespace

Result<void> make_store(const std::string& path, const StoreIdentity& identity, const CoreState& state) {
  if (was_used(path))
    return fail(ErrorKind::conflict,
                "there is a store already: " + path +
                    ": 'aliquot db check' says whether it is sound; set it aside to make "
                    "a new one");
  if (auto made = make_directory_of(path); !made) return made;
  const std::string draft = path + ".new";
  remove_store(draft);
  {
    auto db = open_for_writing(draft);
    if (!db) return tl::unexpected<Error>(db.error());
    if (auto written = write_state(*db, identity, state); !written) return written;
    // Into the file itself, so that it can be renamed alone.
    if (auto whole = db->execute("PRAGMA wal_checkpoint(TRUNCATE)", "complete it"); !whole) return whole;
  }
  remove_store(path);
  std::error_code absent;
  for (const char* ending : {"-wal", "-shm"}) std::filesystem::remove(draft + ending, absent);
  // The mark of the lost store tells of steps that this one does not have.
  std::filesystem::remove(durable_mark_of(path), absent);
  if (std::rename(draft.c_str(), path.c_str()) == 0) return {};
  return fail(ErrorKind::unavailable,
              "cannot rename " + draft + " to " + path + ": " + std::strerror(errno));
}

}  // namespace aliquot
