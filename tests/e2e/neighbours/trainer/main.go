// The controllers of Kubeflow's training-operator for the kinds whose workers have numbers, in one
// process. The operator's own program waits for a certificate of its own making in a fixed folder
// before it starts any controller; nothing here needs its webhooks, which only refuse.
package main

import (
	"flag"
	"log"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	controllers "github.com/kubeflow/training-operator/pkg/controller.v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2/textlogger"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	probe := flag.String("health-probe-bind-address", "127.0.0.1:0", "where /readyz is")
	flag.Parse()
	ctrl.SetLogger(textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(1))))
	known := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(known))
	utilruntime.Must(kubeflow.AddToScheme(known))
	config := ctrl.GetConfigOrDie()
	config.QPS, config.Burst = 1000, 2000
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: known, HealthProbeBindAddress: *probe,
		Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, kind := range []string{kubeflow.JAXJobKind, kubeflow.PyTorchJobKind, kubeflow.TFJobKind, kubeflow.MPIJobKind} {
		if err := controllers.SupportedSchemeReconciler[kind](manager, common.GenNonGangSchedulerSetupFunc(), 4); err != nil {
			log.Fatalf("%s: %v", kind, err)
		}
	}
	utilruntime.Must(manager.AddReadyzCheck("readyz", healthz.Ping))
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		log.Fatal(err)
	}
}
