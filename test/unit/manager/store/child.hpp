// Runs part of a test in a process of its own: one that may be killed, or that has a file system of its
// own which no other test sees and which goes away with it.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <string>

namespace aliquot::test {

// What the child's function gives back: empty if all went well. "skip: ..." is for the test to skip.
inline std::string in_child(const std::function<std::string()>& run) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child < 0) return "no fork";
  if (child == 0) {
    close(ends[0]);
    const std::string said = run();
    if (write(ends[1], said.data(), said.size()) < 0) _exit(2);
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    said.append(buffer, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return "the child died, status " + std::to_string(status);
  return said;
}

// A small file system of this process's own on `directory`; what to skip with if that is not allowed.
inline std::string mount_tmpfs(const std::string& directory, const char* options) {
  if (geteuid() != 0) return "skip: only root may mount a small file system";
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("aliquot-test", directory.c_str(), "tmpfs", 0, options) != 0) {
    return std::string("skip: cannot mount a small file system: ") + std::strerror(errno);
  }
  return {};
}

}  // namespace aliquot::test
