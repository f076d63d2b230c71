// From YAML files to Settings: all of it, or every fault it has, each with its place and the way out.
//
// What reading looks at: the table of fields (config/field_table.hpp), then what must hold between values
// (unique names, paths that differ, room left on a node). What it does not look at: whether paths exist and
// nodes answer; that is for those who use them. Nothing is applied: the caller swaps when all is well.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "config/fault.hpp"
#include "config/layers.hpp"
#include "config/settings.hpp"

namespace aliquot {

struct LoadedSettings {
  Settings settings;
  std::map<std::string, std::string>
      origins;  // full key -> "file:line"; a key that is missing: the default
};

// Is this policy spec one that the registry knows? Handed in, so that this folder needs no registry.
using SpecCheck = std::function<Result<void>(const std::string& spec)>;

using LoadResult = tl::expected<LoadedSettings, Faults>;

inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxNodes = 10'000;

// A null `check`: any text will do as a policy spec.
// With what stands beside the file and in the environment (config/layers.hpp).
[[nodiscard]] LoadResult load_settings(const std::string& path, const SpecCheck& check,
                                       const Environment& environment = {});

// The same of a text that was read already, alone; `file` is its name in messages.
[[nodiscard]] LoadResult read_settings(std::string_view text, const std::string& file,
                                       const SpecCheck& check, const Environment& environment = {});

}  // namespace aliquot
