#!/usr/bin/env bash
# clang-tidy on the sources that changed: tools/lib/tidy.sh BUILD-FOLDER [BASE-COMMIT].
#
# Changed since BASE; without one since the merge base with main, or since the previous commit on main
# itself; uncommitted changes are included. TIDY_SECONDS (240) limits the time; tests come last. Sources
# that do not fit are named in a line "unchecked clang-tidy: ..."; the last line is
# "passed|failed|skipped clang-tidy: ...".
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1 base=${2:-} budget=${TIDY_SECONDS:-240}

find_base() {
  local head main candidate
  head=$(git rev-parse HEAD)
  for candidate in origin/main main; do
    main=$(git merge-base HEAD "$candidate" 2>/dev/null) || continue
    if [[ $main != "$head" ]]; then echo "$main" && return; fi
  done
  git rev-parse --verify -q HEAD~1 || git hash-object -t tree /dev/null
}

# Changed sources that this build compiles; a changed header stands for the source of the same name.
changed_sources() {
  { git diff --name-only --diff-filter=d "$base" -- && git ls-files -o --exclude-standard; } |
    sed -n 's/\.[ch]pp$/.cpp/p' | sort -u | while read -r file; do
    if grep -qF "\"file\": \"$PWD/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
  done | awk '{ print ($0 ~ /^test\//), $0 }' | sort -s -k1,1 | cut -d' ' -f2
}

main() {
  command -v clang-tidy >/dev/null || { echo "skipped clang-tidy: it is not installed" && return 0; }
  git rev-parse -q --verify HEAD >/dev/null ||
    { echo "skipped clang-tidy: this is no git work tree" && return 0; }
  [[ -n $base ]] || base=$(find_base)
  local files=() left_out=0 failed=0
  mapfile -t files < <(changed_sources)
  ((${#files[@]})) || { echo "passed clang-tidy: no source changed since ${base:0:10}" && return 0; }
  # Each file is a process of its own: two at once, none begun after the time is over.
  work=$(mktemp -d) # not local: the trap outlives this function
  trap 'rm -rf "$work"' EXIT
  # The analyzer takes most of the time, and finds little in tests.
  # shellcheck disable=SC2016
  printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -I{} bash -c '
    if (($(date +%s) >= $1)); then echo "$2" >>"$3/left-out"; exit 0; fi
    options=(--quiet --extra-arg=-Wno-unknown-warning-option -p "$4")
    if [[ $2 == test/* ]]; then options+=("--checks=-clang-analyzer-*"); fi
    clang-tidy "${options[@]}" "$2" >"$3/$(echo "$2" | tr / _).out" 2>&1 || echo "$2" >>"$3/failed"
  ' tidy "$(($(date +%s) + budget))" {} "$work" "$build"
  cat "$work"/*.out 2>/dev/null | grep -vE '^[0-9]+ warnings? |^(Suppressed|Use -header-filter)' || true
  touch "$work/left-out" "$work/failed"
  left_out=$(wc -l <"$work/left-out")
  failed=$(wc -l <"$work/failed")
  if ((left_out)); then
    echo "unchecked clang-tidy: $(sort "$work/left-out" | paste -sd' ')"
  fi
  if ((failed)); then
    echo "failed clang-tidy: $(paste -sd' ' "$work/failed"), since ${base:0:10}" && return 1
  fi
  echo "passed clang-tidy: $((${#files[@]} - left_out)) of ${#files[@]} files changed since ${base:0:10}"
}

main
