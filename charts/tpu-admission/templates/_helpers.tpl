{{- define "tpu-admission.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* 52 characters leave room for our longest suffix, -controller or -selfsigned: the names of Services and of Jobs
end at 63. A test renders everything under such a name. */ -}}
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

{{- define "tpu-admission.auditName" -}}
{{ include "tpu-admission.fullname" . }}-audit
{{- end }}

{{- /* The configurations are cluster-wide: releases of one name in two namespaces have two. Where names still come
   out alike (x-y and z, x and y-z) Helm refuses the second, for the objects are the first one's. */ -}}
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

{{- /* The policy as serve reads it, with the user's own kinds. Helm has read a bare off as false. */ -}}
{{- define "tpu-admission.policy" -}}
{{- $policy := deepCopy (default dict .Values.policy) }}
{{- range prepend (default list $policy.namespaces) $policy }}
{{- if eq (toString .default) "false" }}
{{- $_ := set . "default" "off" }}
{{- end }}
{{- $rules := default dict .rules }}
{{- range $rule, $mode := $rules }}
{{- if eq (toString $mode) "false" }}
{{- $_ := set $rules $rule "off" }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.extraKinds }}
{{- $_ := set $policy "kinds" . }}
{{- end }}
{{- toYaml $policy }}
{{- end }}

{{- /* A section that is null, or has only comments below it, is an empty one. */ -}}
{{- define "tpu-admission.certificateMode" -}}
{{- default "self-managed" (.Values.certificates).mode }}
{{- end }}

{{- /* A duration such as 1h30m, in milliseconds. */ -}}
{{- define "tpu-admission.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 }}
{{- $sum := 0 }}
{{- range regexFindAll "[0-9]+(ms|s|m|h)" . -1 }}
{{- $sum = add $sum (mul (regexFind "^[0-9]+" . | atoi) (get $units (regexFind "[a-z]+$" .))) }}
{{- end }}
{{- $sum }}
{{- end }}

{{- /* A life that the controller is given by a flag or its variable, as text; nothing where only the cluster knows it
(valueFrom). Of two flags the last holds. Call: (dict "root" . "flag" "ca-lifetime"). */ -}}
{{- define "tpu-admission.controllerLife" -}}
{{- $life := ternary "8760h" "2160h" (eq .flag "ca-lifetime") }}
{{- $variable := print "TPU_ADMISSION_" (upper .flag | replace "-" "_") }}
{{- range .root.Values.controller.extraEnv }}
{{- if eq .name $variable }}
{{- $life = ternary "" (default $life .value | toString) (hasKey . "valueFrom") }}
{{- end }}
{{- end }}
{{- $flag := printf "--%s=" .flag }}
{{- range .root.Values.controller.extraArgs }}
{{- if hasPrefix $flag . }}
{{- $life = trimPrefix $flag . }}
{{- end }}
{{- end }}
{{- $life }}
{{- end }}

{{- /* How long before its end a certificate is renewed, in milliseconds; nothing if a person does it. The controller
does so when a third of its life is left, which a flag or its variable may have changed. */ -}}
{{- define "tpu-admission.renewedBefore" -}}
{{- $mode := include "tpu-admission.certificateMode" . }}
{{- if eq $mode "cert-manager" }}
{{- include "tpu-admission.milliseconds" (default "720h" .Values.certificates.certManager.renewBefore) }}
{{- else if eq $mode "self-managed" }}
{{- div (include "tpu-admission.controllerLife" (dict "root" . "flag" "certificate-lifetime") | default "2160h" | include "tpu-admission.milliseconds") 3 }}
{{- end }}
{{- end }}

{{- /* The seconds before the end of a certificate at which its alerts fire, as JSON: a week and a day, and where
certificates live so short that a sound one would be that old, half and a quarter of the time in which it is renewed. */ -}}
{{- define "tpu-admission.certificateAlerts" -}}
{{- $soon := 604800 }}
{{- $end := 86400 }}
{{- with include "tpu-admission.renewedBefore" . }}
{{- $soon = min $soon (div . 2000) }}
{{- $end = min $end (div . 4000) }}
{{- end }}
{{- dict "soon" (toString $soon) "end" (toString $end) | toJson }}
{{- end }}

{{- define "tpu-admission.secretName" -}}
{{- if eq (include "tpu-admission.certificateMode" .) "existing-secret" -}}
{{ required "certificates.existingSecret.name is needed in the mode existing-secret" .Values.certificates.existingSecret.name }}
{{- else -}}
{{- /* Not the same in both modes: who changes from one to the other meets no Secret of the other's. */ -}}
{{ include "tpu-admission.fullname" . }}-{{ ternary "tls" "cert" (eq (include "tpu-admission.certificateMode" .) "self-managed") }}
{{- end -}}
{{- end }}

{{- define "tpu-admission.selfManaged" -}}
{{- if eq (include "tpu-admission.certificateMode" .) "self-managed" }}true{{ end -}}
{{- end }}

{{- /* The controller is there to watch them, and shall. */ -}}
{{- define "tpu-admission.watchesNodes" -}}
{{- if and .Values.cluster.watchNodes (include "tpu-admission.selfManaged" .) }}true{{ end -}}
{{- end }}

{{- define "tpu-admission.nodeRecordName" -}}
{{ include "tpu-admission.fullname" . }}-cluster
{{- end }}

{{- define "tpu-admission.image" -}}
{{- with (.Values.global).imageRegistry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end }}

{{- define "tpu-admission.serviceAccountName" -}}
{{- default (include "tpu-admission.fullname" .) .Values.serviceAccount.name }}
{{- end }}

{{- define "tpu-admission.controllerAccountName" -}}
{{- default (include "tpu-admission.controllerName" .) .Values.controller.serviceAccount.name }}
{{- end }}

{{- define "tpu-admission.auditAccountName" -}}
{{- default (include "tpu-admission.auditName" .) .Values.audit.serviceAccount.name }}
{{- end }}

{{- /* What of the controller's placement is null is that of the servers. */ -}}
{{- define "tpu-admission.controllerPlacement" -}}
{{- range $key := list "nodeSelector" "tolerations" "priorityClassName" }}
{{- $own := get $.Values.controller $key }}
{{ $key }}: {{ ternary (get $.Values $key) $own (kindIs "invalid" $own) | toJson }}
{{- end }}
{{- end }}

{{- /* What all our pods have. Call: (dict "root" . "own" (values with nodeSelector, tolerations and
priorityClassName)). */ -}}
{{- define "tpu-admission.pod" -}}
{{- with concat (default list .root.Values.imagePullSecrets) (default list (.root.Values.global).imagePullSecrets) -}}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{ end -}}
{{- with .own.priorityClassName -}}
priorityClassName: {{ toYaml . }}
{{ end -}}
securityContext:
  {{- include "tpu-admission.podSecurityContext" .root | nindent 2 }}
{{- with .own.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The groups of alerts as metrics.alerts wants them, each alert with the way to its runbook. */ -}}
{{- define "tpu-admission.alerts" -}}
{{- $groups := list }}
{{- $left := include "tpu-admission.certificateAlerts" . | fromJson }}
{{- $thresholds := dict "TpuAdmissionCertificateExpiresSoon" $left.soon "TpuAdmissionCertificateExpired" $left.end }}
{{- range $group := (.Files.Get "files/alerts.yaml" | fromYaml).groups }}
{{- $rules := list }}
{{- range $rule := $group.rules }}
{{- with get $thresholds (default "" $rule.alert) }}
{{- $_ := set $rule "expr" (regexReplaceAll "< [0-9 *]+$" $rule.expr (print "< " .)) }}
{{- end }}
{{- $own := get (default dict $.Values.metrics.alerts) (default "" $rule.alert) | default (dict) }}
{{- if dig "enabled" true $own }}
{{- $rules = append $rules (include "tpu-admission.alert" (dict "root" $ "rule" $rule "own" $own) | fromYaml) }}
{{- end }}
{{- end }}
{{- if $rules }}
{{- $groups = append $groups (set $group "rules" $rules) }}
{{- end }}
{{- end }}
{{- toYaml $groups }}
{{- end }}

{{- /* Call: (dict "root" . "rule" RULE "own" (its values)). */ -}}
{{- define "tpu-admission.alert" -}}
{{- $rule := merge (pick .own "expr" "for") .rule }}
{{- if $rule.alert }}
{{- $labels := merge (deepCopy (dig "labels" (dict) .own)) (default dict .root.Values.metrics.alertLabels) .rule.labels }}
{{- $runbook := printf "%s#%s" (default "docs/runbooks.md" .root.Values.metrics.runbookUrl) (lower $rule.alert) }}
{{- $key := ternary "runbook_url" "runbook" (not (empty .root.Values.metrics.runbookUrl)) }}
{{- $_ := set $rule "labels" $labels }}
{{- $_ := set $rule "annotations" (merge (dict $key $runbook) $rule.annotations) }}
{{- end }}
{{- toYaml $rule }}
{{- end }}

{{- /* The metadata of an object. Call: (dict "root" . "component" "server" "name" NAME), where needed with
"namespace", or "cluster" true if it is in none; with "labels" and "annotations" of its own. */ -}}
{{- define "tpu-admission.metadata" -}}
name: {{ toYaml .name }}
{{- if not .cluster }}
namespace: {{ default .root.Release.Namespace .namespace | toYaml }}
{{- end }}
labels:
  {{- include "tpu-admission.labels" . | nindent 2 }}
{{- with merge (deepCopy (default (dict) .annotations)) (default (dict) .root.Values.commonAnnotations) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Labels that all pods of the release have. */ -}}
{{- define "tpu-admission.releaseLabels" -}}
app.kubernetes.io/name: {{ include "tpu-admission.name" . | toYaml }}
app.kubernetes.io/instance: {{ toYaml .Release.Name }}
{{- end }}

{{- /* Labels that select pods. Those of a Deployment cannot change, so nothing goes in here that an upgrade may change;
nameOverride, which does, says so in values.yaml. Call: (dict "root" . "component" "server"). */ -}}
{{- define "tpu-admission.selectorLabels" -}}
{{ include "tpu-admission.releaseLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- /* Of an object, those of its own over those of all. Call: as tpu-admission.metadata. */ -}}
{{- define "tpu-admission.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 }}
{{ include "tpu-admission.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: tpu-admission
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- with merge (deepCopy (default dict .labels)) (default dict .root.Values.commonLabels) }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Of a pod that a Job or a Deployment makes; podLabels over commonLabels. No version: a new chart with the same
image restarts nothing. Call: as tpu-admission.selectorLabels. */ -}}
{{- define "tpu-admission.podLabels" -}}
{{ include "tpu-admission.selectorLabels" . }}
app.kubernetes.io/part-of: tpu-admission
{{- with merge (deepCopy (default dict .root.Values.podLabels)) (default dict .root.Values.commonLabels) }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Of such a pod; podAnnotations over "own", and nothing if there are none. Call: (dict "root" . "own" ANNOTATIONS). */ -}}
{{- define "tpu-admission.podAnnotations" -}}
{{- with merge (deepCopy (default dict .root.Values.podAnnotations)) (default dict .own) }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{- define "tpu-admission.apiServerEgress" -}}
egress: # the API server, by the address that every container is given: no DNS
  - ports:
      {{- range .Values.networkPolicy.apiServerPorts }}
      - port: {{ . }}
      {{- end }}
    {{- with .Values.networkPolicy.apiServerTo }}
    to:
      {{- toYaml . | nindent 6 }}
    {{- end }}
{{- end }}

{{- define "tpu-admission.podSecurityContext" -}}
{{- toYaml .Values.podSecurityContext }}
{{- end }}

{{- define "tpu-admission.containerSecurityContext" -}}
{{- toYaml .Values.containerSecurityContext }}
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
