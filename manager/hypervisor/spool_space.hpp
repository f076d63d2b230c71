// The free space of the file system of the spool, or of the local saves of a node, and what of it is
// promised to saves in progress. A save begins
// only if its image will fit and the reserve stays free: a spool that is full would stop the consoles of
// all jobs, and a save that fails halfway has stopped its job for nothing.
//
// What a save in progress has written already counts twice, as used and as promised: too little may be
// promised, never too much. Thread-safe. Only this manager writes to the spool on purpose; guests write
// their consoles, which are bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "policies/model/error.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

class SpoolSpace : public std::enable_shared_from_this<SpoolSpace> {
 public:
  using Free = std::function<Result<Memory>()>;
  enum class Of : std::uint8_t { spool, local_saves };
  // `root` names it in messages; `reserve` is never promised.
  [[nodiscard]] static std::shared_ptr<SpoolSpace> make(std::string root, Memory reserve, Free free,
                                                        Of what = Of::spool);
  // The same, with what the file system of `root` reports.
  [[nodiscard]] static std::shared_ptr<SpoolSpace> make(const std::string& root, Memory reserve,
                                                        Of what = Of::spool);

  // Space that is promised until this is destroyed.
  class Promise {
   public:
    Promise(std::shared_ptr<SpoolSpace> space, Memory size) : space_(std::move(space)), size_(size) {}
    Promise(Promise&& other) noexcept : space_(std::move(other.space_)), size_(other.size_) {}
    Promise& operator=(Promise&&) = delete;
    ~Promise() {
      if (space_) space_->take_back(size_);
    }

   private:
    std::shared_ptr<SpoolSpace> space_;
    Memory size_;
  };
  // ErrorKind::no_space, with the figures, if `size` is not to be had. `what` names the use: "save
  // aliquot-7.0-1".
  [[nodiscard]] Result<Promise> promise(Memory size, const std::string& what);

 private:
  SpoolSpace(std::string root, Memory reserve, Free free, Of what)
      : root_(std::move(root)), what_(what), reserve_(reserve), free_(std::move(free)) {}
  void take_back(Memory size);

  const std::string root_;
  const Of what_;
  const Memory reserve_;
  const Free free_;
  std::mutex mutex_;
  Memory promised_;
};

// What unprivileged processes may still write to the file system of this path.
[[nodiscard]] Result<Memory> free_space(const std::string& path);

}  // namespace aliquot
