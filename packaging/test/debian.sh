# The Debian package: what lintian says, its man pages and completions, and dpkg on a Debian. Sourced by run.

lintian_is_content() {
  lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$deb"
}

# groff complains of what it does not understand.
man_pages_are_sound() {
  local page warnings
  for page in "$unpacked"/usr/share/man/man1/tpu-*.gz; do
    warnings=$(zcat "$page" | groff -man -Tutf8 -ww -z 2>&1) && [[ -z $warnings ]] || {
      printf '%s: %s\n' "$page" "$warnings"
      return 1
    }
  done
  zcat "$unpacked/usr/share/man/man1/tpu-admission-check.1.gz" | groff -man -Tascii -P-cbou | grep -- --fail-on
}

# bash_completes WORD...: prints what the last of the words may become.
bash_completes() {
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tpu_admission
    printf "%s " "${COMPREPLY[@]}"' - "$share/bash-completion/completions/tpu-admission" "$@"
}

bash_completion_works() (
  cd "$work" && export PATH=$unpacked/usr/bin:$PATH &&
    [[ $(bash_completes tpu-admission che) == "check " ]] &&
    [[ $(bash_completes tpu-admission check --fail) == "--fail-on "* ]] &&
    [[ $(bash_completes tpu-admission check --fail-on d) == "deny " ]] &&
    [[ $(bash_completes tpu-admission check --fail-on = d) == "deny " ]] &&
    [[ $(bash_completes tpu-admission check mani) == "manifests " ]] &&
    [[ $(bash_completes tpu-admission explain TPU301) == "TPU301 " ]] &&
    [[ $(bash_completes tpu-admission help expl) == "explain " ]] &&
    [[ $(kubectl_complete-tpu catalog v6) == $'v6e\n:0' ]]
)

fish_completion_works() {
  [[ $(fish_completes "tpu-admission che") == check* ]] &&
    [[ $(fish_completes "tpu-admission check --fail-on d") == deny* ]] &&
    [[ $(fish_completes "kubectl-tpu explain TPU301") == TPU301* ]]
}
fish_completes() {
  env HOME="$work" fish --no-config -c "source $share/fish/vendor_completions.d/tpu-admission.fish
    complete --do-complete '$1'"
}

# zsh completes at a terminal only: zpty is one. Waits for 20 seconds at most.
zsh_completion_works() {
  local shown
  shown=$(TERM=dumb zsh -f -c "
    zmodload zsh/zpty
    zpty -b shell zsh -f -i
    zpty -w shell 'PS1=; fpath=($share/zsh/vendor-completions \$fpath); autoload -U compinit; compinit -u -d $work/zcompdump'
    zpty -w -n shell 'tpu-admission check --fail-on d'\$'\t'
    for ((i = 0; i < 40; i++)); do
      sleep 0.5
      while zpty -r -t shell line; do all+=\$line; done
      [[ \$all != *'--fail-on deny'* ]] || break
    done
    print -r -- \$all")
  printf '%s\n' "$shown"
  [[ $shown == *"--fail-on deny"* ]]
}

# With dpkg, on the bare Debian of python.sh. (What a failed run left would be replaced.)
dpkg_installs() {
  cp "$deb" "$bare/home/tpu-admission.deb" &&
    chroot "$bare" dpkg --install /home/tpu-admission.deb &&
    denies chroot "$bare" sh -c 'cd /home && tpu-admission check manifests' &&
    denies chroot "$bare" sh -c 'cd /home && kubectl-tpu check manifests' &&
    chroot "$bare" dpkg --verify tpu-admission &&
    chroot "$bare" dpkg --purge tpu-admission &&
    [[ ! -e $bare/usr/bin/tpu-admission ]]
}

test_debian() {
  deb=$dist/tpu-admission_${version}_$(native_arch).deb unpacked=$work/deb share=$work/deb/usr/share
  holds "the Debian package can be unpacked" dpkg-deb --extract "$deb" "$unpacked"
  if has lintian; then holds "lintian has nothing to say" lintian_is_content; else left_out "lintian: not there"; fi
  if has groff; then holds "the man pages are sound" man_pages_are_sound; else left_out "groff: not there"; fi
  holds "bash completes" bash_completion_works
  if has fish; then holds "fish completes" fish_completion_works; else left_out "fish: not there"; fi
  if has zsh; then holds "zsh completes" zsh_completion_works; else left_out "zsh: not there"; fi
  if [[ -n ${bare:-} && -x $bare/usr/bin/pip3 ]]; then holds "dpkg installs it" dpkg_installs; else
    left_out "dpkg: it needs the bare Debian"
  fi
}
