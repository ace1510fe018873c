{{- define "tpu-admission.webhookAnnotations" -}}
{{- $annotations := dict }}
{{- if eq (include "tpu-admission.certificateMode" .) "cert-manager" }}
{{- $_ := set $annotations "cert-manager.io/inject-ca-from" (printf "%s/%s" .Release.Namespace (include "tpu-admission.fullname" .)) }}
{{- end }}
{{- toYaml (merge $annotations (default dict .Values.webhooks.annotations)) }}
{{- end }}

{{- /* What both webhooks have in common. Call: (dict "root" . "path" "/mutate"). */ -}}
{{- define "tpu-admission.webhook" -}}
{{- $values := .root.Values -}}
admissionReviewVersions: [v1]
clientConfig:
  {{- /* caBundle is only rendered where the user gives it: whoever fills it in keeps it. */}}
  {{- if and (eq (include "tpu-admission.certificateMode" .root) "existing-secret") $values.certificates.existingSecret.caBundle }}
  caBundle: {{ $values.certificates.existingSecret.caBundle | b64enc }}
  {{- end }}
  service:
    namespace: {{ toYaml .root.Release.Namespace }}
    name: {{ include "tpu-admission.fullname" .root | toYaml }}
    path: {{ .path }}
    port: {{ $values.service.port }}
failurePolicy: {{ $values.webhooks.failurePolicy }}
matchPolicy: Equivalent
sideEffects: None
timeoutSeconds: {{ $values.webhooks.timeoutSeconds }}
{{ include "tpu-admission.namespaceSelector" .root }}
{{- end }}

{{- /* All objects of the user's own kinds are sent, whatever changes in them: we do not know here where their
templates are. */ -}}
{{- define "tpu-admission.validatingConditions" -}}
{{- $own := list }}
{{- range .root.Values.extraKinds }}
{{- $own = append $own (printf "(request.kind.group == %q && request.kind.kind == %q) ||\n" .group .kind) }}
{{- end }}
{{- range .conditions }}
{{- if and $own (has .name (list "new-or-with-another-spec" "uses-tpus")) }}
{{- $_ := set . "expression" (printf "%s(%s)" (join "" $own) .expression) }}
{{- end }}
{{- end }}
{{- toYaml .conditions }}
{{- end }}

{{- /* The API server applies no namespaceSelector to what is in no namespace. Where only namespaces with some label
are looked at, that has not the label either. */ -}}
{{- define "tpu-admission.onlyLabelledNamespaces" -}}
{{- $selector := default dict .Values.webhooks.namespaceSelector }}
{{- $demands := not (empty $selector.matchLabels) }}
{{- range $selector.matchExpressions }}
{{- $demands = or $demands (has .operator (list "In" "Exists")) }}
{{- end }}
{{- if $demands }}true{{ end -}}
{{- end }}

{{- define "tpu-admission.validatingRules" -}}
{{- $namespaced := include "tpu-admission.onlyLabelledNamespaces" .root }}
{{- $rules := list }}
{{- range .rules }}
{{- if not (and $namespaced (eq .scope "Cluster")) }}
{{- $rules = append $rules . }}
{{- end }}
{{- end }}
{{- range .root.Values.extraKinds }}
{{- $rules = append $rules (dict "operations" (list "CREATE" "UPDATE") "apiGroups" (list .group) "apiVersions" .versions
      "resources" (list .resource) "scope" (ternary "Namespaced" "*" (not (empty $namespaced)))) }}
{{- end }}
{{- toYaml $rules }}
{{- end }}

{{- define "tpu-admission.namespaceSelector" -}}
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values:
        {{- /* Whoever installs into "default" still wants its workloads judged; our own pods have no TPUs. */}}
        {{- $own := without (list .Release.Namespace) "default" }}
        {{- concat (list "kube-system" "kube-public" "kube-node-lease" "gke-managed-system" "gke-managed-cim" "gke-gmp-system" "gmp-system" "gmp-public") $own (default list .Values.webhooks.excludedNamespaces) | uniq | toYaml | nindent 8 }}
    {{- with (.Values.webhooks.namespaceSelector).matchExpressions }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with (.Values.webhooks.namespaceSelector).matchLabels }}
  matchLabels:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
