// Those parts of cert-manager that a certificate by a CA of one's own needs, in one process: the
// controllers of Issuers and ClusterIssuers (self-signed and CA), CertificateRequests and
// Certificates, and the cainjector. cert-manager's own programs lie in modules of their own whose replace directives point
// into its repository, so no other module can ask for them; the libraries that they start are public.
//
// Left out: ACME, Vault and Venafi, metrics, the election of a leader, and
// cert-manager's webhook, whose checks are in an internal package.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	probe := flag.String("health-probe-bind-address", "127.0.0.1:0", "where /readyz is")
	flag.Parse()
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(1)))
	klog.SetLogger(logger)
	ctrl.SetLogger(logger)

	ctx, stop := signal.NotifyContext(klog.NewContext(context.Background(), logger), os.Interrupt, syscall.SIGTERM)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return runControllers(ctx, os.Getenv("KUBECONFIG")) })
	group.Go(func() error { return runInjector(ctx, *probe) })
	if err := group.Wait(); err != nil {
		log.Fatal(err)
	}
}
