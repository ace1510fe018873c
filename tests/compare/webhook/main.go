// Command webhook is a minimal admission webhook as one would write it in Go: net/http, encoding/json and
// the types of k8s.io/api. It is what ./dev compare measures tpu-admission against. It writes no log and
// has no metrics.
//
//	webhook -cert tls.crt -key tls.key [-listen 127.0.0.1:0]
//
// It prints "listening on ADDRESS". /validate makes the checks of checks.go, /mutate adds a variable.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const maxBody = 7 << 20

func main() {
	cert := flag.String("cert", "", "certificate, PEM")
	key := flag.String("key", "", "its key, PEM")
	address := flag.String("listen", "127.0.0.1:0", "address")
	flag.Parse()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr())
	server := &http.Server{Handler: newHandler(), ReadTimeout: 10 * time.Second, IdleTimeout: 120 * time.Second}
	log.Fatal(server.ServeTLS(listener, *cert, *key))
}

func newHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /validate", serve(validate))
	mux.Handle("POST /mutate", serve(mutate))
	return mux
}

// serve answers reviews of Pods by `judge`; all other kinds are allowed.
func serve(judge func(*corev1.Pod) *admissionv1.AdmissionResponse) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		var review admissionv1.AdmissionReview
		if err := json.Unmarshal(body, &review); err != nil || review.Request == nil {
			http.Error(w, "this is no AdmissionReview", http.StatusBadRequest)
			return
		}
		response := &admissionv1.AdmissionResponse{Allowed: true}
		if review.Request.Kind.Kind == "Pod" && review.Request.Kind.Group == "" {
			var pod corev1.Pod
			if err := json.Unmarshal(review.Request.Object.Raw, &pod); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			response = judge(&pod)
		}
		response.UID = review.Request.UID
		answer, err := json.Marshal(admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: response})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		w.Write(answer)
	}
}

func validate(pod *corev1.Pod) *admissionv1.AdmissionResponse {
	faults := check(pod)
	if len(faults) == 0 {
		return &admissionv1.AdmissionResponse{Allowed: true}
	}
	return &admissionv1.AdmissionResponse{Result: &metav1.Status{
		Status: metav1.StatusFailure, Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden,
		Message: strings.Join(faults, "; "),
	}}
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// mutate adds a variable to each container with chips.
func mutate(pod *corev1.Pod) *admissionv1.AdmissionResponse {
	variable := corev1.EnvVar{Name: "TPU_WEBHOOK", Value: "seen"}
	var patch []operation
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		path := fmt.Sprintf("/spec/containers/%d/env", i)
		switch {
		case chips(container) == 0:
		case len(container.Env) == 0:
			patch = append(patch, operation{"add", path, []corev1.EnvVar{variable}})
		default:
			patch = append(patch, operation{"add", path + "/-", variable})
		}
	}
	response := &admissionv1.AdmissionResponse{Allowed: true}
	if len(patch) > 0 {
		kind := admissionv1.PatchTypeJSONPatch
		response.PatchType = &kind
		response.Patch, _ = json.Marshal(patch) // of our own types: no error
	}
	return response
}
