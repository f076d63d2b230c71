// What every verb has at hand: the global options, a connection made when first needed, a place to print.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/ctl/client.hpp"
#include "tools/ctl/output.hpp"

namespace aliquot::ctl {

class JobFilter;

struct Globals {
  std::string server = "/run/aliquot/api.sock";
  Duration timeout = seconds(20);
  std::shared_ptr<const RemoteKey> key{};  // none: the manager is on this machine
  Form form = Form::table;
  bool headers = true;
  bool colour = false;
};

struct Answer {
  nlohmann::json body;
  std::string blob;
};

class Session {
 public:
  Globals globals;

  [[nodiscard]] Result<Answer> ask(Request request);
  // The same of a request that may take longer than others: waits at least so long.
  [[nodiscard]] Result<Answer> ask_patiently(Request request, Duration at_least);
  // The same of a request that waits until the manager has copied a file, for an hour at most. How far the
  // copy is stands on the terminal.
  [[nodiscard]] Result<Answer> ask_and_show_copy(Request request);
  // `list`, asked for part by part: the answer has all its jobs, each once. With a filter only those that
  // match; `limit` counts them.
  [[nodiscard]] Result<Answer> list(List list, const JobFilter* filter = nullptr);
  // `events`, likewise.
  [[nodiscard]] Result<Answer> events(Events events);
  // What the manager says of itself, its limits and this user; asked once.
  [[nodiscard]] Result<nlohmann::json> hello();

  // Prints the answer in the form that was asked for; the exit code.
  [[nodiscard]] Result<int> show(const nlohmann::json& answer, const Looks& looks) const;
  [[nodiscard]] TableStyle style() const { return {globals.headers, globals.colour}; }
  // Words for the person at the terminal.
  static void say(const std::string& words);

 private:
  std::unique_ptr<Client> client_;
  nlohmann::json hello_;
};

// Writes all of it to standard output; false if the reader has closed it.
bool print(const std::string& text);

}  // namespace aliquot::ctl
