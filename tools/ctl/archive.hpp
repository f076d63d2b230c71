// Packs a command so that it runs in a task's guest (docs/guest-contract.md): the program, and what the
// kernel and the dynamic loader need to start it, at the absolute paths they have on this machine.
//
// What a program opens while it runs (its data, plugins) travels only where it is named as an input file;
// but python3 brings its standard library, and an MPI its plugins. Environment variables travel only where
// they are named, too: LD_LIBRARY_PATH does not.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "monitor/record/job_data.hpp"
#include "policies/model/error.hpp"
#include "tools/ctl/archive_writer.hpp"

namespace aliquot {

// Of the program and its libraries.
inline constexpr std::size_t kMaxArchive = std::size_t{64} << 20;

// The MPI that the program's libraries show.
inline constexpr char kAnyMpi[] = "auto";

// What is to be packed: paths on this machine.
struct CommandFiles {
  std::vector<std::string> argv;
  std::string workdir{};                // in the guest, absolute
  std::vector<std::string> stage_in{};  // files and directories, which go there
  std::optional<std::string> stdin_file{};
  std::optional<std::string> mpi{};     // an MPI program: of which MPI, or kAnyMpi
  std::uint64_t at_most = kMaxArchive;  // bytes, of all
};

struct PackedCommand {
  std::vector<std::string> argv;     // what the guest runs
  std::vector<PackedEntry> entries;  // of its archive; empty: it needs none
  std::vector<StagedInput> stage_in;
  std::optional<StagedInput> stdin_file;
  // For the user: what will be missing in the guest. "perl travels without its modules: ...".
  std::vector<std::string> warnings{};
};

// A newc archive: argv[0] as found here (in PATH unless it has a slash), its libraries and loader if it is
// dynamic, the interpreters of a script, and `aliquot/program`, the path to start; then the input files,
// and `aliquot/stdin`. With an MPI, its launcher, and the command is aliquot-mpi's. Equal files give equal
// bytes. No program if argv[0] is not on this machine but is a command of the guest's own; empty if there
// are no input files either. Errors: invalid_argument, not_found, forbidden, refused, unsupported (not for
// this processor), too_large, timeout.
[[nodiscard]] Result<PackedCommand> pack_command(const CommandFiles& files);

// Of a command that a disk image has: its input files and its standard input only; argv is left alone.
[[nodiscard]] Result<PackedCommand> pack_inputs(const CommandFiles& files);

}  // namespace aliquot
