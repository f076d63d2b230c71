#include "tools/experiments/validity/live_driver.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace aliquot {
namespace {

// The terminal interrupts both programs. This one ignores it, to wait for the other to clean up.
class InterruptsIgnored {
 public:
  InterruptsIgnored() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
  InterruptsIgnored(const InterruptsIgnored&) = delete;
  InterruptsIgnored& operator=(const InterruptsIgnored&) = delete;
  ~InterruptsIgnored() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }

 private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

// Restores the handling of both signals in the program, which would inherit that they are ignored.
int spawn(pid_t& pid, const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  sigset_t heard;
  sigemptyset(&heard);
  sigaddset(&heard, SIGINT);
  sigaddset(&heard, SIGQUIT);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigdefault(&attributes, &heard);
  const int failed =
      posix_spawn(&pid, words.front().c_str(), nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

}  // namespace

std::string own_folder() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::string() : program.parent_path().string();
}

std::string live_driver() {
  // build/<preset>/bin in the source tree.
  const auto there = std::filesystem::path(own_folder()) / ".." / ".." / ".." / "tools" / "validity";
  std::error_code failed;
  const auto found = std::filesystem::canonical(there, failed);
  return failed ? std::string() : found.string();
}

Result<void> run_to_end(const std::vector<std::string>& words) {
  const InterruptsIgnored ignored;
  pid_t pid = -1;
  if (const int failed = spawn(pid, words); failed != 0)
    return fail(ErrorKind::unavailable, words.front() + ": cannot be started: " + std::strerror(failed));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return fail(ErrorKind::internal, words.front() + ": was lost");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFEXITED(status) ? "exit status " + std::to_string(WEXITSTATUS(status))
                                            : "signal " + std::to_string(WTERMSIG(status));
  return fail(ErrorKind::unavailable,
              "the live run did not succeed (" + how + "): its own words stand above");
}

}  // namespace aliquot
