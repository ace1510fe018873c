# Builds the image with buildah, without a daemon and without a registry. Sourced by run, which says what
# its variables mean: arch, native, image, logs, work.
export BUILDAH_ISOLATION=chroot  # needs no daemon and no other runtime

readonly base=localhost/debian:bookworm-slim
revision=$(git rev-parse --short=12 HEAD)
commit_time=$(git log -1 --format=%ct)

# A Debian 12 of the packages that apt can reach, unless there is one of the last week.
make_base() {
  local from
  BASE=$base
  if [[ -n $(find "$logs/base" -mtime -7 2>/dev/null) && -n $(buildah images -q "$base" 2>/dev/null) ]]; then
    return
  fi
  say "making a Debian 12 to build on (a minute)"
  mmdebstrap --variant=apt --quiet bookworm "$work/base.tar"
  from=$(buildah from scratch)
  buildah add --quiet "$from" "$work/base.tar" / >/dev/null
  buildah commit --quiet "$from" "$base" >/dev/null
  buildah rm "$from" >/dev/null
  rm "$work/base.tar"
  touch "$logs/base"
}

# build IMAGE FOLDER OPTION...: of the sources in the folder. buildah 1.28 knows BUILDPLATFORM everywhere
# but in FROM.
build() {
  local start=$SECONDS log=$logs/build-$arch.log
  [[ -n ${BASE:-} ]] || make_base
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
  build "$again" "$work/elsewhere"
  container=$(buildah from --platform "linux/$arch" "$again")
  diff <(files "$root") <(files "$(buildah mount "$container")") || result=1
  buildah rm "$container" >/dev/null
  say "the first is $(digest "$image")"
  say "the other is $(digest "$again")"
  [[ $result == 0 && $(digest "$image") == "$(digest "$again")" ]]
}
