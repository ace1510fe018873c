# What the scripts of packaging/ share. Sourced from the root of the tree.
export LC_ALL=C  # for the order of names

version=$(<VERSION)
readonly version dist=$PWD/build/dist
revision=${TPU_ADMISSION_REVISION:-$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)}
# The time that all files in packages carry, so that the same sources give the same bytes.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}

say() { printf '==> %s\n' "$*" >&2; }
fail() { printf './dev: %s\n' "$*" >&2; exit 2; }

# This machine's processor as Debian calls it.
native_arch() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) fail "there are no packages for $(uname -m)" ;;
  esac
}

# static_build ARCH: the folder that ./dev static builds in.
static_build() { if [[ $1 == "$(native_arch)" ]]; then echo build/static; else echo "build/static-$1"; fi; }
# static_program ARCH: the stripped program.
static_program() { echo "$(static_build "$1")/dist/tpu-admission"; }

# The processors whose static program is built: ./dev static, and ARCH=arm64 ./dev static.
built_archs() {
  local arch found=
  for arch in amd64 arm64; do
    if [[ -x $(static_program "$arch") ]]; then echo "$arch"; found=yes; fi
  done
  [[ -n $found ]] || fail "there is no static program yet: ./dev static"
}

# fresh FOLDER: makes it, empty.
fresh() { rm -rf "$1" && mkdir -p "$1"; }

# set_times FOLDER: of all that is in it, and readable for all.
set_times() {
  chmod -R u=rwX,go=rX "$1"
  find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}
