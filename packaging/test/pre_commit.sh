# The hooks of .pre-commit-hooks.yaml, by the real pre-commit. Sourced by run.

git_quietly() { git -c user.name=test -c user.email=test@localhost -c init.defaultBranch=main "$@" --quiet; }

# What pre-commit clones: the files of this tree, as a release would tag them.
make_hook_repository() {
  mkdir "$work/hooks"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory="$work/hooks"
  (cd "$work/hooks" && git_quietly init && git add . && git_quietly commit -m release && git tag "v$version")
}

make_user_repository() {
  mkdir "$work/user"
  mkdir -p "$work/user/chart/templates"
  cp examples/wrong-job.yaml "$work/user/"
  echo 'a: {{ .Values.a }}' >"$work/user/chart/templates/job.yaml"  # is left out
  cat >"$work/user/.pre-commit-config.yaml" <<END
repos:
  - repo: file://$work/hooks
    rev: v$version
    hooks:
      - id: $1
END
  (cd "$work/user" && git_quietly init && git add .)
}

pre_commit() (
  cd "$work/user" && PRE_COMMIT_HOME=$work/pre-commit PIP_INDEX_URL=$index PIP_DISABLE_PIP_VERSION_CHECK=1 \
    "$tools/pre-commit" run --all-files
)

stops_a_wrong_job() { make_user_repository tpu-admission && denies pre_commit; }

lets_a_sound_job_pass() { cp examples/corrected-job.yaml "$work/user/wrong-job.yaml" && pre_commit; }

# The first run mends the file and says so, the second finds nothing.
mends_a_wrong_job() {
  rm -rf "$work/user"
  make_user_repository tpu-admission-fix && ! pre_commit && ! cmp -s "$work/user/wrong-job.yaml" \
    examples/wrong-job.yaml && pre_commit
}

test_pre_commit() {
  holds "a repository of hooks is made" make_hook_repository
  holds "pre-commit stops a wrong Job" stops_a_wrong_job
  holds "pre-commit lets a sound Job pass" lets_a_sound_job_pass
  holds "pre-commit mends a wrong Job" mends_a_wrong_job
}
