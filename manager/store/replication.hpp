// How a store is kept on other machines, too: the rows that each of its transactions changes are shipped,
// as one batch, before the transaction is committed here. A store with all batches has the same rows.
//
// Batches are numbered from 1 without gaps, across openings of the store; the number is a row of its own,
// which is changed with the others. A transaction that could be shipped but not committed here (the disk is
// full, the process ends) is shipped again as the same batch, or comes back to this store as to any other
// (replica.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "manager/store/sqlite_db.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct ChangeBatch {
  std::uint64_t number = 0;
  std::int64_t schema = 0;  // of the store that was changed
  std::string cluster;      // its identity
  std::string changes;      // change_set.hpp
};

struct Replication {
  // Returns when the batch is durable elsewhere. An Error: nothing is committed here.
  std::function<Result<void>(const ChangeBatch&)> ship;
  // No other process can have gone on with the store.
  std::function<bool()> is_surely_ours;
  std::uint64_t epoch = 0;  // that of this opening is at least this one
};

// A transaction that is shipped before it is committed. Without `replication` just a transaction.
class ShippedTransaction {
 public:
  [[nodiscard]] static Result<ShippedTransaction> begin(Db& db, const Replication* replication);
  [[nodiscard]] Result<void> commit();

 private:
  struct Recorder;
  struct Delete {
    void operator()(Recorder* recorder) const;
  };
  ShippedTransaction(Transaction transaction, Db& db, const Replication* replication)
      : transaction_(std::move(transaction)), db_(&db), replication_(replication) {}
  [[nodiscard]] Result<void> ship();

  Transaction transaction_;
  Db* db_;
  const Replication* replication_;
  std::unique_ptr<Recorder, Delete> recorder_;  // ends before the transaction does
};

// The number of the newest batch that this store has; 0: none.
[[nodiscard]] Result<std::uint64_t> newest_batch(const Db& db);

}  // namespace aliquot
