// A campaign as an array of jobs, one for each shard: of Slurm, or of Aliquot itself. Each member runs the
// campaign's command with `--shard array/N`, which takes the shard's number from the member's index.
//
// Under Slurm the members work in the directory of the submission, on a file system that the machines
// share. Under Aliquot a member is a VM: the program and the files that the campaign reads travel with it,
// and `aliquot fetch` brings its folder back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/experiments/campaign/campaign.hpp"

namespace aliquot {

struct ShardedCommand {
  std::string program;              // with its path
  std::vector<std::string> words;   // as typed, without --out, --workers and what is about shards
  std::vector<std::string> inputs;  // files that it reads, as they stand in `words` or in its grid
  std::string out;                  // folder of the campaign; each shard has one in it
  std::uint32_t shards = 1;
  unsigned workers = 1;  // of each shard
};

// The folder of a shard in that of the whole.
[[nodiscard]] std::string shard_folder(const std::string& out, std::uint32_t number);
// The shards' folders in this one, by number; those that have not begun are not there.
[[nodiscard]] std::vector<std::string> shard_folders(const std::string& out);

// "i/n", or "array/n" in a member of an array, whose `index` (SLURM_ARRAY_TASK_ID) is i; null: it is none.
[[nodiscard]] Result<Shard> shard_of(const std::string& text, const char* index);

[[nodiscard]] std::vector<std::string> slurm_array(const ShardedCommand& campaign);
// Errors: a file of a grid lies in another directory, where its members would not find it.
[[nodiscard]] Result<std::vector<std::string>> aliquot_array(const ShardedCommand& campaign);

// As a shell reads it.
[[nodiscard]] std::string as_typed(const std::vector<std::string>& words);

}  // namespace aliquot
