#include "tools/experiments/campaign/campaign_array.hpp"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <string_view>

#include "tools/sim/option_values.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kMostShards = 100'000;
// HPC2N with its 200,000 jobs takes 113 MB; the guest has the program and its files in memory, too.
constexpr unsigned kGuestMib = 512;

std::string range_of(const ShardedCommand& campaign) { return "1-" + std::to_string(campaign.shards); }

// "sweep", or what is evaluated.
std::string name_of(const ShardedCommand& campaign) {
  const bool evaluates = campaign.words.size() > 1 && campaign.words.front() == "evaluate";
  return evaluates ? campaign.words[1] : "sweep";
}

std::vector<std::string> member(const ShardedCommand& campaign, const std::vector<std::string>& words,
                                const std::string& out) {
  std::vector<std::string> all = {campaign.program};
  all.insert(all.end(), words.begin(), words.end());
  for (const std::string& more :
       {std::string("--out"), out, std::string("--workers"), std::to_string(campaign.workers),
        std::string("--shard"), "array/" + std::to_string(campaign.shards)})
    all.push_back(more);
  return all;
}

std::string base_name(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  return (name.has_filename() ? name : name.parent_path()).filename().string();
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain = "_-./:=,+%@";
  const auto needs_none = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || plain.find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, needs_none)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string shard_folder(const std::string& out, std::uint32_t number) {
  return out + "/shard-" + std::to_string(number);
}

std::vector<std::string> shard_folders(const std::string& out) {
  std::vector<std::pair<std::uint64_t, std::string>> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(out, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("shard-") || !std::filesystem::exists(entry.path() / "campaign.json")) continue;
    if (const auto number = count_option("--shard", name.substr(6), kMostShards))
      found.emplace_back(*number, entry.path().string());
  }
  std::ranges::sort(found);
  std::vector<std::string> folders;
  for (auto& [number, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

Result<Shard> shard_of(const std::string& text, const char* index) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    return tl::unexpected(bad_option("--shard", "'" + text + "' is not i/n with 1 <= i <= n"));
  std::string number = text.substr(0, slash);
  if (number == "array") {
    if (!index)
      return tl::unexpected(
          bad_option("--shard", "'" + text +
                                    "' is for a member of an array of Slurm or Aliquot, and "
                                    "SLURM_ARRAY_TASK_ID is not set"));
    number = index;
  }
  const auto i = count_option("--shard", number, kMostShards);
  const auto of = count_option("--shard", text.substr(slash + 1), kMostShards);
  if (i && of && *i <= *of) return Shard{static_cast<std::uint32_t>(*i), static_cast<std::uint32_t>(*of)};
  return tl::unexpected(bad_option("--shard", "'" + text + "' is not i/n with 1 <= i <= n"));
}

std::vector<std::string> slurm_array(const ShardedCommand& campaign) {
  return {"sbatch",
          "--job-name",
          name_of(campaign),
          "--array",
          range_of(campaign),
          "--cpus-per-task",
          std::to_string(campaign.workers),
          "--output",
          campaign.out + "/shard-%a.log",
          "--wrap",
          as_typed(member(campaign, campaign.words, campaign.out))};
}

Result<std::vector<std::string>> aliquot_array(const ShardedCommand& campaign) {
  std::vector<std::string> words = campaign.words;
  std::vector<std::string> array = {"aliquot",
                                    "submit",
                                    "--parsable",
                                    "--name",
                                    name_of(campaign),
                                    "--array",
                                    range_of(campaign),
                                    "--cpus",
                                    std::to_string(campaign.workers),
                                    "--mem",
                                    std::to_string(kGuestMib * campaign.workers) + "MiB"};
  for (const std::string& file : campaign.inputs) {
    const auto named = std::ranges::find(words, file);
    if (named != words.end())
      *named = base_name(file);
    else if (file.find('/') != std::string::npos)
      return fail(ErrorKind::invalid_argument,
                  "the grid names " + file +
                      ", and in a VM its files stand beside it: name it without a directory, and start "
                      "aliquot-sim where it lies");
    array.insert(array.end(), {"--stage-in", file});
  }
  const std::string out = base_name(campaign.out);
  array.insert(array.end(), {"--stage-out", out, "--"});
  for (std::string& word : member(campaign, words, out)) array.push_back(std::move(word));
  return array;
}

std::string as_typed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

}  // namespace aliquot
