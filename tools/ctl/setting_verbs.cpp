// policy, period and mode: show and set.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "monitor/codec_words.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string period_text(const json& answer) {
  if (answer["period_s"].is_null())
    return answer["policy"].get<std::string>() + " has no period: it decides when something happens\n";
  return short_seconds(answer["period_s"]) + "\n";
}

std::string policy_text(const json& answer, const TableStyle& style) {
  std::string out = answer["policy"].get<std::string>();
  if (!answer["period_s"].is_null()) out += ", every " + short_seconds(answer["period_s"]);
  Table known{{{"NAME"}, {"WHAT"}, {"SOURCE"}}, {}};
  for (const json& policy : answer["known"])
    known.rows.push_back({policy["name"].get<std::string>(), policy["summary"].get<std::string>(),
                          policy["source"].get<std::string>()});
  return out + "\n\n" + to_text(known, style);
}

std::string set_text(const json& answer) {
  std::string out = "policy " + answer["policy"].get<std::string>();
  if (!answer["period_s"].is_null()) out += ", every " + short_seconds(answer["period_s"]);
  return out + "\n";
}

std::string mode_text(const json& answer) {
  return answer["mode"].get<std::string>() + ": " + answer["meaning"].get<std::string>() + "\n";
}

// Asks, and shows the answer; `key` is the field that -o name prints.
Result<int> ask_and_show(Session& session, Request request, const char* key,
                         const std::function<std::string(const json&)>& text) {
  const auto answer = session.ask(std::move(request));
  if (!answer) return tl::unexpected<Error>(answer.error());
  const json& body = answer->body;
  const auto name = [&body, key] {
    const json& value = body[key];
    return std::vector{value.is_string() ? value.get<std::string>() : value.dump()};
  };
  return session.show(body, {[&](bool) { return text(body); }, name});
}

}  // namespace

Run declare_policy_show(CLI::App&) {
  return [](Session& session) {
    return ask_and_show(session, PolicyShow{}, "policy",
                        [&session](const json& body) { return policy_text(body, session.style()); });
  };
}

Run declare_policy_set(CLI::App& app) {
  auto request = std::make_shared<PolicySet>();
  app.add_option("SPEC", request->spec, "as in `aliquot policy show`, for example DYNMCB8-PER-600")
      ->required();
  return [request](Session& session) { return ask_and_show(session, *request, "policy", set_text); };
}

Run declare_period_show(CLI::App&) {
  return [](Session& session) { return ask_and_show(session, PolicyShow{}, "period_s", period_text); };
}

Run declare_period_set(CLI::App& app) {
  auto text = std::make_shared<std::string>();
  app.add_option("SECONDS", *text, "a number of seconds, or a duration such as 10m")->required();
  return [text](Session& session) -> Result<int> {
    const bool bare = text->find_first_not_of("0123456789.") == std::string::npos;
    const auto period = parse_duration(bare ? *text + "s" : *text);
    if (!period) return tl::unexpected<Error>(period.error());
    if (*period < seconds(1))
      return fail(ErrorKind::invalid_argument,
                  "a period of " + print_duration(*period) + " is too short; give 1 second or more");
    return ask_and_show(session, PeriodSet{*period}, "period_s", set_text);
  };
}

Run declare_mode_show(CLI::App&) {
  return [](Session& session) { return ask_and_show(session, ModeShow{}, "mode", mode_text); };
}

Run declare_mode_set(CLI::App& app) {
  auto mode = std::make_shared<std::string>();
  const auto known = words<Mode>();
  app.add_option("MODE", *mode, "off, advise or auto")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(known.begin(), known.end())));
  return [mode](Session& session) {
    return ask_and_show(session, ModeSet{from_word<Mode>(*mode).value_or(Mode::automatic)}, "mode",
                        mode_text);
  };
}

}  // namespace aliquot::ctl
