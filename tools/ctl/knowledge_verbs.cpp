// knowledge list|export|import|forget.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "config/file_text.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/table.hpp"
#include "tools/ctl/text_file.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

Table knowledge_table(const json& entries) {
  using enum Align;
  Table table{{{"APPLICATION"},
               {"SIZE", right},
               {"ITERATIONS", right},
               {"TASKS", right},
               {"TIME", right},
               {"MEMORY", right}},
              {}};
  for (const json& entry : entries)
    table.rows.push_back({entry["application"].get<std::string>(), entry["problem_size"].dump(),
                          entry["iterations"].dump(), entry["tasks"].dump(), short_seconds(entry["time_s"]),
                          short_bytes(entry["memory_bytes"])});
  return table;
}

}  // namespace

Run declare_knowledge_list(CLI::App&) {
  return [](Session& session) -> Result<int> {
    const auto answer = session.ask(KnowledgeList{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& entries = answer->body["entries"];
    if (entries.empty() && session.globals.form <= Form::wide)
      Session::say("nothing is known yet; a job with --application teaches it when it completes");
    const auto names = [&entries] {
      std::vector<std::string> all;
      for (const json& entry : entries) all.push_back(entry["application"].get<std::string>());
      return all;
    };
    return session.show(answer->body,
                        {[&](bool) { return to_text(knowledge_table(entries), session.style()); }, names});
  };
}

Run declare_knowledge_export(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  app.add_option("--to", *path, "the file to write (standard output)");
  return [path](Session& session) { return export_csv(session, KnowledgeExport{}, *path); };
}

Run declare_knowledge_import(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  app.add_option("FILE", *path, "as `aliquot knowledge export` writes it")->required();
  app.footer(
      "Each line is taken in as if it were a run that has finished: it replaces what is known if it is "
      "better.");
  return [path](Session& session) -> Result<int> {
    auto text = read_file_text(*path, kMostKnowledge);
    if (!text) return tl::unexpected<Error>(as_error({text.error()}));
    const auto answer = session.ask(KnowledgeImport{std::move(*text)});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    const auto shown = [&body](bool) {
      return "took in " + body["taken"].dump() + " entries; " + body["not_better"].dump() +
             " were not better than what is known\n";
    };
    return session.show(body, {shown, [&] { return std::vector<std::string>{}; }});
  };
}

Run declare_knowledge_forget(CLI::App& app) {
  auto request = std::make_shared<KnowledgeForget>();
  app.add_option("APPLICATION", request->application, "name of the application")->required();
  app.add_option("--problem-size", request->problem_size, "only this problem size (all of them)");
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& body = answer->body;
    const auto shown = [&](bool) {
      return "forgot " + body["forgotten"].dump() + " entries of " + request->application + "\n";
    };
    return session.show(body, {shown, [&] { return std::vector{request->application}; }});
  };
}

}  // namespace aliquot::ctl
