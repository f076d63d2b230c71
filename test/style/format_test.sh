#!/usr/bin/env bash
# Every C++ source is as clang-format leaves it: format_test.sh ROOT. Says how to put it right.
set -euo pipefail
cd "$1"
command -v clang-format >/dev/null || { echo "clang-format is not installed" && exit 77; }
listing() {
  git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' '*.c' 2>/dev/null ||
    find policies config monitor manager tools test -name '*.[ch]pp' -o -name '*.c'
}
mapfile -t files < <(listing | while read -r file; do if [[ -f $file ]]; then echo "$file"; fi; done)
mapfile -t unformatted < <(printf '%s\0' "${files[@]}" |
  xargs -0 -n 40 -P "$(nproc)" clang-format --dry-run -Werror 2>&1 |
  sed -n 's/^\([^:]*\):[0-9].*/\1/p' | sort -u)
echo "${#files[@]} files, ${#unformatted[@]} not formatted"
if ((${#unformatted[@]})); then
  printf 'put it right: clang-format -i %s\n' "${unformatted[*]}"
  exit 1
fi
