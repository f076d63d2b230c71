// plan: what the policy would do, now or if the cluster were otherwise; saved, and applied later.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "manager/api/wire/fields.hpp"
#include "manager/api/wire/saved_plan.hpp"
#include "tools/ctl/plan_text.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

constexpr std::size_t kMostFile = 16 << 20;

struct Words {
  PlanShow show;
  std::string save;   // file
  std::string apply;  // file
  bool dry_run = false;
};

// The file is the answer to `plan`, with what would change for people to read, and `saved`.
Result<void> write_plan(const std::string& path, const json& answer) {
  std::ofstream file(path, std::ios::binary);
  file << answer.dump(2) << "\n";
  file.close();
  if (file) return {};
  return fail(ErrorKind::unavailable, "cannot write " + path + "; name another file with --save");
}

Result<SavedPlan> read_plan(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const json answer = json::parse(text, nullptr, false);
  const auto no_plan = [&](const std::string& why) {
    return fail(ErrorKind::invalid_argument,
                path + why + "; name a file that `aliquot plan --save FILE` has written");
  };
  if (text.empty()) return no_plan(" cannot be read, or is empty");
  if (text.size() > kMostFile || !answer.is_object() || !answer.contains("saved"))
    return no_plan(" has no saved plan");
  const json saved{{"saved", answer["saved"]}};
  wire::Fields fields(saved);
  SavedPlan plan = wire::read_saved_plan(fields, "saved");
  if (auto whole = fields.finish(); !whole) return no_plan(" has no whole plan: " + whole.error().message);
  return plan;
}

Result<int> apply_plan(Session& session, const Words& words) {
  auto plan = read_plan(words.apply);
  if (!plan) return tl::unexpected<Error>(plan.error());
  const auto answer = session.ask(PlanApply{std::move(*plan), words.dry_run});
  if (!answer) return tl::unexpected<Error>(answer.error());
  const std::string first = words.dry_run ? "would be carried out:\n" : "is carried out:\n";
  return session.show(
      answer->body,
      {[&](bool wide) { return first + plan_text(answer->body, session.style(), wide); }, {}});
}

Result<int> show_plan(Session& session, const Words& words) {
  const auto answer = session.ask(words.show);
  if (!answer) return tl::unexpected<Error>(answer.error());
  if (words.show.save)
    if (auto written = write_plan(words.save, answer->body); !written)
      return tl::unexpected<Error>(written.error());
  const std::string last = words.show.save
                               ? "\nsaved in " + words.save + "; carry it out with: aliquot plan " +
                                     "--apply " + words.save + "\n"
                               : "";
  return session.show(
      answer->body, {[&](bool wide) { return plan_text(answer->body, session.style(), wide) + last; }, {}});
}

}  // namespace

Run declare_plan(CLI::App& app) {
  auto words = std::make_shared<Words>();
  app.add_option("--what-if", words->show.what_if,
                 "as if node-down=NODE, drain=NODE, add-node=like:NODE, add-node=cpu:CORES,memory:SIZE, "
                 "period=SECONDS or policy=SPEC; may be repeated (operators)");
  CLI::Option* save = app.add_option("--save", words->save, "write the plan to this file (operators)");
  CLI::Option* apply = app.add_option("--apply", words->apply,
                                      "carry out the plan of this file, unless it is stale (operators)")
                           ->excludes("--what-if")
                           ->excludes(save);
  app.add_flag("--dry-run", words->dry_run, "with --apply: only say whether it would be carried out")
      ->needs(apply);
  return [words](Session& session) -> Result<int> {
    if (!words->apply.empty()) return apply_plan(session, *words);
    words->show.save = !words->save.empty();
    return show_plan(session, *words);
  };
}

}  // namespace aliquot::ctl
