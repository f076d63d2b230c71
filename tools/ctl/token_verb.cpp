// token new.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "manager/api/wire/key_role.hpp"
#include "manager/keys/curve_keys.hpp"
#include "monitor/sha256.hpp"
#include "tools/ctl/job_filter.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

struct NewToken {
  KeyAdd add;
  std::string role;
  std::string lasts = "8h";
};

// The token is made and shown here, once; the manager gets its hash.
Result<int> make_token(Session& session, NewToken asked) {
  const auto lasts = parse_duration(asked.lasts);
  if (!lasts) return fail(ErrorKind::invalid_argument, "--for: " + lasts.error().message);
  const auto random = make_keys();
  if (!random) return tl::unexpected<Error>(random.error());
  const std::string token = "alq_" + aliquot::to_text(random->secret_key);
  KeyAdd add = asked.add;
  add.role = key_role(asked.role).value_or(KeyRole::viewer);
  add.token_sha256 = sha256_hex(token);
  add.expires_unix_s = std::time(nullptr) + lasts->raw / kMillion;
  if (add.name.empty()) add.name = "token-" + add.token_sha256.substr(0, 8);
  if (add.user.empty()) add.user = user_name(getuid());
  const auto answer = session.ask(add);
  if (!answer) return tl::unexpected<Error>(answer.error());
  if (session.globals.form <= Form::wide)
    Session::say("token " + add.name + " of " + add.user + " (" + asked.role + "), for " + asked.lasts +
                 ": it is shown this once; `aliquot key revoke " + add.name + "` ends it");
  const json shown{{"key", add.name}, {"user", add.user}, {"role", asked.role}, {"token", token}};
  return session.show(shown, {[&](bool) { return token + "\n"; }, [&] { return std::vector{token}; }});
}

}  // namespace

Run declare_token_new(CLI::App& app) {
  auto asked = std::make_shared<NewToken>();
  app.add_option("NAME", asked->add.name,
                 "of the token, under which `aliquot key list` has it (token-...)");
  app.add_option("--user", asked->add.user, "the user of the manager's machine that it stands for (yours)");
  app.add_option("--role", asked->role, "viewer, user, operator or admin: never more than its user may")
      ->required()
      ->check(CLI::IsMember(key_roles()));
  app.add_option("--for", asked->lasts, "how long it is good, at most 31 days (8h)");
  return [asked](Session& session) { return make_token(session, *asked); };
}

}  // namespace aliquot::ctl
