// The file operations that backends need, with Result values: bounded reads and atomic writes. All paths
// are in the spool. Symbolic links need no special care, because guests cannot write to any directory of
// the spool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

// The last `at_most` bytes of a regular file.
[[nodiscard]] Result<std::string> read_tail(const std::string& path, std::size_t at_most);
// The first `at_most` bytes of a regular file.
[[nodiscard]] Result<std::string> read_head(const std::string& path, std::size_t at_most);

// A part of a file that may not be there yet, and that may grow.
struct FileChunk {
  std::string bytes;
  std::uint64_t size = 0;  // of the whole file; 0 if there is none
};
[[nodiscard]] FileChunk read_chunk(const std::string& path, std::uint64_t offset, std::uint32_t at_most);

// Receives bytes in order; an error stops the transfer.
using Writer = std::function<Result<void>(std::string_view)>;

// Replaces the content of the file, or leaves it unchanged on failure: writes a second file, flushes it,
// renames it.
Result<void> write_atomically(const std::string& path,
                              const std::function<Result<void>(const Writer&)>& fill);

// The same for a file that others keep open: one that is there stays as it is, for success; and one that is
// there gets this content in place, which has its length.
Result<void> create_with(const std::string& path, std::string_view content);
Result<void> overwrite(const std::string& path, std::string_view content);

// Passes the content of the file to `to` in pieces and returns its size. An error if it is larger than
// `at_most`.
[[nodiscard]] Result<std::size_t> copy_file_to(const std::string& path, std::size_t at_most,
                                               const Writer& to);

// Replaces the file `to` by a copy of `from`, or leaves it unchanged on failure. On a file system that can
// share blocks (XFS, Btrfs, NFS 4.2) that takes no time; holes stay holes.
Result<void> copy_file(const std::string& from, const std::string& to);
// SHA-256 of the content, once it is on disk.
[[nodiscard]] Result<std::string> hash_on_disk(const std::string& path);
// Cuts the file to its first `length` bytes; an error if it has fewer.
Result<void> cut_file(const std::string& path, std::uint64_t length);
// Renamings in the directory are on disk.
Result<void> flush_directory(const std::string& path);

// The directory and its missing parents; only the manager, and the group of the spool, can enter them.
Result<void> make_directories(const std::string& path);
// An existing file is left unchanged.
Result<void> create_empty(const std::string& path);
// Success if there is no such file.
Result<void> remove_file(const std::string& path);
Result<void> rename_file(const std::string& from, const std::string& to);
[[nodiscard]] bool file_exists(const std::string& path);

}  // namespace aliquot
