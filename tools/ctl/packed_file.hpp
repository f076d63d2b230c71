// The archive of a submission as a file, for archives that are too large for a message: the manager copies
// it, as it copies an image.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/units.hpp"
#include "tools/ctl/archive_writer.hpp"

namespace aliquot::ctl {

// The first of TMPDIR, the working directory and HOME that this user may write to and that is below one of
// `roots`, the directories from which the manager takes files. Error: refused, there is none.
[[nodiscard]] Result<std::filesystem::path> packing_directory(const std::vector<std::string>& roots,
                                                              Memory size);

// Removed with the object, and when the program is ended by Ctrl-C, a closed terminal or SIGTERM. There is
// one at a time.
class PackedFile {
 public:
  // Written with progress.
  static Result<PackedFile> make(const std::filesystem::path& directory,
                                 const std::vector<PackedEntry>& entries);
  PackedFile(PackedFile&& other) noexcept;
  PackedFile& operator=(PackedFile&&) = delete;
  ~PackedFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }

 private:
  explicit PackedFile(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: it was moved from
  std::string sha256_;
};

}  // namespace aliquot::ctl
