#include "tools/sim/exec/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>

extern char** environ;

namespace aliquot {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kToEndByItself{1000};

tl::unexpected<Error> trouble(std::string what) {
  return fail(ErrorKind::invalid_argument, std::move(what));
}

std::string reason(int number) { return std::strerror(number); }

// A write to a program that has gone is an error to us, not a signal: SIGPIPE is held back meanwhile.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec now{};
    if (!sigismember(&before_, SIGPIPE)) {
      while (sigtimedwait(&pipe_, nullptr, &now) > 0) continue;
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

void close_all(std::initializer_list<int> files) {
  for (int file : files) {
    if (file >= 0) close(file);
  }
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::string& command) {
  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
    const int number = errno;
    close_all({in[0], in[1], out[0], out[1]});
    return trouble("no pipe to the program: " + reason(number));
  }
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // its children end with it
  posix_spawnattr_setpgroup(&attributes, 0);
  std::string shell = "sh", option = "-c", text = command;
  char* arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, "/bin/sh", &files, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close_all({in[0], out[1]});
  if (failed != 0) {
    close_all({in[1], out[0]});
    return trouble("the program cannot be started: " + reason(failed));
  }
  fcntl(in[1], F_SETFL, O_NONBLOCK);
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, in[1], out[0]));
}

ChildProcess::~ChildProcess() {
  close_all({to_, from_});
  if (ended_within(kToEndByItself)) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
}

bool ChildProcess::ended_within(milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  for (;;) {
    if (reaped_) return true;
    if (waitpid(pid_, &status_, WNOHANG) == pid_) {
      reaped_ = true;
    } else if (Clock::now() >= deadline) {
      return false;
    } else {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
}

std::string ChildProcess::how_it_ended() {
  if (!ended_within(kToEndByItself)) return "it closed its output";
  if (WIFSIGNALED(status_)) return "it was ended by signal " + std::to_string(WTERMSIG(status_));
  return "it ended with exit status " + std::to_string(WEXITSTATUS(status_));
}

Result<std::string> ChildProcess::ask(std::string_view line, milliseconds within, std::size_t longest) {
  const WithoutSigpipe held_back;
  const Deadline deadline = Clock::now() + within;
  if (!heard_.empty()) return trouble("it said something before it was asked: " + heard_.substr(0, 200));
  std::string question(line);
  question += '\n';
  std::string_view unsent = question;
  for (;;) {
    const std::size_t end = heard_.find('\n');
    if (end != std::string::npos && unsent.empty()) {
      std::string answer = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return answer;
    }
    if (auto moved = move_bytes(unsent, deadline, longest); !moved) return tl::unexpected(moved.error());
  }
}

Result<void> ChildProcess::move_bytes(std::string_view& unsent, Deadline deadline, std::size_t longest) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  if (left.count() <= 0) return trouble("it has not answered in time");
  pollfd files[2] = {{from_, POLLIN, 0}, {unsent.empty() ? -1 : to_, POLLOUT, 0}};
  const int ready = poll(files, 2, static_cast<int>(left.count()));
  if (ready < 0 && errno != EINTR) return trouble("poll: " + reason(errno));
  if (ready <= 0) return {};
  if (files[0].revents != 0) {
    if (auto received = receive_some(longest); !received) return received;
  }
  return files[1].revents != 0 ? send_some(unsent) : Result<void>{};
}

Result<void> ChildProcess::send_some(std::string_view& unsent) {
  const ssize_t sent = write(to_, unsent.data(), unsent.size());
  if (sent >= 0) {
    unsent.remove_prefix(static_cast<std::size_t>(sent));
  } else if (errno == EPIPE) {
    return trouble(how_it_ended());
  } else if (errno != EAGAIN && errno != EINTR) {
    return trouble("nothing can be written to it: " + reason(errno));
  }
  return {};
}

Result<void> ChildProcess::receive_some(std::size_t longest) {
  char buffer[65536];
  const ssize_t got = read(from_, buffer, sizeof buffer);
  if (got > 0) {
    heard_.append(buffer, static_cast<std::size_t>(got));
    if (heard_.size() > longest) {
      return trouble("its answer is longer than " + std::to_string(longest) + " bytes");
    }
  } else if (got == 0) {
    return trouble(how_it_ended());
  } else if (errno != EAGAIN && errno != EINTR) {
    return trouble("nothing can be read from it: " + reason(errno));
  }
  return {};
}

}  // namespace aliquot
