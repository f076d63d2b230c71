#include "manager/store/store_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace aliquot {

namespace {

// "1234", or nothing if the holder has not written it yet.
std::string holder(int fd) {
  std::array<char, 32> text{};
  const ssize_t size = pread(fd, text.data(), text.size() - 1, 0);
  std::string pid(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!pid.empty() && (pid.back() < '0' || pid.back() > '9')) pid.pop_back();
  return pid;
}

}  // namespace

Result<StoreLock> StoreLock::take(const std::string& store) {
  const std::string path = store + ".lock";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) {
    return fail(ErrorKind::unavailable, "store " + store + ": cannot make its lock file " + path + ": " +
                                            std::strerror(errno) +
                                            ": check that the directory exists and the manager's user may "
                                            "write there");
  }
  StoreLock lock(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const std::string pid = holder(fd);
    return fail(ErrorKind::conflict, "store " + store + ": in use by another manager" +
                                         (pid.empty() ? "" : ", process " + pid) +
                                         ": stop that one first, or name another state directory");
  }
  // The pid is for messages only: a disk too full to hold it says so when the store is opened.
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(fd, 0) == 0) static_cast<void>(!pwrite(fd, pid.data(), pid.size(), 0));
  return lock;
}

StoreLock::~StoreLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace aliquot
