// `aliquot top`: its picture as text, and the program itself in a pseudo terminal.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "test/unit/tools/ctl/loopback_daemon.hpp"
#include "tools/ctl/top_frame.hpp"

namespace aliquot::ctl {
namespace {

using nlohmann::json;

std::string text_of(const StyledLine& line) {
  std::string text;
  for (const Span& span : line) text += span.text;
  return text;
}

struct Shown {
  json status = json::parse(R"({"cluster":"test","policy":"GREEDY","mode":"auto",
    "next_decision_in_s":null,"up_s":90,"nodes":{"up":2,"down":1},"jobs":{"running":3,"pending":40},
    "yield_min":0.25,"yield_mean":0.6})");
  json nodes = json::array();
  json jobs = json::array();
  json decisions = json::array();

  Shown() {
    for (const char* name : {"n0", "n1", "n2"})
      nodes.push_back({{"node", name},
                       {"state", name[1] == '2' ? "down" : "up"},
                       {"cpus", 2.0},
                       {"cpus_given", 1.5},
                       {"memory_bytes", 4LL << 30},
                       {"memory_used_bytes", 1LL << 30},
                       {"jobs", 2}});
    add_job(1, 0.5, {{{"node", "n0"}, {"tasks", 1}}});
    add_job(12, 0.25, {{{"node", "n0"}, {"tasks", 4}}});
    for (int job = 13; job < 53; ++job) add_job(job, nullptr, json::array());
    decisions.push_back(
        {{"at", "2026-01-31T08:00:00.123Z"},
         {"job", 12},
         {"event", {{"words", "slowed: yield 1.00 -> 0.25 on n0 (decision 3: \033[31mjob 1 arrived)"}}}});
  }
  void add_job(int job, const json& yield, const json& places) {
    jobs.push_back({{"job", job},
                    {"name", "a-name-that-is-rather-long"},
                    {"state", yield.is_null() ? "pending" : "running"},
                    {"tasks", 1},
                    {"cpus", 1.0},
                    {"yield", yield},
                    {"bounded_stretch", 2.5},
                    {"virtual_s", 30.0},
                    {"age_s", 75.0},
                    {"nodes", places}});
  }
  [[nodiscard]] std::vector<StyledLine> frame(const TopView& view) const {
    return top_frame({status, nodes, jobs, decisions}, view);
  }
};

TEST(TopFrame, CutsANodesCpuIntoItsFractions) {
  EXPECT_EQ(text_of(fraction_bar({{"1", 0.25}, {"12", 0.5}}, 20)), "1====12========.....");
  EXPECT_EQ(text_of(fraction_bar({}, 5)), ".....");
  EXPECT_EQ(text_of(fraction_bar({{"123456", 0.2}, {"7", 0.8}}, 10)), "==7=======")
      << "too narrow for its number";
  EXPECT_EQ(text_of(fraction_bar({{"1", 0.6}, {"2", 0.6}}, 10)), "1=====2===")
      << "never longer than the node";
}

TEST(TopFrame, FitsEveryScreenAndShowsTheThreeParts) {
  const Shown shown;
  for (const std::size_t width : {40U, 80U, 200U}) {
    for (const std::size_t height : {8U, 24U, 60U}) {
      const auto frame = shown.frame({width, height, 0});
      EXPECT_LE(frame.size(), std::max<std::size_t>(height, 12)) << width << "x" << height;
      for (const StyledLine& line : frame) EXPECT_LE(text_of(line).size(), width);
    }
  }
  const std::string text = plain(shown.frame({80, 24, 0}));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  for (const char* part :
       {"aliquot test", "yield 0.25 least, 0.60 mean", "1=========12====", "down", "####....", "more jobs",
        "DECISIONS", "08:00:00 job 12 slowed: yield 1.00 -> 0.25 on n0"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(text.find('\033'), std::string::npos) << "nobody writes to the terminal but this program";
}

TEST(TopFrame, ScrollsThroughTheJobs) {
  const Shown shown;
  const std::string text = plain(shown.frame({80, 24, 20}));
  EXPECT_EQ(text.find("\n   13 "), std::string::npos);
  EXPECT_NE(text.find("\n   33 "), std::string::npos) << text;
}

// The program with a terminal of its own, 80 columns wide.
class Terminal {
 public:
  explicit Terminal(const std::string& server) {
    winsize size{24, 80, 0, 0};
    child_ = forkpty(&fd_, nullptr, nullptr, &size);
    if (child_ != 0) return;
    setenv("TERM", "xterm-256color", 1);
    setenv("ALIQUOT_SERVER", server.c_str(), 1);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    execl(ALIQUOT_PROGRAM, "aliquot", "top", "--every", "0.2", nullptr);
    _exit(127);
  }
  ~Terminal() {
    if (child_ > 0 && !over_) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(fd_);
  }
  // All that came until this did; empty: it never did.
  std::string until(const std::string& wanted) {
    std::string all;
    pollfd wait{fd_, POLLIN, 0};
    char buffer[4096];
    while (all.find(wanted) == std::string::npos) {
      if (poll(&wait, 1, 20'000) <= 0) return "";
      const ssize_t count = read(fd_, buffer, sizeof buffer);
      if (count <= 0) return "";
      all.append(buffer, static_cast<std::size_t>(count));
    }
    return all;
  }
  void type(const char* keys) { EXPECT_GT(write(fd_, keys, strlen(keys)), 0); }
  int leaves() {
    char buffer[4096];
    while (read(fd_, buffer, sizeof buffer) > 0) continue;
    int status = -1;
    waitpid(child_, &status, 0);
    over_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int fd_ = -1;
  pid_t child_ = -1;
  bool over_ = false;
};

TEST(Top, LivesOnATerminalAndGivesItBack) {
  const test::LoopbackDaemon manager;
  Terminal terminal(manager.socket());
  const std::string shown = terminal.until("DECISIONS");
  EXPECT_NE(shown.find("\033[?1049h"), std::string::npos) << "another screen, so that this one comes back";
  for (const char* part : {"SCRIPTED", "n0", "chain", "pending"})
    EXPECT_NE(shown.find(part), std::string::npos) << part;
  terminal.type("j");
  terminal.type("q");
  EXPECT_EQ(terminal.leaves(), 0);
}

TEST(Top, IsPlainTextWithoutATerminal) {
  const test::LoopbackDaemon manager;
  const std::string command = "ALIQUOT_SERVER=" + manager.socket() +
                              " XDG_CONFIG_HOME=/nonexistent TERM= timeout 20 " ALIQUOT_PROGRAM
                              " top </dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  EXPECT_EQ(WEXITSTATUS(pclose(pipe)), 0);
  EXPECT_NE(out.find("n0         1===="), std::string::npos) << out;
  EXPECT_EQ(out.find('\033'), std::string::npos);
}

}  // namespace
}  // namespace aliquot::ctl
