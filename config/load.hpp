// Reads YAML files into Settings: either complete settings, or all faults, each with its place and a
// remedy.
//
// Values are checked against the field table (config/field_table.hpp) and against each other (unique names,
// different paths, enough capacity). Whether paths exist and nodes answer is not checked here. Nothing is
// applied: the caller does that if there is no fault.
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
      origins;  // full key -> "file:line"; keys without an entry have their default
};

// Checks a policy spec. A parameter, because this folder must not depend on the policy registry.
using SpecCheck = std::function<Result<void>(const std::string& spec)>;

using LoadResult = tl::expected<LoadedSettings, Faults>;

inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxNodes = 10'000;

// Reads the file and the other layers (config/layers.hpp). With a null `check` any policy spec is accepted.
[[nodiscard]] LoadResult load_settings(const std::string& path, const SpecCheck& check,
                                       const Environment& environment = {});

// Reads a text instead of the file and conf.d; `file` is its name in messages.
[[nodiscard]] LoadResult read_settings(std::string_view text, const std::string& file,
                                       const SpecCheck& check, const Environment& environment = {});

}  // namespace aliquot
