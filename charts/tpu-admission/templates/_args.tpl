{{- /* What the chart says to the programs of its pods. checks.yaml refuses extraArgs that say it again. */ -}}

{{- define "tpu-admission.serverArgs" -}}
- serve
- --tls-cert-file=/tls/tls.crt
- --tls-private-key-file=/tls/tls.key
- --tls-min-version={{ .Values.server.tlsMinVersion }}
- --policy=/config/policy.yaml
{{- if .Values.catalog }}
- --catalog=/config/catalog.yaml
{{- end }}
{{- with .Values.cluster.mode }}
- --cluster-mode={{ . }}
{{- end }}
{{- with .Values.cluster.location }}
- --cluster-location={{ . }}
{{- end }}
{{- with .Values.cluster.gkeVersion }}
- --gke-version={{ . }}
{{- end }}
{{- if include "tpu-admission.watchesNodes" . }}
- --node-record=/cluster/nodes.yaml
{{- end }}
{{- with .Values.server.docsUrl }}
- --docs-url={{ . }}
{{- end }}
- --threads={{ .Values.server.threads }}
- --shutdown-delay={{ .Values.server.shutdownDelaySeconds }}s
- --log-level={{ .Values.server.logLevel }}
{{- end }}

{{- define "tpu-admission.controllerArgs" -}}
- controller
- --service-name={{ include "tpu-admission.fullname" . }}
- --secret-name={{ include "tpu-admission.secretName" . }}
- --lease-name={{ include "tpu-admission.controllerName" . }}
{{- if .Values.webhooks.mutating.enabled }}
- --mutating-webhook-configuration={{ include "tpu-admission.clusterName" . }}
{{- end }}
{{- if .Values.webhooks.validating.enabled }}
- --validating-webhook-configuration={{ include "tpu-admission.clusterName" . }}
{{- end }}
{{- if include "tpu-admission.watchesNodes" . }}
- --node-record={{ include "tpu-admission.nodeRecordName" . }}
{{- end }}
- --metrics-port=8080
- --log-level={{ .Values.controller.logLevel }}
{{- end }}

{{- define "tpu-admission.auditArgs" -}}
- audit
- --interval={{ .Values.audit.interval }}
- --policy=/config/policy.yaml
{{- if .Values.catalog }}
- --catalog=/config/catalog.yaml
{{- end }}
{{- with .Values.cluster.mode }}
- --cluster-mode={{ . }}
{{- end }}
{{- with .Values.cluster.location }}
- --cluster-location={{ . }}
{{- end }}
{{- with .Values.cluster.gkeVersion }}
- --gke-version={{ . }}
{{- end }}
- --metrics-port=8080
- --log-level={{ .Values.audit.logLevel }}
{{- end }}
