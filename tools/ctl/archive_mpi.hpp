// What an MPI program needs besides itself to be started on the tasks of a job: the launcher of the MPI
// that it was built with, as it is on this machine. The guest's own aliquot-mpi runs it (docs/mpi.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

enum class MpiKind { mpich, openmpi };

// As a user names one, and as aliquot-mpi does.
[[nodiscard]] std::optional<MpiKind> mpi_kind(const std::string& name);
[[nodiscard]] const char* name_of(MpiKind kind);

// By the libraries of a program (absolute paths). None: it uses no MPI that is known.
[[nodiscard]] std::optional<MpiKind> mpi_of(const std::vector<std::string>& libraries);

struct MpiLauncher {
  std::vector<std::filesystem::path> programs;  // with all that these need
  std::vector<std::filesystem::path> plugins;   // libraries that they open by name, with what these need
  std::vector<std::filesystem::path> texts;
};

// Absolute paths, of an installation from packages. Error: not_found (what is not installed).
[[nodiscard]] Result<MpiLauncher> mpi_launcher(MpiKind kind);

}  // namespace aliquot
