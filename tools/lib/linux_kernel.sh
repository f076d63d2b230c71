# shellcheck shell=bash
# Takes the kernel out of its compressed image. Sourced, never run; the script that sources it has die().

need() { command -v "$1" >/dev/null || die "missing $1: apt-get install --no-install-recommends $2"; }

# number FILE OFFSET BYTES: a little-endian field.
number() { od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; }

# extract_kernel BZIMAGE OUT: fields of the Linux x86 boot protocol (setup_sects, payload_offset, _length).
extract_kernel() {
  local image=$1 sectors offset length start unpack
  [[ $(number "$image" $((0x202)) 2) -ge $((0x208)) ]] || die "$image is not a Linux kernel image (bzImage)"
  sectors=$(number "$image" $((0x1f1)) 1)
  offset=$(number "$image" $((0x248)) 4)
  length=$(number "$image" $((0x24c)) 4)
  start=$(((sectors == 0 ? 4 : sectors) * 512 + 512 + offset))
  case $(od -An -t x1 -j $start -N 4 "$image" | tr -d ' ') in
    02214c18) unpack="lz4 -dc" package=lz4 length=$((length - 4)) ;; # lz4 has the unpacked size at its end
    fd377a58) unpack="xz -dc --single-stream" package=xz-utils ;;
    28b52ffd) unpack="zstd -dc" package=zstd length=$((length - 4)) ;;
    1f8b*) unpack="gzip -dc" package=gzip ;;
    *) die "$image: its compression is not known" ;;
  esac
  need "${unpack%% *}" "$package"
  tail -c +$((start + 1)) "$image" | head -c "$length" | $unpack >"$2.new" || true
  [[ $(head -c 4 "$2.new" | od -An -t x1 | tr -d ' ') == 7f454c46 ]] || die "$image: no ELF kernel inside"
  mv "$2.new" "$2"
}
