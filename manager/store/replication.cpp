#include "manager/store/replication.hpp"

#include <utility>

#include "manager/store/change_set.hpp"
#include "manager/store/recovery.hpp"
#include "manager/store/schema.hpp"

namespace aliquot {
struct ShippedTransaction::Recorder {
  ChangeRecorder changes;
};
void ShippedTransaction::Delete::operator()(Recorder* recorder) const { delete recorder; }

Result<std::uint64_t> newest_batch(const Db& db) {
  return db.integer("SELECT ifnull(max(batch), 0) FROM replica").map([](std::int64_t number) {
    return static_cast<std::uint64_t>(number);
  });
}

Result<ShippedTransaction> ShippedTransaction::begin(Db& db, const Replication* replication) {
  auto transaction = Transaction::begin(db);
  if (!transaction) return tl::unexpected<Error>(transaction.error());
  ShippedTransaction made(std::move(*transaction), db, replication);
  if (replication == nullptr) return made;
  auto changes = ChangeRecorder::begin(db);
  if (!changes) return tl::unexpected<Error>(changes.error());
  made.recorder_.reset(new Recorder{std::move(*changes)});
  return made;
}

Result<void> ShippedTransaction::ship() {
  const auto before = newest_batch(*db_);
  if (!before) return tl::unexpected<Error>(before.error());
  ChangeBatch batch;
  batch.number = *before + 1;
  batch.schema = kSchemaVersion;
  auto count = db_->prepare("INSERT OR REPLACE INTO replica VALUES(1, ?)");
  if (!count) return tl::unexpected<Error>(count.error());
  auto counted = count->bind(static_cast<std::int64_t>(batch.number)).run();
  if (!counted) return counted;
  auto cluster = read_cluster(*db_);
  if (!cluster) return tl::unexpected<Error>(cluster.error());
  batch.cluster = std::move(*cluster);
  auto changes = recorder_->changes.take();
  if (!changes) return tl::unexpected<Error>(changes.error());
  batch.changes = std::move(*changes);
  recorder_.reset();
  return replication_->ship(batch);
}

Result<void> ShippedTransaction::commit() {
  if (recorder_)
    if (auto shipped = ship(); !shipped) return shipped;
  return transaction_.commit();
}

}  // namespace aliquot
