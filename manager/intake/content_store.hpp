// The files that users handed in, in the spool under the SHA-256 of their content. Each stands there once
// however many jobs and images use it, is never written again, and is removed when nothing needs it any
// more. All functions may be called by any thread.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/spool_space.hpp"
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

  // Once, before anything else: `needed` names each content as often as it is used.
  Result<void> open(const std::vector<std::string>& needed);
  // Contents that nothing needs: of submissions that were never acknowledged.
  Result<void> remove_unused();

  using Check = std::function<Result<void>(int copy)>;
  struct CopyRules {
    Memory at_most;
    std::string setting;    // that says so, for the message
    Check good;             // a copy is kept only if it is, whatever the file was before
    bool afresh = false;    // also a file that has not changed since it was copied
    std::uint32_t uid = 0;  // the user who waits for the copy
  };
  // Each counts one use. The caller has computed the hash of the bytes; that of the file is returned. What
  // was copied afresh replaces a copy that was damaged since.
  [[nodiscard]] Result<void> keep(std::string_view bytes, const std::string& sha256);
  [[nodiscard]] Result<std::string> keep_copy(int file, const std::string& name, const CopyRules& rules);
  // What these contents take.
  [[nodiscard]] Memory size_of(const std::set<std::string>& contents) const;
  // How far the copies are that a user waits for; none: there are no such copies.
  struct Copying {
    Memory done, of;
  };
  [[nodiscard]] std::optional<Copying> copying(std::uint32_t uid) const;
  // Of a content that is in use already. Error: refused, the spool has lost it.
  [[nodiscard]] Result<void> use(const std::string& sha256);

  // One use less of each.
  void release(const std::vector<std::string>& contents);

  // A copy that is being made fails, and so do later ones: the manager ends, and does not wait for them.
  void stop_copying() { stopping_ = true; }

 private:
  struct Content {
    std::uint64_t uses = 0;
    std::optional<FileVersion> source;  // that it was copied from, if a change of that file would be seen
  };
  [[nodiscard]] std::optional<std::string> use_again(const FileVersion& source);
  [[nodiscard]] bool use_again(const std::string& sha256);
  Result<void> admit(const std::string& part, const std::string& sha256,
                     const std::optional<FileVersion>& source);

  // Asked before each piece of a copy.
  [[nodiscard]] Result<void> may_copy(const std::string& name) const;
  class CopyingRow;
  [[nodiscard]] Result<void> ask_for_space(Memory size, const std::string& what) const;

  Spool spool_;
  std::shared_ptr<SpoolSpace> space_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::map<std::string, Content> contents_;  // by SHA-256
  mutable std::mutex copying_mutex_;
  std::map<std::uint32_t, Copying> copying_;  // by user
};

}  // namespace aliquot
