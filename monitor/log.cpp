#include "monitor/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace aliquot {
namespace {

constexpr const char* kPattern = "%Y-%m-%dT%H:%M:%S.%eZ level=%l %v";

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

TextLog::TextLog(std::string_view level) : sink_(std::make_unique<Sink>()) {
  sink_->logger.set_formatter(
      std::make_unique<spdlog::pattern_formatter>(kPattern, spdlog::pattern_time_type::utc));
  sink_->logger.flush_on(spdlog::level::debug);
  set_level(level);
}

TextLog::~TextLog() = default;

void TextLog::on_step(const Step& step, const ClusterView& after) {
  for (const LogLine& line : log_lines(step, after)) say(line.level, line.text);
}

void TextLog::say(LogLevel level, const std::string& text) {
  sink_->logger.log(level_of(level), "{}", on_one_line(text));
}

void TextLog::set_level(std::string_view level) { sink_->logger.set_level(level_of(level_named(level))); }

}  // namespace aliquot
