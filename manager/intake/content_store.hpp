// The files that users handed in, in the spool under the SHA-256 of their content. Each stands there once
// however many jobs use it, is never written again, and is removed when no job needs it any more. All
// functions may be called by any thread.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/spool_space.hpp"
#include "monitor/record/submission.hpp"
#include "policies/model/error.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

// A file at one time. Every later change of the file shows in it.
struct FileVersion {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  Instant modified;
  Instant changed;
  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

class ContentStore {
 public:
  // `space` bounds what is kept; null: the file system alone does.
  explicit ContentStore(Spool spool, std::shared_ptr<SpoolSpace> space = {})
      : spool_(std::move(spool)), space_(std::move(space)) {}

  // Once, before anything else: counts what the jobs need.
  Result<void> open(const std::vector<const Program*>& jobs);
  // Contents that no job needs: of submissions that were never acknowledged.
  Result<void> remove_unused();

  // Both count one use. The caller has computed the hash of the bytes; that of the file is returned. A copy
  // has at most `at_most` bytes and is kept only if it is `good`, whatever the file was before. A file that
  // has not changed since it was copied is not read again.
  using Check = std::function<Result<void>(int copy)>;
  [[nodiscard]] Result<void> keep(std::string_view bytes, const std::string& sha256);
  [[nodiscard]] Result<std::string> keep_copy(int file, const std::string& name, Memory at_most,
                                              const Check& good);

  // One use less of each.
  void release(const std::vector<std::string>& contents);

 private:
  struct Content {
    std::uint64_t uses = 0;
    std::optional<FileVersion> source;  // that it was copied from, if a change of that file would be seen
  };
  [[nodiscard]] std::optional<std::string> use_again(const FileVersion& source);
  [[nodiscard]] bool use_again(const std::string& sha256);
  Result<void> admit(const std::string& part, const std::string& sha256,
                     const std::optional<FileVersion>& source);

  [[nodiscard]] Result<void> ask_for_space(Memory size, const std::string& what) const;

  Spool spool_;
  std::shared_ptr<SpoolSpace> space_;
  std::mutex mutex_;
  std::map<std::string, Content> contents_;  // by SHA-256
};

}  // namespace aliquot
