#include "manager/hypervisor/spool_space.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "config/quantities.hpp"

namespace aliquot {
namespace {

// Whole mebibytes: exact enough for a message.
std::string text_of(Memory memory) {
  return print_memory(mebibytes(std::max<std::int64_t>(0, memory.raw) >> 20));
}

}  // namespace

Result<Memory> free_space(const std::string& path) {
  struct statvfs found {};
  if (::statvfs(path.c_str(), &found) != 0)
    return fail(ErrorKind::unavailable, "cannot tell the free space of " + path + ": " +
                                            std::strerror(errno) + "; is the spool mounted?");
  return Memory{static_cast<std::int64_t>(found.f_bavail) * static_cast<std::int64_t>(found.f_frsize)};
}

std::shared_ptr<SpoolSpace> SpoolSpace::make(std::string root, Memory reserve, Free free, Of what) {
  return std::shared_ptr<SpoolSpace>(new SpoolSpace(std::move(root), reserve, std::move(free), what));
}

std::shared_ptr<SpoolSpace> SpoolSpace::make(const std::string& root, Memory reserve, Of what) {
  return make(
      root, reserve, [root] { return free_space(root); }, what);
}

Result<SpoolSpace::Promise> SpoolSpace::promise(Memory size, const std::string& what) {
  const auto free = free_();
  if (!free) return tl::unexpected<Error>(free.error());
  const std::lock_guard lock(mutex_);
  const Memory left = *free - promised_ - reserve_;
  const bool is_spool = what_ == Of::spool;
  if (size > left)
    return fail(ErrorKind::no_space,
                "cannot " + what + ": it takes up to " + text_of(size) + ", and " +
                    (is_spool ? "spool " : "the directory of local saves ") + root_ + " has " +
                    text_of(*free) + " free, of which " + text_of(promised_) +
                    " are promised to saves in progress and " + text_of(reserve_) +
                    " stay in reserve; an operator makes room there, or " +
                    (is_spool ? "lowers spool.reserve" : "gives the agent a larger disk (--saves)"));
  promised_ += size;
  return Promise(shared_from_this(), size);
}

void SpoolSpace::take_back(Memory size) {
  const std::lock_guard lock(mutex_);
  promised_ -= size;
}

}  // namespace aliquot
