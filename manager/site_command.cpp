#include "manager/site_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <vector>

#include "config/quantities.hpp"

extern char** environ;

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kOutputKept = 4096;
constexpr int kLookEvery_ms = 100;

// The end of a pipe; closed with its owner.
struct Fd {
  explicit Fd(int its_fd) : fd(its_fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(fd); }
  const int fd;
};

// In a process group of its own, with no signal blocked and SIGPIPE not ignored, as any command expects.
int spawn(const std::vector<std::string>& words, int output, pid_t& pid) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int failed = posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const std::size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

// Reads what is there without waiting for more than a moment.
void read_some(int fd, std::string& output) {
  pollfd ready{fd, POLLIN, 0};
  if (poll(&ready, 1, kLookEvery_ms) <= 0) return;
  char buffer[1024];
  const ssize_t got = read(fd, buffer, sizeof buffer);
  if (got <= 0) {
    usleep(kLookEvery_ms * 1000);  // its output is closed; it runs on
    return;
  }
  output.append(buffer, static_cast<std::size_t>(got));
  if (output.size() > kOutputKept) output.erase(0, output.size() - kOutputKept);
}

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return "ended with exit status " + std::to_string(WEXITSTATUS(status));
  return "was ended by signal " + std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

}  // namespace

Result<std::string> run_site_command(const SiteCommand& command, const std::string& node,
                                     const std::atomic<bool>& stopping) {
  std::vector<std::string> words = command.words;
  words.push_back(node);
  const std::string what = command.setting + " (" + words.front() + ") for node " + node + " ";
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fail(ErrorKind::internal, what + "could not be started: " + std::strerror(errno));
  const Fd output(ends[0]);
  pid_t pid = 0;
  int failed = 0;
  {
    const Fd input(ends[1]);
    failed = spawn(words, input.fd, pid);
  }
  if (failed != 0)
    return fail(ErrorKind::invalid_argument, what + "could not be started: " + std::strerror(failed));
  const auto deadline = Clock::now() + std::chrono::microseconds(command.timeout.raw);
  std::string said;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && Clock::now() < deadline && !stopping)
    read_some(output.fd, said);
  if (ended == 0) {
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
    return fail(ErrorKind::timeout,
                what + (stopping ? "was ended, because the manager stops"
                                 : "did not end within " + print_duration(command.timeout) + " (" +
                                       command.timeout_setting + ") and was killed; it is tried again"));
  }
  read_some(output.fd, said);
  if (ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return fail(ErrorKind::refused, what + how_it_ended(status) + "; it is tried again" +
                                        (said.empty() ? "" : ": " + last_line(said)));
  return last_line(said);
}

}  // namespace aliquot
