// The subcommands. Each prints to stdout, complains on stderr, and returns the exit code.
#pragma once

#include "app/options.h"

namespace tpu_admission::app {

int Serve(const ServeOptions& options);
int RunController(const ControllerOptions& options);
int Audit(const AuditOptions& options);
int Check(const CheckOptions& options);
int TestPolicy(const PolicyTestOptions& options);
int ShowCatalog(const CatalogOptions& options);
int ShowPlan(const PlanOptions& options);
int Explain(const ExplainOptions& options);
int Lsp(const LspOptions& options);
int Scan(const ScanOptions& options);
int Why(const WhyOptions& options);
int Verify(const VerifyOptions& options);
int ShowWebhooks(const WebhooksOptions& options);

}  // namespace tpu_admission::app
