#include "tools/experiments/campaign/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace aliquot {
namespace {

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::strcmp(kind, "dumb") != 0);
}

std::size_t columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

CampaignProgress::CampaignProgress(std::size_t total, std::size_t skipped)
    : total_(total),
      skipped_(skipped),
      done_(skipped),
      terminal_(is_terminal()),
      start_(Clock::now()),
      said_tenths_(total == 0 ? 10 : skipped * 10 / total) {}

std::string CampaignProgress::time_left(Clock::time_point now) const {
  const std::size_t own = done_ - skipped_;
  if (own == 0) return "";
  const double spent = std::chrono::duration<double>(now - start_).count();
  const auto left =
      static_cast<long>(spent / static_cast<double>(own) * static_cast<double>(total_ - done_));
  char text[64];
  if (left >= 3600)
    std::snprintf(text, sizeof text, "%ld h %02ld min left", left / 3600, left / 60 % 60);
  else if (left >= 60)
    std::snprintf(text, sizeof text, "%ld min %02ld s left", left / 60, left % 60);
  else
    std::snprintf(text, sizeof text, "%ld s left", left);
  return text;
}

void CampaignProgress::show_bar(Clock::time_point now) {
  const std::string figures =
      " " + std::to_string(done_) + "/" + std::to_string(total_) + "  " + time_left(now);
  const std::size_t width = columns();
  const std::size_t room =
      width > figures.size() + 13 ? std::min<std::size_t>(40, width - figures.size() - 3) : 10;
  const std::size_t full = total_ == 0 ? room : room * done_ / total_;
  std::fprintf(stderr, "\r\033[K[%s%s]%s", std::string(full, '#').c_str(),
               std::string(room - full, '.').c_str(), figures.c_str());
  std::fflush(stderr);
  shown_ = now;
}

void CampaignProgress::done() {
  ++done_;
  const auto now = Clock::now();
  if (terminal_) {
    if (now - shown_ > std::chrono::milliseconds(100) || done_ == total_) show_bar(now);
    return;
  }
  const std::size_t tenths = total_ == 0 ? 10 : done_ * 10 / total_;
  if (tenths == said_tenths_ && now - std::max(shown_, start_) < std::chrono::seconds(60)) return;
  said_tenths_ = tenths;
  shown_ = now;
  const std::string left = done_ == total_ ? "done" : time_left(now);
  std::fprintf(stderr, "%zu of %zu trials, %s\n", done_, total_, left.c_str());
}

void CampaignProgress::say(const std::string& line) {
  std::fprintf(stderr, terminal_ ? "\r\033[K%s\n" : "%s\n", line.c_str());
}

void CampaignProgress::finish() {
  if (terminal_) std::fprintf(stderr, "\r\033[K");
}

}  // namespace aliquot
