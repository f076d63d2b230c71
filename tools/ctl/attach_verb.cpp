// attach: a terminal on a running task. Keys go to a shell in its guest on a connection of their own, since
// the other one waits for what the shell writes.
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <mutex>
#include <thread>

#include "manager/api/wire/error_names.hpp"
#include "tools/ctl/job_lookup.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

namespace {

constexpr char kLeave = 0x1d;  // Ctrl-]
constexpr auto kRetry = std::chrono::milliseconds(500);

// Every key goes to the guest at once, and the guest's terminal echoes it.
class RawTerminal {
 public:
  RawTerminal() : is_terminal_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_terminal_) return;
    termios raw = before_;
    cfmakeraw(&raw);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() {
    if (is_terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  [[nodiscard]] bool is_terminal() const { return is_terminal_; }

 private:
  termios before_{};
  bool is_terminal_;
};

// Of the manager, or of a node.
bool is_silence(ErrorKind kind) { return kind == ErrorKind::unavailable || kind == ErrorKind::timeout; }

// The terminal that is open now, for the thread that reads the keys; 0: none.
using Open = std::atomic<std::uint64_t>;

// Sends the keys until the user leaves, or the input ends. What is typed while no terminal is open is lost.
void send_keys(const Globals& globals, bool is_terminal, const Open& open, std::atomic<bool>& left) {
  Session session;
  session.globals = globals;
  std::string keys(kMostTypedAtOnce, '\0');
  while (!left) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (poll(&ready, 1, 200) <= 0) continue;
    const ssize_t got = read(STDIN_FILENO, keys.data(), keys.size());
    if (got <= 0) break;
    std::string typed = keys.substr(0, static_cast<std::size_t>(got));
    const std::size_t leave = is_terminal ? typed.find(kLeave) : std::string::npos;
    typed.resize(std::min(leave, typed.size()));
    while (!typed.empty() && !left && open != 0) {
      const auto sent = session.ask(TerminalWrite{open, typed});
      if (sent || sent.error().kind != ErrorKind::unavailable) break;
      std::this_thread::sleep_for(kRetry);
    }
    if (leave != std::string::npos) break;
  }
  left = true;
}

// Shows what the guest writes until the terminal ends, and returns why; none: the user has left.
Result<std::optional<std::string>> show_output(Session& session, std::uint64_t terminal,
                                               const std::atomic<bool>& left) {
  while (!left) {
    const auto answer = session.ask(TerminalRead{terminal});
    if (!answer) return tl::unexpected<Error>(answer.error());
    if (!print(answer->blob)) return std::optional<std::string>{};
    if (answer->body["ended"] == true)
      return std::optional<std::string>(answer->body["why"].get<std::string>());
  }
  return std::optional<std::string>{};
}

class Attachment {
 public:
  Attachment(Session& session, const JobTask& of)
      : session_(session),
        of_(of),
        name_("task " + std::to_string(of.task) + " of job " + std::to_string(of.job.raw)) {}

  Result<int> run() {
    auto terminal = attach();
    if (!terminal) return tl::unexpected<Error>(terminal.error());
    Session::say("attached to " + name_ + ": Enter starts a shell, Ctrl-] leaves it");
    const RawTerminal raw;
    std::thread keys([&] { send_keys(session_.globals, raw.is_terminal(), open_, left_); });
    const auto over = follow(*terminal);
    left_ = true;
    keys.join();
    return over;
  }

 private:
  Result<std::uint64_t> attach() {
    const auto answer = session_.ask(Attach{of_.job, of_.task});
    if (!answer) return tl::unexpected<Error>(answer.error());
    open_ = answer->body["terminal"].get<std::uint64_t>();
    return open_.load();
  }

  // Through pauses and moves, to the end of the task.
  Result<int> follow(std::uint64_t terminal) {
    while (true) {
      const auto why = show_output(session_, terminal, left_);
      open_ = 0;
      // A manager that was started again does not know it.
      const bool is_lost =
          !why && (why.error().kind == ErrorKind::not_found || is_silence(why.error().kind));
      if (!why && !is_lost) return tl::unexpected<Error>(why.error());
      if (left_ || (why && !*why)) {
        (void)session_.ask(TerminalClose{terminal});
        print("\r\n");
        return 0;
      }
      say_raw(name_ + ": " + (why ? **why : "the manager does not know it any more") +
              "; attaching again when it runs");
      const auto again = attach_again();
      if (!again) return tl::unexpected<Error>(again.error());
      if (*again == 0) return 0;
      terminal = *again;
      say_raw("attached again");
    }
  }

  // 0: the user has left, or the task has ended.
  Result<std::uint64_t> attach_again() {
    while (!left_) {
      const auto terminal = attach();
      if (terminal) return terminal;
      const ErrorKind kind = terminal.error().kind;
      if (kind == ErrorKind::not_found) {
        say_raw(terminal.error().message);
        return 0;
      }
      if (kind != ErrorKind::conflict && !is_silence(kind)) return terminal;
      std::this_thread::sleep_for(kRetry);
    }
    return 0;
  }

  // The terminal may be raw.
  static void say_raw(const std::string& words) { Session::say("\r" + words + "\r"); }

  Session& session_;
  const JobTask of_;
  const std::string name_;
  Open open_ = 0;
  std::atomic<bool> left_ = false;
};

}  // namespace

Run declare_attach(CLI::App& app) {
  auto of = std::make_shared<std::string>();
  app.add_option("JOB[.TASK]", *of, "job, or one task of it; tasks are counted from 0")->required();
  return [of](Session& session) -> Result<int> {
    const auto task = find_task(session, *of);
    if (!task) return tl::unexpected<Error>(task.error());
    return Attachment(session, *task).run();
  };
}

}  // namespace aliquot::ctl
