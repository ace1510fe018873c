package scenarios

import (
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// Under the longest name that helm takes, all objects are legal, also those that an uninstall makes: it ends, and
// leaves no right behind.
func TestAReleaseOfTheLongestName(t *testing.T) {
	i := prepare(t, "--set", "audit.enabled=true")
	before := everythingThere(i)
	release := strings.Repeat("a", 53)
	i.helm("install", release, chart)
	i.helm("uninstall", release, "--timeout", "60s")
	harness.Eventually(t, 60*time.Second, "nothing of ours to be left", func() error {
		return sameObjects(before, everythingThere(i))
	})
}
