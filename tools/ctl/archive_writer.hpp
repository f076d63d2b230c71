// Writes the archive of a submission (newc) from the files that it is made of, piece by piece: input files
// of gigabytes are never in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

struct PackedEntry {
  std::string path;                // without a leading slash
  std::uint32_t mode = 0;          // file type and permissions, as in stat(2)
  std::string content{};           // of a file that has no `source`; the target of a link
  std::filesystem::path source{};  // the file on this machine that has the content
  std::uint64_t size = 0;          // of `source`
};

// The largest file that the format can hold.
inline constexpr std::uint64_t kLargestEntry = 0xffffffff;

using ArchiveSink = std::function<Result<void>(std::string_view)>;

// Of the archive that is written of these.
[[nodiscard]] Memory archive_size(const std::vector<PackedEntry>& entries);

// Errors: as the sink has them; not_found or forbidden, a source cannot be read; conflict, one has become
// shorter since it was entered.
[[nodiscard]] Result<void> write_archive(const std::vector<PackedEntry>& entries, const ArchiveSink& sink);

// All of it; empty if there are no entries.
[[nodiscard]] Result<std::string> archive_in_memory(const std::vector<PackedEntry>& entries);

}  // namespace aliquot
