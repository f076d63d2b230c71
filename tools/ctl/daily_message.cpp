#include "tools/ctl/daily_message.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tools/ctl/session.hpp"

namespace aliquot::ctl {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours kDay{24};

// A file of a time that is yet to come is not believed.
bool was_shown(const std::string& message, const std::string& path) {
  std::error_code failed;
  const auto written = fs::last_write_time(path, failed);
  if (failed) return false;
  const auto age = fs::file_time_type::clock::now() - written;
  if (age < age.zero() || age >= kDay) return false;
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {}) == message;
}

}  // namespace

std::string daily_message_path(const char* state_home, const char* home) {
  const auto is_set = [](const char* value) { return value != nullptr && *value == '/'; };
  if (is_set(state_home)) return std::string(state_home) + "/aliquot/motd";
  return is_set(home) ? std::string(home) + "/.local/state/aliquot/motd" : std::string();
}

std::string message_to_show(const nlohmann::json& answer, const std::string& path) {
  const auto message = answer.find("motd");
  if (message == answer.end() || !message->is_string()) return "";
  const std::string text = message->get<std::string>();
  if (path.empty()) return text;
  if (was_shown(text, path)) return "";
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  return text;
}

void show_daily_message(const nlohmann::json& answer) {
  const std::string path = daily_message_path(std::getenv("XDG_STATE_HOME"), std::getenv("HOME"));
  if (const std::string text = message_to_show(answer, path); !text.empty())
    Session::say("message of the day: " + text);
}

}  // namespace aliquot::ctl
