// Command plane keeps a control plane running until its input ends: it prints the path of the
// administrator's kubeconfig once all of it works.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"tpu-admission.io/e2e/harness"
)

func main() {
	programs := flag.String("programs", "", "folder of the five programs")
	work := flag.String("work", "", "folder for data and logs")
	flag.Parse()
	if err := run(*programs, *work); err != nil {
		fmt.Fprintln(os.Stderr, "plane:", err)
		os.Exit(2)
	}
}

func run(programs, work string) error {
	plane, err := harness.StartControlPlane(programs, work, "plane", harness.Options{})
	defer plane.Stop()
	if err != nil {
		return err
	}
	fmt.Println(plane.AdminKubeconfig())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
