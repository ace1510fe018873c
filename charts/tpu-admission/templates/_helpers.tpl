{{- define "tpu-admission.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* 52 characters leave room for our longest suffix. */ -}}
{{- define "tpu-admission.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "tpu-admission.controllerName" -}}
{{ include "tpu-admission.fullname" . }}-controller
{{- end }}

{{- /* The configurations are cluster-wide: two releases of one name must not share them. */ -}}
{{- define "tpu-admission.clusterName" -}}
{{- $name := include "tpu-admission.fullname" . -}}
{{- if eq .Release.Namespace (printf "%s-system" $name) -}}
{{ $name }}
{{- else if eq .Release.Namespace $name -}}
{{ $name }}
{{- else -}}
{{ printf "%s-%s" .Release.Namespace $name }}
{{- end -}}
{{- end }}

{{- define "tpu-admission.secretName" -}}
{{- if eq .Values.certificates.mode "existing-secret" -}}
{{ required "certificates.existingSecret.name is needed in the mode existing-secret" .Values.certificates.existingSecret.name }}
{{- else -}}
{{- /* Not the same in both modes: who changes from one to the other meets no Secret of the other's. */ -}}
{{ include "tpu-admission.fullname" . }}-{{ ternary "tls" "cert" (eq .Values.certificates.mode "self-managed") }}
{{- end -}}
{{- end }}

{{- define "tpu-admission.selfManaged" -}}
{{- if eq .Values.certificates.mode "self-managed" }}true{{ end -}}
{{- end }}

{{- define "tpu-admission.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end }}

{{- /* The groups of alerts, each alert with a link to its runbook. */ -}}
{{- define "tpu-admission.alerts" -}}
{{- $groups := (.Files.Get "files/alerts.yaml" | fromYaml).groups }}
{{- with .Values.metrics.runbookUrl }}
{{- range $group := $groups }}
{{- range $group.rules }}
{{- $_ := set .annotations "runbook_url" (printf "%s#%s" $.Values.metrics.runbookUrl (lower .alert)) }}
{{- end }}
{{- end }}
{{- end }}
{{- toYaml $groups }}
{{- end }}

{{- /* Labels that all pods of the release have. */ -}}
{{- define "tpu-admission.releaseLabels" -}}
app.kubernetes.io/name: {{ include "tpu-admission.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* Labels that select pods; they never change. Call: (dict "root" . "component" "server"). */ -}}
{{- define "tpu-admission.selectorLabels" -}}
{{ include "tpu-admission.releaseLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "tpu-admission.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 }}
{{ include "tpu-admission.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: tpu-admission
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "tpu-admission.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "tpu-admission.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "tpu-admission.probes" -}}
livenessProbe:
  httpGet:
    path: /livez
    port: metrics
  periodSeconds: 10
  timeoutSeconds: 2
readinessProbe:
  httpGet:
    path: /readyz
    port: metrics
  periodSeconds: 2
  timeoutSeconds: 2
{{- end }}

{{- /* What serve reads by --policy and --catalog. */ -}}
{{- define "tpu-admission.configMapName" -}}
{{ include "tpu-admission.fullname" . }}-config
{{- end }}
