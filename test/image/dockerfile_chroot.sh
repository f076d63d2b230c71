#!/usr/bin/env bash
# Proves the Dockerfile where no container engine runs: its steps, read from the file, in fresh Debian 12
# trees under chroot: dockerfile_chroot.sh [ROOT]. Takes many minutes, and 5 GB under TMPDIR.
#
# Understood: FROM (debian:12 only), WORKDIR, COPY [--from=], RUN, ENV, ARG COMMIT; what only describes the
# image (VOLUME, EXPOSE, CMD, LABEL) is passed over; anything else is an error, so that no new kind of step
# is skipped in silence. At the end the image's programs must run with what the last stage has installed.
set -euo pipefail
ROOT=$(readlink -f "${1:-$(dirname "$0")/../..}")
cd "$ROOT"

# shellcheck source=test/image/fresh_debian.sh
source test/image/fresh_debian.sh

command -v debootstrap >/dev/null || skip "debootstrap is not installed: tools/deps slow"
enter_namespaces "$ROOT/test/image/${0##*/}" "$ROOT"
make_work_folder aliquot-image

make_base() {
  local mirror
  mirror=$(repositories | awk '$2 == "bookworm" { print $1; exit }')
  echo "base: debian:12"
  debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/base.log" 2>&1 ||
    { tail -n 5 "$work/base.log" && fail "debootstrap failed"; }
  repositories | sed 's/^/deb /' >"$work/base/etc/apt/sources.list"
  take_proxy "$work/base"
  # As the official image: no service is started by an installation, no downloads are kept.
  printf '#!/bin/sh\nexit 101\n' >"$work/base/usr/sbin/policy-rc.d"
  chmod +x "$work/base/usr/sbin/policy-rc.d"
  echo 'APT::Update::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb || true"; };' \
    >"$work/base/etc/apt/apt.conf.d/docker-clean"
}

# What a build would see: the tracked and new files of the project, less .dockerignore's.
make_context() {
  mkdir "$work/context"
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    if [[ -e $file ]]; then printf '%s\0' "$file"; fi
  done | xargs -0 cp -a --parents -t "$work/context"
}

stage='' stage_name='' folder=/ stages=0
environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8)

begin_stage() { # debian:12 [AS name]
  [[ $1 == debian:12 ]] || fail "FROM $1: only debian:12 is understood"
  stages=$((stages + 1)) folder=/
  stage_name=$stages
  if [[ ${2:-} == AS ]]; then stage_name=$3; fi
  stage=$work/stage-$stage_name
  echo "FROM $*"
  cp -a --reflink=auto "$work/base" "$stage"
  mount -t proc proc "$stage/proc"
  mount --rbind /dev "$stage/dev"
  cp -L /etc/resolv.conf "$stage/etc/resolv.conf" 2>/dev/null || true
}

in_stage() { # command, by the stage's shell, in the current folder
  # shellcheck disable=SC2016
  env -i "${environment[@]}" chroot "$stage" /bin/sh -c 'cd "$0" && eval "$1"' "$folder" "$1"
}

absolute() { if [[ $1 == /* ]]; then echo "$1"; else echo "${folder%/}/$1"; fi; }

copy() { # [--from=stage] source... target
  local from=$work/context source target
  if [[ $1 == --from=* ]]; then from=$work/stage-${1#--from=} && shift; fi
  target=$stage$(absolute "${*: -1}")
  if (($# > 2)) || [[ $target == */ ]]; then mkdir -p "$target"; fi
  for source in "${@:1:$#-1}"; do
    [[ -e $from/$source ]] || fail "COPY: $source does not exist"
    if [[ -d $from/$source ]]; then
      mkdir -p "$target" && cp -a "$from/$source/." "$target/"
    else
      mkdir -p "$(dirname "$target")" && cp -a "$from/$source" "$target"
    fi
  done
}

run_step() {
  local log="$work/run.log" began=$SECONDS
  in_stage "$1" >"$log" 2>&1 || { tail -n 30 "$log" && fail "RUN $1"; }
  echo "RUN $1   ($((SECONDS - began)) s)"
}

steps() { # the Dockerfile's instructions, one a line: continued lines joined, comments left out
  sed '/^[[:space:]]*#/d' Dockerfile | sed -e ':a' -e '/\\$/N; s/\\\n[[:space:]]*/ /; ta' | grep .
}

follow() {
  local word rest words
  while read -r word rest; do
    read -ra words <<<"$rest"
    case $word in
      FROM) begin_stage "${words[@]}" ;;
      WORKDIR) folder=$(absolute "$rest") && mkdir -p "$stage$folder" ;;
      ARG)
        [[ $rest == COMMIT= ]] || fail "ARG $rest: only COMMIT is given here"
        environment+=("COMMIT=$commit")
        ;;
      ENV) environment+=("${words[@]}") ;;
      COPY) copy "${words[@]}" && echo "COPY $rest" ;;
      RUN) run_step "$rest" </dev/null ;;
      ENTRYPOINT) entrypoint=$(tr -d '[]",' <<<"$rest") ;;
      VOLUME | EXPOSE | CMD | LABEL) ;;
      *) fail "$word: this kind of step is not understood here" ;;
    esac
  done < <(steps)
}

# The last stage is the image: its programs start, print their versions, and accept the shipped
# configuration.
prove() {
  folder=/
  local command
  for command in "$entrypoint --version | grep -F '($commit)'" "aliquot --help" "aliquot-sim policies" \
    "$entrypoint --check-config --config /etc/aliquot/aliquot.yaml" \
    "test -s /usr/share/aliquot/guest/vmlinuz -a -s /usr/share/aliquot/guest/initrd.img"; do
    in_stage "$command" >"$work/prove.log" 2>&1 ||
      { tail -n 10 "$work/prove.log" && fail "in the image: $command"; }
    echo "image: $command: $(head -n 1 "$work/prove.log")"
  done
  ! in_stage "command -v c++ || command -v cmake" >/dev/null || fail "the image holds a compiler"
  echo "image: $(du -sxm "$stage" | cut -f1) MB"
}

entrypoint=''
commit=$(git rev-parse --short=12 HEAD)
make_base
make_context
follow
prove
echo "every step of the Dockerfile held in a Debian 12 of its own ($((SECONDS / 60)) min)"
