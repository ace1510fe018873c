# Finds the Go for the tests that need one. To be sourced.

# at_least 1.26 1.26.8: the second version is the first one or later.
at_least() { printf '%s\n%s\n' "$1" "$2" | sort --check=quiet --version-sort; }

# Sets `go` to a Go that builds our modules: 1.26, or an older one that may fetch a newer one.
find_go() {
  local candidate go_version toolchain seen=  # "version" is the callers'
  for candidate in "$(type -P go || true)" /usr/local/go/bin/go /usr/lib/go-*/bin/go; do
    [[ -x $candidate ]] || continue
    go_version=$(cd / && GOTOOLCHAIN=local "$candidate" version | sed -E 's/^go version go([0-9.]+).*/\1/')
    toolchain=$(cd / && "$candidate" env GOTOOLCHAIN)
    seen+="${seen:+, }$candidate is $go_version (GOTOOLCHAIN=${toolchain:-none})"
    if at_least 1.26 "$go_version" ||
       { at_least 1.21 "$go_version" && [[ $toolchain == auto || $toolchain == *+auto ]]; }; then
      go=$candidate
      return
    fi
  done
  printf '%s\n' "no Go that can build what is needed: ${seen:-none found}. Two ways out:" \
    "  1. install Go 1.26 or later (https://go.dev/dl) and put it into PATH, or" \
    "  2. with a Go from 1.21 on, let it fetch the newer one: GOTOOLCHAIN=auto ./dev ..." >&2
  return 1
}
