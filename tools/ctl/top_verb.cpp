// top: the cluster as it lives, on the whole terminal; once, as plain text, where there is none.
#include <ncurses.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <clocale>
#include <nlohmann/json.hpp>

#include "tools/ctl/top_frame.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

constexpr std::size_t kDecisionsKept = 200;
constexpr std::uint64_t kLookBack = 2000;  // lines of the log, at the start
constexpr std::size_t kPlainWidth = 160;

// What the manager says, asked anew at every refresh; of the log only what is new.
class Watched {
 public:
  Result<void> refresh(Session& session) {
    for (const auto& [into, request] :
         {std::pair<json*, Request>{&status_, Status{}}, {&nodes_, NodeList{}}}) {
      auto answer = session.ask(request);
      if (!answer) return tl::unexpected<Error>(answer.error());
      *into = std::move(answer->body);
    }
    auto jobs = session.list(List{});
    if (!jobs) return tl::unexpected<Error>(jobs.error());
    jobs_ = std::move(jobs->body);
    if (!last_) {
      const auto newest = status_["last_event"].get<std::uint64_t>();
      last_ = newest > kLookBack ? newest - kLookBack : 0;
    }
    Events events;
    events.after = *last_;
    events.limit = 10'000;
    auto answer = session.events(events);
    if (!answer) return tl::unexpected<Error>(answer.error());
    for (json& row : answer->body["events"])
      if (row["event"].is_object() && row["event"].contains("turn")) decisions_.push_back(std::move(row));
    while (decisions_.size() > kDecisionsKept) decisions_.erase(0);
    last_ = answer->body["last"].get<std::uint64_t>();
    return {};
  }
  [[nodiscard]] std::size_t jobs() const { return jobs_["jobs"].size(); }
  // One picture, for programs.
  [[nodiscard]] json picture() const {
    return {{"status", status_},
            {"nodes", nodes_["nodes"]},
            {"jobs", jobs_["jobs"]},
            {"decisions", decisions_}};
  }
  [[nodiscard]] std::vector<StyledLine> frame(const TopView& view) const {
    return top_frame({status_, nodes_["nodes"], jobs_["jobs"], decisions_}, view);
  }

 private:
  json status_;
  json nodes_;
  json jobs_;
  json decisions_ = json::array();
  std::optional<std::uint64_t> last_;
};

// The terminal, given back as it was however this ends.
class Screen {
 public:
  explicit Screen(bool colour) {
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    if (!colour || !has_colors()) return;
    start_color();
    use_default_colors();
    colour_ = true;
    constexpr short kShares[kShareInks] = {COLOR_BLUE,    COLOR_GREEN,  COLOR_CYAN,
                                           COLOR_MAGENTA, COLOR_YELLOW, COLOR_WHITE};
    init_pair(1, COLOR_GREEN, -1);
    init_pair(2, COLOR_YELLOW, -1);
    init_pair(3, COLOR_RED, -1);
    for (short i = 0; i < kShareInks; ++i)
      init_pair(static_cast<short>(4 + i), kShares[i] == COLOR_BLUE ? COLOR_WHITE : COLOR_BLACK,
                kShares[i]);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen() { endwin(); }

  void draw(const std::vector<StyledLine>& frame) const {
    erase();
    const int rows = getmaxy(stdscr);
    for (int y = 0; y < rows && y < static_cast<int>(frame.size()); ++y) {
      move(y, 0);
      for (const Span& span : frame[static_cast<std::size_t>(y)]) {
        attrset(look(span.ink));
        addstr(span.text.c_str());
      }
    }
    attrset(A_NORMAL);
    ::refresh();
  }

 private:
  [[nodiscard]] int look(Ink ink) const {
    const auto pair = [this](int number) { return colour_ ? COLOR_PAIR(number) : 0; };
    switch (ink) {
      case Ink::plain:
        return A_NORMAL;
      case Ink::title:
        return A_BOLD;
      case Ink::dim:
        return A_DIM;
      case Ink::good:
        return static_cast<int>(pair(1));
      case Ink::wait:
        return static_cast<int>(pair(2));
      case Ink::bad:
        return static_cast<int>(pair(3)) | A_BOLD;
      default:
        return colour_ ? static_cast<int>(pair(4 + static_cast<int>(ink) - static_cast<int>(Ink::share0)))
                       : A_REVERSE;
    }
  }
  bool colour_ = false;
};

// False: leave.
bool take_key(int key, std::size_t jobs, std::size_t& first) {
  constexpr std::size_t kPage = 10;
  const std::size_t last = jobs > 0 ? jobs - 1 : 0;
  switch (key) {
    case 'q':
    case 'Q':
    case 27:  // escape
      return false;
    case KEY_DOWN:
    case 'j':
      first = std::min(first + 1, last);
      break;
    case KEY_UP:
    case 'k':
      first -= std::min<std::size_t>(first, 1);
      break;
    case KEY_NPAGE:
      first = std::min(first + kPage, last);
      break;
    case KEY_PPAGE:
      first -= std::min(first, kPage);
      break;
    case KEY_HOME:
      first = 0;
      break;
    default:
      break;
  }
  return true;
}

Result<int> on_terminal(Session& session, Watched& watched, int period_ms) {
  std::setlocale(LC_ALL, "");
  const Screen screen(session.globals.colour);
  std::size_t first = 0;
  while (true) {
    if (auto asked = watched.refresh(session); !asked) return tl::unexpected<Error>(asked.error());
    if (first >= watched.jobs()) first = watched.jobs() > 0 ? watched.jobs() - 1 : 0;
    for (int waited = 0; waited < period_ms;) {
      screen.draw(watched.frame({static_cast<std::size_t>(std::max(getmaxx(stdscr), 20)),
                                 static_cast<std::size_t>(std::max(getmaxy(stdscr), 8)), first}));
      timeout(period_ms - waited);
      const int key = getch();
      if (key == ERR) break;  // the time is over
      if (!take_key(key, watched.jobs(), first)) return 0;
      waited += period_ms / 20;  // many keys in a row must not put the next refresh off for ever
    }
  }
}

}  // namespace

Run declare_top(CLI::App& app) {
  auto period = std::make_shared<double>(1.0);
  app.add_option("--every", *period, "seconds from picture to picture")->check(CLI::Range(0.2, 3600.0));
  app.footer(
      "Keys: arrows, j, k, page up and down scroll the jobs; q leaves. Without a terminal the picture is\n"
      "printed once, as plain text; with -o json or yaml it is one document.");
  return [period](Session& session) -> Result<int> {
    Watched watched;
    if (auto asked = watched.refresh(session); !asked) return tl::unexpected<Error>(asked.error());
    if (session.globals.form > Form::wide) return session.show(watched.picture(), {});
    if (isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1)
      return on_terminal(session, watched, static_cast<int>(*period * 1000));
    print(plain(watched.frame({kPlainWidth, 0, 0})));
    return 0;
  };
}

}  // namespace aliquot::ctl
