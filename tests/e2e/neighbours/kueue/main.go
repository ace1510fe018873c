// Kueue with topology-aware scheduling, in one process, for Jobs, JobSets and Ray clusters. Kueue's own
// program wants certificates for its metrics in a fixed folder before it starts anything; what it
// starts is public. Left out: MultiKueue, ProvisioningRequests, metrics and the visibility server.
package main

import (
	"context"
	"flag"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2/textlogger"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/config"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs"
	"sigs.k8s.io/kueue/pkg/controller/tas"
	tasindexer "sigs.k8s.io/kueue/pkg/controller/tas/indexer"
	"sigs.k8s.io/kueue/pkg/metrics"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/util/kubeversion"
	"sigs.k8s.io/kueue/pkg/webhooks"
)

func main() {
	file := flag.String("config", "", "Kueue's configuration")
	flag.Parse()
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Verbosity(2)))
	ctrl.SetLogger(logger)
	known := knownTypes()
	options, cfg, err := config.Load(known, *file)
	must(err)
	metrics.Register()
	client := ctrl.GetConfigOrDie()
	client.QPS, client.Burst = *cfg.ClientConnection.QPS, int(*cfg.ClientConnection.Burst)
	manager, err := ctrl.NewManager(client, options)
	must(err)
	ctx := ctrl.SetupSignalHandler()
	must(index(ctx, manager, &cfg))
	must(setUp(ctx, manager, &cfg))
	must(manager.AddHealthzCheck("healthz", healthz.Ping))
	must(manager.AddReadyzCheck("readyz", manager.GetWebhookServer().StartedChecker()))
	must(manager.Start(ctx))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func knownTypes() *runtime.Scheme {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, kueue.AddToScheme, configapi.AddToScheme} {
		utilruntime.Must(add(known))
	}
	utilruntime.Must(jobframework.ForEachIntegration(func(_ string, i jobframework.IntegrationCallbacks) error {
		if i.AddToScheme == nil {
			return nil
		}
		return i.AddToScheme(known)
	}))
	return known
}

func index(ctx context.Context, manager ctrl.Manager, cfg *configapi.Configuration) error {
	fields := manager.GetFieldIndexer()
	if err := indexer.Setup(ctx, fields); err != nil {
		return err
	}
	if err := tasindexer.SetupIndexes(ctx, fields); err != nil {
		return err
	}
	return jobframework.SetupIndexes(ctx, fields, jobframework.WithEnabledFrameworks(cfg.Integrations.Frameworks))
}

func setUp(ctx context.Context, manager ctrl.Manager, cfg *configapi.Configuration) error {
	cache := schdcache.New(manager.GetClient())
	queues := qcache.NewManager(manager.GetClient(), cache)
	go queues.CleanUpOnContext(ctx)
	go cache.CleanUpOnContext(ctx)
	if name, err := core.SetupControllers(manager, queues, cache, cfg); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	if name, err := tas.SetupControllers(manager, queues, cache, cfg); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	if name, err := webhooks.Setup(manager); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	if err := setUpJobs(ctx, manager, cfg, cache, queues); err != nil {
		return err
	}
	return manager.Add(scheduler.New(queues, cache, manager.GetClient(),
		manager.GetEventRecorderFor(constants.AdmissionName)))
}

func setUpJobs(ctx context.Context, manager ctrl.Manager, cfg *configapi.Configuration,
	cache *schdcache.Cache, queues *qcache.Manager) error {
	client, err := discovery.NewDiscoveryClientForConfig(manager.GetConfig())
	if err != nil {
		return err
	}
	version := kubeversion.NewServerVersionFetcher(client)
	if err := version.FetchServerVersion(); err != nil {
		return err
	}
	managed, err := metav1.LabelSelectorAsSelector(cfg.ManagedJobsNamespaceSelector)
	if err != nil {
		return err
	}
	return jobframework.SetupControllers(ctx, manager, ctrl.Log,
		jobframework.WithManageJobsWithoutQueueName(cfg.ManageJobsWithoutQueueName),
		jobframework.WithWaitForPodsReady(cfg.WaitForPodsReady),
		jobframework.WithKubeServerVersion(version),
		jobframework.WithEnabledFrameworks(cfg.Integrations.Frameworks),
		jobframework.WithEnabledExternalFrameworks(cfg.Integrations.ExternalFrameworks),
		jobframework.WithManagerName(constants.KueueName),
		jobframework.WithCache(cache),
		jobframework.WithQueues(queues),
		jobframework.WithManagedJobsNamespaceSelector(managed))
}
