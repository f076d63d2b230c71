// The text log: what log_lines says of each step, and what else the daemon has to say, on standard error.
//
// One line each: time (UTC), level, and the words as they are or as JSON. Where standard error is systemd's
// journal, each line begins with its priority and the time is left to the journal. say() and the
// setters may be called by any thread, the rest by the loop's.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/log_lines.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

enum class LogFormat : std::uint8_t { text, json };

class TextLog final : public Observer {
 public:
  // `level` as in the configuration: debug, info, warning, error. Anything else is taken as info.
  explicit TextLog(std::string_view level, LogFormat format = LogFormat::text);
  ~TextLog() override;

  // The lines of a step are made when it is made, and written when it is on disk.
  void on_step(const Step& step, const ClusterView& after) override;
  void on_durable(const Step& step) override;
  // A line of the daemon's own: "listening address=127.0.0.1:9750". Line breaks in it are escaped.
  void say(LogLevel level, const std::string& text);
  void set_level(std::string_view level);
  void set_format(LogFormat format);

 private:
  struct Sink;
  struct StepLines {
    std::uint64_t step = 0;
    std::vector<LogLine> lines;
  };
  std::unique_ptr<Sink> sink_;
  std::atomic<LogFormat> format_;
  std::deque<StepLines> waiting_;  // for the disk; of the loop's thread
};

}  // namespace aliquot
