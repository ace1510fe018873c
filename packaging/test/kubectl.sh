# kubectl's plugin and krew. Sourced by run.
readonly krew_version=v0.4.4

# The real kubectl of the end-to-end tests, or that of the system.
find_kubectl() {
  kubectl=$(type -P kubectl || find "${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/tpu-admission" -name kubectl -type f \
    -perm -u+x 2>/dev/null | head -n 1)
  [[ -n $kubectl ]]
}

kubectl_runs() (
  export PATH=$unpacked/usr/bin:$PATH
  denies "$kubectl" tpu check "$work/manifests" && says TPU301 "$kubectl" tpu explain TPU301 &&
    says 'kind: JobSet' "$kubectl" tpu plan --accelerator v6e --chips 16 --emit jobset &&
    says 'kubectl tpu ' "$kubectl" tpu --help
)

kubectl_completes() (
  export PATH=$unpacked/usr/bin:$PATH
  [[ $("$kubectl" __complete tpu che) == $'check\n:'* ]] && [[ $("$kubectl" __complete tpu check --output=js) == $'json\n:'* ]]
)

# As krew may install it: by its plugin's name alone.
kubectl_completes_the_plugin_alone() (
  mkdir -p "$work/plugin" && cp "$unpacked/usr/bin/kubectl_complete-tpu" "$work/plugin/" &&
    cp -L "$unpacked/usr/bin/kubectl-tpu" "$work/plugin/" || return
  export PATH=$work/plugin:/usr/bin:/bin
  [[ $("$kubectl" __complete tpu explain TPU30 2>&1) == *TPU301* ]]
)

krew_installs() (
  export KREW_ROOT=$work/krew
  "$krew" install --manifest "$dist/krew-tpu.yaml" --archive "$dist/tpu-admission-$version-linux-$(native_arch).tar.gz" &&
    denies "$work/krew/bin/kubectl-tpu" check "$work/manifests"
)

test_kubectl() {
  if find_kubectl; then
    holds "kubectl runs the plugin" kubectl_runs
    holds "kubectl completes its words" kubectl_completes
    if PATH=/usr/bin:/bin has tpu-admission; then left_out "and those of the plugin alone: the system has a tpu-admission"; else
      holds "and those of the plugin alone" kubectl_completes_the_plugin_alone
    fi
  else
    left_out "kubectl: there is none, neither installed nor built by ./dev e2e"
  fi
  if krew=$(go_tool sigs.k8s.io/krew "$krew_version" cmd/krew); then holds "krew installs the plugin" krew_installs; else left_out "krew: it needs Go"; fi
}
