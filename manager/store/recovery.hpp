// The steps at every start of the manager: open the file and migrate its schema, read and check the stored
// state, and increment the epoch durably.
//
// After an Error, which names the file and what to do, the file is unchanged.
#pragma once

#include <optional>
#include <string>

#include "manager/store/replication.hpp"
#include "manager/store/sqlite_db.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

[[nodiscard]] Result<void> make_directory_of(const std::string& path);

// Refuses a store whose log ends before a step that was acknowledged. Reads only; a file that cannot be
// read is left to open_for_writing().
[[nodiscard]] Result<void> refuse_cut_off(const std::string& path);

// The writer's connection: WAL, synchronous=FULL, current schema. Creates the file if necessary, with mode
// 0600 because it contains the users' commands.
[[nodiscard]] Result<Db> open_for_writing(const std::string& path);

// The identity, the clocks, the newest snapshot and the steps after it, without gaps; the epoch is not yet
// filled. If the newest step is the one that is known, neither snapshot nor steps are read.
[[nodiscard]] Result<Recovered> read_state(const Db& db, std::optional<KnownStep> known = std::nullopt);

// The identity of the cluster; empty: the store was never used.
[[nodiscard]] Result<std::string> read_cluster(const Db& db);

// What a part of the manager has kept last under this name (Store::keep_learned), in a store that may be in
// use; empty: nothing.
[[nodiscard]] Result<std::string> read_learned(const std::string& path, const std::string& name);

// Gives a new store its identity and an existing one its next epoch, and fills both into `recovered`. A
// store that is not replicated any more forgets that it was: what follows is in no log.
[[nodiscard]] Result<void> begin_epoch(Db& db, Recovered& recovered,
                                       const Replication* replication = nullptr);

}  // namespace aliquot
