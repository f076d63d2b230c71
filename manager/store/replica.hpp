// A store that follows that of another machine, by its batches or a copy of it; and the making of such
// copies. What follows has the rows of the other, and can be opened as the manager's store when it has all
// batches.
//
// One thread at a time. Holds the lock of the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "manager/store/replication.hpp"
#include "manager/store/sqlite_db.hpp"
#include "manager/store/store_lock.hpp"

namespace aliquot {

// A store as one file.
struct StoreCopy {
  std::uint64_t batch = 0;  // the newest that it has
  std::string bytes;
};

class Replica {
 public:
  // Creates the file if necessary.
  [[nodiscard]] static Result<Replica> open(const std::string& path);

  [[nodiscard]] std::uint64_t batch() const { return batch_; }
  [[nodiscard]] const Db& db() const { return *db_; }
  // Empty: nothing is in the store yet.
  [[nodiscard]] const std::string& cluster() const { return cluster_; }

  // Durable when it returns. The batch must be the next one. Errors: it is not, it is of another cluster or
  // of a store of a newer version.
  [[nodiscard]] Result<void> apply(const ChangeBatch& batch);
  // A store that has no batch is from now on as if it had the first one: a copy of it begins a log.
  [[nodiscard]] Result<void> begin();
  // The reverse: the store is in no log any more.
  [[nodiscard]] Result<void> go_on_alone();
  // Replaces all of the store.
  [[nodiscard]] Result<void> become(const StoreCopy& copy);

 private:
  Replica(StoreLock lock, std::string path) : lock_(std::move(lock)), path_(std::move(path)) {}
  [[nodiscard]] Result<void> open_db();

  StoreLock lock_;
  std::string path_;
  std::optional<Db> db_;
  std::uint64_t batch_ = 0;
  std::string cluster_;
};

// Of a store that may be in use. Of ended jobs and of the log for people it has the newest only, so that
// its size is bounded by what has not ended.
[[nodiscard]] Result<StoreCopy> copy_of_store(const std::string& path);

}  // namespace aliquot
