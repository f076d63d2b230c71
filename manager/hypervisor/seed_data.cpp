#include "manager/hypervisor/seed_data.hpp"

#include <map>

namespace aliquot {
namespace {

// cpio is in every system that makes its own initramfs. It stops at the archive's end, not at the disk's.
constexpr const char* kInputs = R"sh(
inputs=
for each in /dev/vdc /dev/xvdc; do [ ! -b "$each" ] || inputs=$each; done
(cd / && cpio -idu --quiet <"${inputs:-/dev/null}") ||
  set -- sh -c 'echo "aliquot: the input files were not unpacked: has this image cpio?"; exit 127'
)sh";

// Each path is mounted under its name in the archive: so a path that is a link is followed, and links
// within a directory are not. The archive is made twice, first to be counted: no disk need have space for
// it.
constexpr const char* kResults = R"sh(
results=/run/aliquot/results
say() { printf 'aliquot: %s\n' "$1" >&3; }

find_port() {
  modprobe -q virtio_console
  waited=0
  while [ "$waited" -lt 300 ]; do
    for each in /sys/class/virtio-ports/*; do
      port=/dev/${each##*/}
      [ "$(cat "$each/name" 2>/dev/null)" = org.aliquot.results ] && [ -c "$port" ] && return
    done
    sleep 0.1
    waited=$((waited + 1))
  done
  return 1
}

collect() { # PATH NAME
  if [ ! -e "$1" ]; then
    say "--stage-out $1: No such file or directory"
  elif [ -d "$1" ]; then
    mkdir -p "$results/$2"
    mount --bind -- "$1" "$results/$2"
  elif [ -f "$1" ]; then
    at=$results/$2
    mkdir -p "${at%/*}"
    : >>"$at"
    mount --bind -- "$1" "$at"
  else
    say "--stage-out $1: neither a file nor a directory, left out"
  fi
}

pack() {
  (cd "$results" && find . ! -name . \( -type f -o -type d -o -type l \) -print0 |
    cpio -o -0 -H newc -R 0:0 --quiet)
}

hand_out() { # LIMIT
  no="the result files cannot be handed out: this"
  command -v cpio >/dev/null || { say "$no image has no cpio" && return; }
  find_port || { say "$no machine has no port for them" && return; }
  (cd "$results" && find . ! -type f ! -type d ! -type l) |
    sed 's|^\./|aliquot: --stage-out |; s|$|: neither a file nor a directory, left out|' >&3
  size=$(pack 2>&3 | wc -c)
  if [ "$size" -gt "$1" ]; then
    say "the result files take $size bytes, more than the $1 that may be handed out"
    echo "aliquot-stage-out 1 too_large $size" >"$port"
    return
  fi
  digest=$(pack 2>/dev/null | tee "$port" | sha256sum)
  echo "aliquot-stage-out 1 sha256 ${digest%% *}" >"$port"
}

mkdir -p "$results"
)sh";

// Relative: without a leading slash, without empty and "." parts.
std::string name_in_archive(const std::string& path) {
  std::string name;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, end - at);
    if (!part.empty() && part != ".") name += (name.empty() ? "" : "/") + part;
    at = end + 1;
  }
  return name;
}

}  // namespace

std::string inputs_script() { return kInputs; }

std::string results_script(const JobData& data) {
  if (data.stage_out.empty()) return "";
  // A directory comes before what is below it, which would be hidden otherwise.
  std::map<std::string, std::string> by_name;
  for (const std::string& path : data.stage_out) by_name.emplace(name_in_archive(path), path);
  std::string out = kResults;
  for (const auto& [name, path] : by_name)
    out += "collect " + shell_quoted(path) + " " + shell_quoted(name) + "\n";
  return out + "hand_out " + std::to_string(data.stage_out_max.raw) + "\n";
}

}  // namespace aliquot
