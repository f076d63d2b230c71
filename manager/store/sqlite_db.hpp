// SQLite's C interface with ownership and Result values: a connection, its prepared statements, a
// transaction.
//
// Every Error names the file, the operation, SQLite's message, and what to do. A Db must be used by one
// thread at a time (its user locks). A Statement refers to its Db and can be run many times. Nothing
// throws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace aliquot {

class Statement {
 public:
  // Binds the parameters 1, 2, ... in the order of the calls; text must live until the end of the run.
  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view text);
  Statement& bind(std::optional<std::int64_t> value);

  // Advances to the next row; false: no further row, and the statement can be bound and run again.
  [[nodiscard]] Result<bool> step();
  // For statements without rows.
  [[nodiscard]] Result<void> run();
  // Discards the remaining rows.
  void reset();

  // Values of the current row; columns from 0.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::optional<std::int64_t> maybe_integer(int column) const;
  [[nodiscard]] std::string text(int column) const;

 private:
  friend class Db;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3_stmt* raw, std::string path) : raw_(raw), path_(std::move(path)) {}

  std::unique_ptr<sqlite3_stmt, Finalize> raw_;
  std::string path_;
  int next_ = 1;
  int bound_ = 0;  // the first SQLite code that was not OK while binding
};

class Db {
 public:
  enum class Access : std::uint8_t {
    create,     // read and write; created if it does not exist
    read_only,  // also while a daemon uses the store
  };
  [[nodiscard]] static Result<Db> open(const std::string& path, Access access);

  // One or more statements without parameters or rows; `doing` completes "cannot ...".
  [[nodiscard]] Result<void> execute(const char* sql, std::string_view doing);
  [[nodiscard]] Result<Statement> prepare(std::string_view sql) const;
  // The value of a query with a single result.
  [[nodiscard]] Result<std::int64_t> integer(std::string_view sql) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] sqlite3* handle() const { return raw_.get(); }
  // The last call failed because the file system has no room, or the user's quota is used up.
  [[nodiscard]] bool disk_is_full() const;

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  Db(sqlite3* raw, std::string path) : raw_(raw), path_(std::move(path)) {}

  std::unique_ptr<sqlite3, Close> raw_;
  std::string path_;
};

// Rolls back unless it was committed.
class Transaction {
 public:
  [[nodiscard]] static Result<Transaction> begin(Db& db);
  Transaction(Transaction&& other) noexcept : db_(other.db_) { other.db_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  [[nodiscard]] Result<void> commit();

 private:
  explicit Transaction(Db& db) : db_(&db) {}
  Db* db_;
};

}  // namespace aliquot
