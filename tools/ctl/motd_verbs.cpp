// motd set|show|clear.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string motd_text(const json& motd) {
  if (motd["text"].is_null()) return "there is no message of the day\n";
  return motd["text"].get<std::string>() + "\n(set by uid " + motd["by_uid"].dump() + " at " +
         motd["since"].get<std::string>() + ")\n";
}

Result<int> show_motd(Session& session, const Result<Answer>& answer) {
  if (!answer) return tl::unexpected<Error>(answer.error());
  return session.show(answer->body, {[&](bool) { return motd_text(answer->body); }, {}});
}

}  // namespace

Run declare_motd_set(CLI::App& app) {
  auto request = std::make_shared<MotdSet>();
  app.add_option("TEXT", request->text, "what all users are to read: at most 1000 bytes")->required();
  return [request](Session& session) { return show_motd(session, session.ask(*request)); };
}

Run declare_motd_show(CLI::App&) {
  return [](Session& session) { return show_motd(session, session.ask(MotdShow{})); };
}

Run declare_motd_clear(CLI::App&) {
  return [](Session& session) { return show_motd(session, session.ask(MotdClear{})); };
}

}  // namespace aliquot::ctl
