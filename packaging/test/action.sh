# The script of the GitHub Action, with releases in a folder. The rest of action.yml is read by GitHub alone.
# Sourced by run.

action() {  # PATHS [ARGS]
  env GITHUB_ACTION_PATH="$root" RUNNER_TEMP="$work" TPU_ADMISSION_CHECK_OUTPUT=github TPU_ADMISSION_PATHS="$1" TPU_ADMISSION_ARGS="${2-}" \
    TPU_ADMISSION_RELEASES="file://$work/releases" packaging/action/check
}

refuses_another_archive() {
  local code=0
  printf x >>"$work/releases/v$version/tpu-admission-$version-linux-$(native_arch).tar.gz"
  action examples >"$work/out" 2>&1 || code=$?
  cat "$work/out"
  ((code == 2)) && grep -q 'is not what was released' "$work/out"
}

refuses_no_release() {
  local code=0
  TPU_ADMISSION_RELEASE=9.9.9 action examples >"$work/out" 2>&1 || code=$?
  cat "$work/out"
  ((code == 2)) && grep -q 'there is no release 9.9.9' "$work/out"
}

annotates_the_line() { { action "$work/manifests" || true; } | grep '^::error file=.*wrong-job.yaml,line='; }

# What action.yml hands to the script are variables that the script reads.
names_its_variables() {
  local name
  for name in $(sed -n 's/^ *\(TPU_ADMISSION_[A-Z]*\): .*/\1/p' action.yml); do
    grep -q "$name" packaging/action/check || { echo "$name is not read"; return 1; }
  done
}

test_action() {
  mkdir -p "$work/releases"
  cp -r "$dist" "$work/releases/v$version"
  holds "the action denies a wrong Job" denies action "$work/manifests"
  holds "the action annotates the line" annotates_the_line
  holds "the action passes flags and a sound Job" action examples/corrected-job.yaml "--fail-on deny"
  holds "the action and its script name the same variables" names_its_variables
  holds "the action refuses an archive that is not the release's" refuses_another_archive
  holds "the action refuses a release that is not there" refuses_no_release
}
