#include "monitor/audit/audit_chain.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "monitor/sha256.hpp"
#include "policies/model/units.hpp"

namespace aliquot::audit {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kPrefix = "audit-", kSuffix = ".jsonl";
constexpr std::size_t kHashDigits = 64;
constexpr auto kWriting = std::chrono::milliseconds(200);

std::string date(std::int64_t unix_us) {
  const std::time_t whole = unix_us / kMillion;
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  char fraction[32];
  std::snprintf(fraction, sizeof fraction, ".%06dZ", static_cast<int>(unix_us % kMillion));
  return std::string(text, size) + fraction;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// The manager may be writing the last line.
bool read_line(std::istream& in, std::string& line) {
  const auto begin = in.tellg();
  if (!std::getline(in, line)) return false;
  if (!in.eof()) return true;
  std::this_thread::sleep_for(kWriting);
  in.clear();
  in.seekg(begin);
  return static_cast<bool>(std::getline(in, line));
}

// Follows the lines of one file after another.
class Chain {
 public:
  explicit Chain(const std::optional<Head>& known) : known_(known) {}

  // What is wrong with this line; empty: it follows from the one before it.
  std::string take(const std::string& line) {
    const json parsed = json::parse(line, nullptr, false);
    const json number = parsed.is_object() ? parsed.value("line", json()) : json();
    const json previous = parsed.is_object() ? parsed.value("previous", json()) : json();
    if (!number.is_number_unsigned() || !previous.is_string()) return "is no line of an audit log";
    const bool is_first = found_.first == 0;
    if (is_first) found_.first = number.get<std::uint64_t>();
    if (!is_first && number != found_.head.line + 1)
      return "is number " + number.dump() + " and follows number " + std::to_string(found_.head.line) +
             ": lines were removed or put in here";
    if ((!is_first || number == 1) && previous != found_.head.hash)
      return "does not follow from the line before it: one of the two was changed";
    found_.head = {number.get<std::uint64_t>(), sha256_hex(line)};
    if (known_ && known_->line == found_.head.line && known_->hash != found_.head.hash)
      return "is not the line that is known: it, or lines before it, were changed";
    return "";
  }
  [[nodiscard]] Result<Verified> result() const {
    const std::uint64_t last = found_.head.line;
    if (known_ && known_->line > last)
      return fail(ErrorKind::conflict, "the log ends with line " + std::to_string(last) + ", but line " +
                                           std::to_string(known_->line) +
                                           " is known to have been there: its end was cut off");
    return found_;
  }

 private:
  const std::optional<Head>& known_;
  Verified found_;
};

}  // namespace

std::string to_text(const Head& head) { return std::to_string(head.line) + ":" + head.hash; }

std::optional<Head> parse_head(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto line = number_of(text.substr(0, colon));
  const std::string_view hash = text.substr(colon + 1);
  const bool is_hash =
      hash.size() == kHashDigits && hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!line || !is_hash) return std::nullopt;
  return Head{*line, std::string(hash)};
}

std::string next_line(Head& head, const Record& record) {
  json line{{"line", head.line + 1},   {"at", date(record.unix_us)}, {"uid", record.uid},
            {"method", record.method}, {"code", record.code},        {"previous", head.hash}};
  if (record.pid != 0) line["pid"] = record.pid;
  const std::pair<const char*, const std::string*> texts[] = {
      {"key", &record.key}, {"address", &record.address}, {"object", &record.object}, {"why", &record.why}};
  for (const auto& [name, text] : texts)
    if (!text->empty()) line[name] = *text;
  std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace);
  head = {head.line + 1, sha256_hex(text)};
  return text;
}

std::string file_name(std::uint64_t first_line) {
  const std::string digits = std::to_string(first_line);
  return std::string(kPrefix) + std::string(12 - std::min<std::size_t>(12, digits.size()), '0') + digits +
         std::string(kSuffix);
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

Result<Verified> verify(const std::string& directory, const std::optional<Head>& known,
                        const std::function<void(const std::string&)>& each) {
  const std::vector<std::string> files = files_in(directory);
  if (files.empty() && !known)
    return fail(ErrorKind::not_found,
                "there is no audit log in " + directory + ", or this user may not read it");
  Chain chain(known);
  for (const std::string& file : files) {
    std::ifstream in(file);
    if (!in)
      return fail(ErrorKind::forbidden, "cannot read " + file + "; only the manager's user and root can");
    std::uint64_t place = 0;
    for (std::string line; read_line(in, line);) {
      ++place;
      const bool is_cut = in.eof();  // no line break at its end
      if (const std::string wrong = is_cut ? "is not complete" : chain.take(line); !wrong.empty())
        return fail(ErrorKind::conflict, "line " + std::to_string(place) + " of " + file + " " + wrong);
      if (each) each(line);
    }
  }
  return chain.result();
}

}  // namespace aliquot::audit
