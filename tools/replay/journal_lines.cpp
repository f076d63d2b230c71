#include "tools/replay/journal_lines.hpp"

#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"

namespace aliquot {
namespace {

constexpr std::string_view kStore = R"({"store":)";
constexpr std::string_view kSnapshot = R"({"snapshot":)";

}  // namespace

Result<JournalLines> JournalLines::open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorKind::not_found, path + ": cannot be read: is it there, and yours to read?");
  return JournalLines(std::move(file), path);
}

tl::unexpected<Error> JournalLines::bad(const std::string& why) const {
  return fail(ErrorKind::invalid_argument, path_ + ":" + std::to_string(line_) + ": " + why);
}

// False: there is none.
Result<bool> JournalLines::read_line() {
  text_.clear();
  ++line_;
  char buffer[1 << 16];
  for (;;) {
    file_.getline(buffer, sizeof buffer);
    text_.append(buffer);
    if (file_.bad()) return bad("cannot be read");
    if (file_.eof()) return !text_.empty();
    if (!file_.fail()) return true;
    if (text_.size() > kLongestLine) return bad("the line is too long for a journal");
    file_.clear();  // the line goes on
    if (file_.gcount() == 0) return bad("not a line of a journal");
  }
}

Result<std::optional<JournalLine>> JournalLines::next() {
  for (;;) {
    const auto more = read_line();
    if (!more) return tl::unexpected<Error>(more.error());
    if (!*more) return std::nullopt;
    if (text_.starts_with(kStore)) continue;
    if (!text_.starts_with(kSnapshot)) {
      auto step = decode_step(text_);
      if (!step) return bad(step.error().message);
      return JournalLine(std::move(*step));
    }
    if (!text_.ends_with('}')) return bad("the line ends too soon");
    auto state =
        decode_state(std::string_view(text_).substr(kSnapshot.size(), text_.size() - kSnapshot.size() - 1));
    if (!state) return bad("the snapshot: " + state.error().message);
    return JournalLine(std::move(*state));
  }
}

}  // namespace aliquot
