#include "monitor/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "monitor/log_lines.hpp"

namespace aliquot {
namespace {

// What systemd reads off the beginning of a line (sd-daemon(3)): "<6>" is info.
class Priority final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const char digit = message.level >= spdlog::level::err    ? '3'
                       : message.level == spdlog::level::warn ? '4'
                       : message.level == spdlog::level::info ? '6'
                                                              : '7';
    for (const char c : {'<', digit, '>'}) out.push_back(c);
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<Priority>();
  }
};

// systemd says in JOURNAL_STREAM which stream is its journal: device and inode (systemd.exec(5)).
bool journal_listens() {
  struct stat stream {};
  const char* named = std::getenv("JOURNAL_STREAM");
  if (named == nullptr || fstat(STDERR_FILENO, &stream) != 0) return false;
  return std::to_string(stream.st_dev) + ":" + std::to_string(stream.st_ino) == named;
}

std::string pattern(LogFormat format, bool journal) {
  if (format == LogFormat::json)
    return std::string(journal ? "%*{" : R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",)") + R"("level":"%l",%v})";
  return journal ? "%*level=%l %v" : "%Y-%m-%dT%H:%M:%S.%eZ level=%l %v";
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::info:
      break;
  }
  return spdlog::level::info;
}

LogLevel level_named(std::string_view name) {
  if (name == "debug") return LogLevel::debug;
  if (name == "warning") return LogLevel::warning;
  return name == "error" ? LogLevel::error : LogLevel::info;
}

std::string on_one_line(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\\n");
  return text;
}

}  // namespace

struct TextLog::Sink {
  spdlog::logger logger{"aliquotd", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
};

TextLog::TextLog(std::string_view level, LogFormat format)
    : sink_(std::make_unique<Sink>()), format_(format) {
  set_format(format);
  sink_->logger.flush_on(spdlog::level::debug);
  set_level(level);
}

TextLog::~TextLog() = default;

void TextLog::on_step(const Step& step, const ClusterView& after) {
  waiting_.push_back({step.number, log_lines(step, after)});
}

void TextLog::on_durable(const Step& step) {
  for (; !waiting_.empty() && waiting_.front().step <= step.number; waiting_.pop_front())
    for (const LogLine& line : waiting_.front().lines) say(line.level, line.text);
}

void TextLog::say(LogLevel level, const std::string& text) {
  sink_->logger.log(level_of(level), "{}",
                    format_ == LogFormat::json ? json_members(text) : on_one_line(text));
}

void TextLog::set_format(LogFormat format) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<Priority>('*').set_pattern(pattern(format, journal_listens()));
  sink_->logger.set_formatter(std::move(formatter));
  format_ = format;
}

void TextLog::set_level(std::string_view level) { sink_->logger.set_level(level_of(level_named(level))); }

}  // namespace aliquot
