# Builds the image with buildah, without a daemon and without a registry. Sourced by run, which says what
# its variables mean: arch, native, image, logs, work.
export BUILDAH_ISOLATION=chroot  # needs no daemon and no other runtime

readonly base=localhost/tpu-admission-debian:13
readonly cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/tpu-admission-image
revision=$(git rev-parse --short=12 HEAD)
commit_time=$(git log -1 --format=%ct)

# The sources of this machine's packages, for Debian 13; none if it is no Debian.
package_sources() {
  local here
  here=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) main' 'Created-By: Packages' |
    sed -nE "s/^Debian (.*) $here(-[a-z]*)? main$/\1 trixie\2 main/p" | sort -u
}

# A Debian 13 with what the build and the tests need, and ccache; unless there is one of the last week.
make_base() {
  local from
  if [[ -n $(find "$cache/base" -mtime -7 2>/dev/null) && -n $(buildah images -q "$base" 2>/dev/null) ]]; then
    return
  fi
  say "making a Debian 13 to build on (two minutes)"
  package_sources >"$work/sources.list"
  # Without sources mmdebstrap takes Debian's own.
  mmdebstrap --variant=apt --quiet trixie "$work/base.tar" $([[ ! -s $work/sources.list ]] ||
    printf '%s' "$work/sources.list") >"$logs/base.log" 2>&1 || { cat "$logs/base.log" >&2; fail "no Debian 13"; }
  from=$(buildah from scratch)
  buildah add --quiet "$from" "$work/base.tar" / >/dev/null
  buildah run --volume "$PWD/dev:/deps/dev:ro" "$from" -- sh -c \
    '/deps/dev deps && apt-get -qq -y --no-install-recommends install ccache && apt-get clean' \
    >"$logs/base.log" 2>&1 || { tail "$logs/base.log" >&2; fail "no packages for Debian 13"; }
  buildah config --env CCACHE_DIR=/ccache "$from"
  buildah commit --quiet "$from" "$base" >/dev/null
  buildah rm "$from" >/dev/null
  rm "$work/base.tar"
  touch "$cache/base"
}

# Sets `debian`: a container of the base, in whose /src the sources are that git knows.
start_debian() {
  mkdir -p "$cache/ccache" "$work/src"
  BASE=${BASE:-$base}
  [[ $BASE != "$base" ]] || make_base
  git ls-files -z | xargs -0 cp --parents --target-directory="$work/src"
  debian=$(buildah from "$BASE")
}

# in_debian COMMAND...
in_debian() {
  buildah run --volume "$work/src:/src" --volume "$cache/ccache:/ccache" --volume "$work/tls:/tls:ro" \
    --workingdir /src --env JOBS="${JOBS:-}" --env TPU_ADMISSION_REVISION="$revision" "$debian" -- "$@"
}

# The unit tests of the sources, as that Debian's compiler and libraries make them; nobody debugs them there.
passes_unit_tests() {
  local start=$SECONDS log=$logs/test.log
  say "building and running the unit tests on $BASE (some minutes; the log is ${log#"$PWD/"})"
  in_debian sh -c 'mkdir -p build && cmake --preset dev -D CMAKE_CXX_FLAGS_DEBUG= -D CMAKE_UNITY_BUILD=ON &&
    ./dev test' >"$log" 2>&1 || { tail -n 40 "$log" >&2; return 1; }
  say "$(grep -a '^==> tests: ' "$log" | tail -n 1 | cut -c5-) in $((SECONDS - start)) s"
  grep -aq '^==> tests: [1-9][0-9]* passed, 0 failed' "$log"
}

# build IMAGE FOLDER OPTION...: of the sources in the folder. buildah 1.28 knows BUILDPLATFORM everywhere
# but in FROM.
build() {
  local start=$SECONDS log=$logs/build-$arch.log
  say "building for $arch on $BASE (some minutes; the log is ${log#"$PWD/"})"
  buildah bud "${@:3}" --platform "linux/$arch" --build-arg BUILDPLATFORM="linux/$native" \
    --build-arg BASE="$BASE" --build-arg JOBS="${JOBS:-}" \
    --build-arg TPU_ADMISSION_REVISION="$revision" \
    --timestamp "$commit_time" --build-arg SOURCE_DATE_EPOCH="$commit_time" --tag "$1" "$2" \
    >"$log" 2>&1 || { tail -n 30 "$log" >&2; fail "it does not build"; }
  say "built in $((SECONDS - start)) s"
}

# files ROOT: a line for each with type, mode, owner, time, size, link, and one with its checksum.
files() {
  (cd "$1" && find . -mindepth 1 -printf '%p %y %m %U:%G %T@ %s %l\n' | sort &&
    find . -type f -print0 | sort -z | xargs -0 sha256sum)
}

digest() { buildah inspect --type image --format '{{.FromImageDigest}}' "$1"; }

# Once more: another folder, other times and modes of the sources.
builds_the_same_again() {
  local container result=0 again=localhost/tpu-admission:$arch-again
  mkdir "$work/elsewhere"
  (umask 077 && git ls-files -z | xargs -0 cp --parents --target-directory="$work/elsewhere")
  build "$again" "$work/elsewhere" --layers=false
  container=$(buildah from --platform "linux/$arch" "$again")
  diff <(files "$root") <(files "$(buildah mount "$container")") || result=1
  buildah rm "$container" >/dev/null
  say "the first is $(digest "$image")"
  say "the other is $(digest "$again")"
  [[ $result == 0 && $(digest "$image") == "$(digest "$again")" ]]
}
