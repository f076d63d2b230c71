// image add|list|show|remove.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"
#include "tools/ctl/table.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

constexpr std::size_t kDigitsShown = 12;

std::string text_of(const json& row, const char* key) { return row[key].get<std::string>(); }

Table image_table(const json& images, bool wide) {
  using enum Align;
  Table table{
      {{"NAME"}, {"SIZE", right}, {"FORMAT"}, {"SHA-256"}, {"UID", right}, {"ADDED"}, {"JOBS", right}}, {}};
  for (const json& image : images) {
    const std::string sha256 = text_of(image, "sha256");
    table.rows.push_back({text_of(image, "image"), short_bytes(image["size_bytes"]),
                          text_of(image, "format"), wide ? sha256 : sha256.substr(0, kDigitsShown),
                          image["uid"].dump(), text_of(image, "added_at"), image["jobs"].dump()});
  }
  return table;
}

std::string image_text(const json& image) {
  std::string jobs;
  for (const json& job : image["used_by"]) jobs += (jobs.empty() ? ": " : ", ") + job.dump();
  return "image    " + text_of(image, "image") + "\nformat   " + text_of(image, "format") + ", " +
         short_bytes(image["size_bytes"]) + "; a disk of " + short_bytes(image["disk_bytes"]) +
         (image.value("uefi", false) ? "; boots by UEFI" : "") + "\nsha256   " + text_of(image, "sha256") +
         "\nadded    " + text_of(image, "added_at") + " by user id " + image["uid"].dump() + "\njobs     " +
         image["jobs"].dump() + jobs + "\n";
}

std::vector<std::string> name_of(const json& image) { return {text_of(image, "image")}; }

}  // namespace

Run declare_image_add(CLI::App& app) {
  auto request = std::make_shared<ImageAdd>();
  app.add_option("FILE", request->file, "a qcow2 or raw disk image below a directory of files.roots")
      ->required();
  app.add_option("--name", request->image.text, "what jobs call it (the file's name without extension)");
  app.add_flag("--uefi", request->uefi,
               "it boots by UEFI, not by a BIOS; nodes of libvirt with ovmf have that");
  app.footer("The manager copies the file. Every user may then boot the image, and so read it.");
  return [request](Session& session) -> Result<int> {
    std::error_code fault;
    const auto path = std::filesystem::absolute(request->file, fault);
    if (!fault) request->file = path;
    const auto answer = session.ask_and_show_copy(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& image = answer->body;
    const auto text = [&image](bool) {
      return "added image " + text_of(image, "image") + ": " + short_bytes(image["size_bytes"]) + ", " +
             text_of(image, "format") + ", SHA-256 " + text_of(image, "sha256") + "\n";
    };
    return session.show(image, {text, [&image] { return name_of(image); }});
  };
}

Run declare_image_list(CLI::App&) {
  return [](Session& session) -> Result<int> {
    const auto answer = session.ask(ImageList{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& images = answer->body["images"];
    if (images.empty() && session.globals.form <= Form::wide)
      Session::say("no images yet; `aliquot image add FILE` adds one");
    const auto names = [&images] {
      std::vector<std::string> all;
      for (const json& image : images) all.push_back(text_of(image, "image"));
      return all;
    };
    return session.show(
        answer->body,
        {[&](bool wide) { return to_text(image_table(images, wide), session.style()); }, names});
  };
}

Run declare_image_show(CLI::App& app) {
  auto request = std::make_shared<ImageShow>();
  app.add_option("NAME", request->image.text, "name of the image")->required();
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& image = answer->body;
    return session.show(
        image, {[&image](bool) { return image_text(image); }, [&image] { return name_of(image); }});
  };
}

Run declare_image_remove(CLI::App& app) {
  auto request = std::make_shared<ImageRemove>();
  app.add_option("NAME", request->image.text, "name of an image that no job uses")->required();
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    return session.show(answer->body,
                        {[&request](bool) { return "removed image " + request->image.text + "\n"; },
                         [&request] { return std::vector{request->image.text}; }});
  };
}

}  // namespace aliquot::ctl
