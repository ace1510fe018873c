# Tools in Go. Sourced by run.
source tests/find_go.sh

# go_tool MODULE VERSION PACKAGE: builds that package of the module once, and prints the program's path. In a
# module of its own, since `go install` also wants to know whether the version was withdrawn since.
go_tool() {
  local go folder=$cache/${3##*/}-$2
  if [[ ! -x $folder/${3##*/} ]]; then
    find_go || return 1
    mkdir -p "$folder"
    printf 'module tools\n\ngo 1.21\n\nrequire %s %s\n' "$1" "$2" >"$folder/go.mod"
    (cd "$folder" && "$go" build -mod=mod -trimpath -o "${3##*/}" "$1/$3") >"$work/go.log" 2>&1 ||
      { cat "$work/go.log" >&2; return 1; }
  fi
  echo "$folder/${3##*/}"
}
