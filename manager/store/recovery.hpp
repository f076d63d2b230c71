// What happens once at every start: the file is opened and brought up to date, the state it holds is read
// and checked, and the epoch goes up by one, durably.
//
// Errors: whatever stands in the way, one Error that names the file and the way out; the file is then as
// it was.
#pragma once

#include <string>

#include "manager/store/sqlite_db.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

[[nodiscard]] Result<void> make_directory_of(const std::string& path);

// The writer's connection: WAL, synchronous=FULL, schema up to date. Makes the file (mode 0600, it holds
// what users run) if it is not there.
[[nodiscard]] Result<Db> open_for_writing(const std::string& path);

// The newest snapshot and the steps after it, without a hole; epoch and identity not yet filled.
[[nodiscard]] Result<Recovered> read_state(const Db& db);

// Gives a new store its identity, an old one its next epoch, and writes both into `recovered`.
[[nodiscard]] Result<void> begin_epoch(Db& db, Recovered& recovered);

}  // namespace aliquot
