// Writes cpio archives in the "newc" format, which Linux unpacks as its initial file system (kernel
// document initramfs-buffer-format). An initrd may contain several archives; a later file replaces an
// earlier one of the same path. Not a reader and not a general archiver: it writes regular files,
// directories and links, owned by root and without times, so equal input gives equal bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

struct NewcEntry {
  std::string path;        // without a leading slash
  std::uint32_t mode = 0;  // file type and permissions, as in stat(2)
  std::string content;     // of a file; the target of a symbolic link; empty for a directory
};

// The archive with its trailer, padded to 512 bytes. Parents of a path are added as directories (0755)
// where no entry names them.
[[nodiscard]] std::string newc_archive(const std::vector<NewcEntry>& entries);

// An entry before its content.
struct NewcHead {
  std::string path;
  std::uint32_t mode = 0;
  std::uint64_t size = 0;  // of the content, below 4 GiB
};

// Writes the same archive piece by piece. Errors are those of the sink.
class NewcWriter {
 public:
  using Sink = std::function<Result<void>(std::string_view)>;
  // `named`: the paths of all entries; needed only if a parent may come after what is below it.
  explicit NewcWriter(Sink sink, std::set<std::string> named = {})
      : sink_(std::move(sink)), named_(std::move(named)) {}

  Result<void> begin(const NewcHead& entry);
  // Of the entry that was begun last; in all as many bytes as its head says.
  Result<void> content(std::string_view bytes);
  // Its content is as long, and is not written here.
  void skip(std::uint64_t size) { at_ += size; }
  Result<void> finish();

 private:
  Result<void> put(std::string_view bytes);
  Result<void> pad_to(std::size_t boundary);
  Result<void> put_head(const NewcHead& entry, std::uint32_t inode);

  Sink sink_;
  std::set<std::string> named_;
  std::uint64_t at_ = 0;
  std::uint32_t inode_ = 1;
};

}  // namespace aliquot
