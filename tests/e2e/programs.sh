# What the scenarios (run) and the judge (judge/run) have in common: the Go that builds, the control
# plane and the other controllers, built once and kept. To be sourced by a script that has set
# `here` (this folder), `me` (its name in messages) and `work` (a temporary folder).
# shellcheck shell=bash disable=SC2154  # these three are set by the script
source "$here/../find_go.sh"

kubernetes=1.36.2  # as in go.mod
programs=(etcd kube-apiserver kube-controller-manager kube-scheduler kubectl)
export CGO_ENABLED=0 GOWORK=off

say() { printf '%s: %s\n' "$me" "$*"; }
stop() { printf "$me: %s\n" "$@" >&2; exit 2; }

# start FILE COMMAND...: in the background, writing to FILE. In a process group of its own, so that
# all of it can be ended; it ends with this script in any case.
child=
start() {
  local output=$1
  shift
  set -m
  setpriv --pdeathsig TERM -- "$@" >"$output" 2>&1 &
  child=$!
  set +m
}

clean_up() {
  if [[ -n $child ]]; then
    kill -TERM -- "-$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  rm -rf "$work" 2>/dev/null || { sleep 1; rm -rf "$work"; }
}

# Sets `cache` to the folder where built programs are kept.
find_cache() {
  cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/tpu-admission
  if ! mkdir -p "$cache" 2>/dev/null || [[ ! -w $cache ]]; then
    say "cannot write to $cache: what is built is for this run only"
    cache=$work
    export GOCACHE=${GOCACHE:-$work/go-build} GOPATH=${GOPATH:-$work/go} GOFLAGS="${GOFLAGS:-} -modcacherw"
  fi
}

# keep FOLDER: marks it as in use, and drops what nobody has used for a month.
keep() {
  touch "$1"
  find "$cache" -maxdepth 1 \( -name 'controlplane-*' -o -name 'neighbours-*' \) -mtime +30 \
    -exec rm -rf {} +
}

key_of() { { cat "$@"; "$go" version; echo "$kubernetes"; } | sha256sum | cut -c1-16; }

# Sets `bin` to a folder with the five programs, built once for these sources and this Go.
find_controlplane() {
  find_cache
  bin=$cache/controlplane-$(cd "$here" && key_of go.mod go.sum controlplane/*.go)
  [[ -x $bin/kubectl ]] || build_controlplane
  keep "$bin"
}

build_controlplane() {
  local version=k8s.io/component-base/version made=$work/controlplane program
  say "building Kubernetes $kubernetes and etcd, once (about five minutes on two cores)"
  mkdir -p "$made"
  build "$here" "$made/kubectl" ./controlplane \
    "-X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=36"
  for program in "${programs[@]}"; do
    [[ $program == kubectl ]] || ln -s kubectl "$made/$program"
  done
  rm -rf "$bin"
  mv -T "$made" "$bin"
}

# build MODULE OUTPUT PACKAGE [LDFLAGS]: with a word now and then, since it takes minutes.
build() {
  local log=$work/build.log waited=0
  start "$log" "$go" -C "$1" build -v -buildvcs=false -trimpath -o "$2" -ldflags "-s -w ${4:-}" "$3"
  while kill -0 "$child" 2>/dev/null; do
    sleep 1
    if ((++waited % 15 == 0)); then
      say "  ... $waited s, $(grep -vc '^go: ' "$log" || true) packages compiled"
    fi
  done
  wait "$child" || { tail -n 30 "$log" >&2; stop "$3 could not be built"; }
  child=
  say "built in $waited s"
}

# The controllers that are not part of Kubernetes: name, package, module, folder of the CRDs in it.
neighbours=(
  "jobset sigs.k8s.io/jobset sigs.k8s.io/jobset config/components/crd/bases"
  "lws sigs.k8s.io/lws/cmd sigs.k8s.io/lws config/crd/bases"
  "kuberay github.com/ray-project/kuberay/ray-operator github.com/ray-project/kuberay/ray-operator config/crd/bases"
  "kuberay-indexing github.com/ray-project/kuberay/ray-operator github.com/ray-project/kuberay/ray-operator config/crd/bases"
  "kueue . sigs.k8s.io/kueue config/components/crd/bases"
  "trainer . github.com/kubeflow/training-operator manifests/base/crds"
  "cert-manager . github.com/cert-manager/cert-manager deploy/crds"
  "gatekeeper github.com/open-policy-agent/gatekeeper/v3 github.com/open-policy-agent/gatekeeper/v3 charts/gatekeeper/crds"
)

# find_neighbours NAME...: sets `neighbour_bin` to a folder with these controllers and, in NAME-crds,
# their custom resources. Built once for their sources and this Go.
find_neighbours() {
  neighbour_bin=$cache/neighbours-$(cd "$here/neighbours" &&
    key_of "${@/%//go.mod}" "${@/%//go.sum}" $(find "$@" -name '*.go' | LC_ALL=C sort))
  [[ -x $neighbour_bin/$1 ]] || build_neighbours "$@"
  keep "$neighbour_bin"
}

build_neighbours() {
  local made=$work/neighbours row name package module crds source
  mkdir -p "$made"
  for row in "${neighbours[@]}"; do
    read -r name package module crds <<<"$row"
    [[ " $* " == *" $name "* ]] || continue
    say "building the controller $name, once (about two minutes on two cores)"
    build "$here/neighbours/$name" "$made/$name" "$package"
    source=$("$go" -C "$here/neighbours/$name" list -m -f '{{.Dir}}' "$module")
    mkdir "$made/$name-crds"
    cp "$source/$crds"/*.yaml "$made/$name-crds"
    chmod -R u+w "$made/$name-crds"
    rm -f "$made/$name-crds/kustomization.yaml"
    # The newer of two versions is stored, so that nothing needs the webhook that converts.
    [[ $name != kueue ]] || sed -i -e 's/^    storage: true$/    storage: old/' -e 's/^    storage: false$/    storage: true/' \
      -e 's/^    storage: old$/    storage: false/' "$made/$name-crds"/*.yaml
  done
  rm -rf "$neighbour_bin"
  mv -T "$made" "$neighbour_bin"
}

# Sets `open_reports` to a folder with the custom resources of OpenReports.
find_open_reports() {
  local folder
  folder=$(cd "$work" && "$go" mod download -json github.com/openreports/reports-api@v0.2.1 |
    sed -nE 's/^\t"Dir": "(.*)",$/\1/p') || stop "the custom resources of OpenReports cannot be fetched"
  open_reports=$folder/config/crd
}

# Sets `jax` to a folder with JAX's Python package, or to nothing where pip cannot have it. The package
# alone: what the scenarios ask of it needs none of those that it depends on.
find_jax() {
  local version=0.10.2 made=$work/jax
  find_cache
  jax=$cache/jax-$version
  [[ -d $jax ]] && return
  if python3 -m pip download --quiet --no-deps --only-binary=:all: -d "$made" "jax==$version" >"$work/pip.log" 2>&1 &&
     python3 -m zipfile -e "$made"/jax-*.whl "$made/package"; then
    rm -rf "$jax"
    mv -T "$made/package" "$jax"
  else
    say "no JAX by pip, so what JAX makes of the variables is not shown: $(tail -n 1 "$work/pip.log")"
    jax=
  fi
}

# neighbour_version NAME MODULE: as its go.mod has it.
neighbour_version() {
  sed -nE "s#^(require|[[:space:]])[[:space:]]*$2 v([0-9.]+).*#\2#p" "$here/neighbours/$1/go.mod"
}
