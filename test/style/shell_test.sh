#!/usr/bin/env bash
# Every bash and sh script passes shellcheck: shell_test.sh ROOT.
set -euo pipefail
cd "$1"
command -v shellcheck >/dev/null || { echo "shellcheck is not installed" && exit 77; }
listing() {
  git ls-files --cached --others --exclude-standard .ci tools test manager config monitor 2>/dev/null ||
    find .ci tools test manager config monitor -type f
}
scripts=()
while read -r file; do
  [[ -f $file ]] || continue
  first=$(head -c 80 "$file" | head -n 1 | tr -d '\0')
  if [[ $first == '#!'*'bash' || $first == '#!'*'/sh' || $first == '# shellcheck shell='* ]]; then
    scripts+=("$file")
  fi
done < <(listing)
# Not asked: files sourced by a computed path, and variables set for them (each is checked by itself).
shellcheck -x --severity=warning --exclude=SC1007,SC1090,SC2034 "${scripts[@]}"
echo "${#scripts[@]} scripts are clean"
