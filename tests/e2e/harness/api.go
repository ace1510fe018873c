package harness

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"tpu-admission.io/objects"
)

// Object is a Kubernetes object as JSON. Paths of keys are read with Dig.
type Object = objects.Object

// API is a plain client of kube-apiserver, for what a test prepares and watches. What a user does
// goes through kubectl instead.
type API struct {
	server string
	token  string
	user   string // to act as; "" is the token's own
	trace  string // traceparent of each request; "" for none
	http   *http.Client
}

func newAPI(server, token, caPath string) (*API, error) {
	ca, err := os.ReadFile(caPath)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, MaxIdleConnsPerHost: 100}
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	return &API{server: server, token: token, http: client}, nil
}

// Get reads the path into `into` (an *Object, or nil to ignore the body).
func (a *API) Get(path string, into *Object) error {
	return a.do(http.MethodGet, path, nil, into)
}

// Create posts the object to the collection at path.
func (a *API) Create(path string, object Object) error {
	return a.do(http.MethodPost, path, object, nil)
}

// CreateOnce is Create for an object that may exist already.
func (a *API) CreateOnce(path string, object Object) error {
	return except(http.StatusConflict, a.Create(path, object))
}

// Patch merges the object into the one at path, as a JSON merge patch; lists that have a merge key in
// Kubernetes are replaced too.
func (a *API) Patch(path string, object Object) error {
	return a.do(http.MethodPatch, path, object, nil)
}

// Delete deletes the object or the collection at path at once, without a grace period. That it
// does not exist is no error.
func (a *API) Delete(path string) error {
	return except(http.StatusNotFound, a.do(http.MethodDelete, path, Object{"gracePeriodSeconds": 0}, nil))
}

// As posts the object in the name of another user and reads the answer.
func (a *API) As(user, path string, object Object, into *Object) error {
	impersonated := *a
	impersonated.user = user
	return impersonated.do(http.MethodPost, path, object, into)
}

// CreateTraced is Create as part of a trace of the caller's: the value of a W3C traceparent header.
func (a *API) CreateTraced(path string, object Object, traceParent string) error {
	traced := *a
	traced.trace = traceParent
	return traced.Create(path, object)
}

// DeleteWithChildren is Delete for an object that owns others: they go too, a little later.
func (a *API) DeleteWithChildren(path string) error {
	options := Object{"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
	return except(http.StatusNotFound, a.do(http.MethodDelete, path, options, nil))
}

// CreateYAML posts the text of one object, and returns when the API server has it.
func (a *API) CreateYAML(path string, text []byte) error {
	_, _, err := a.request(http.MethodPost, path, "application/yaml", text)
	return err
}

// Text returns the body of a path that is not JSON, such as /metrics.
func (a *API) Text(path string) (string, error) {
	body, err := a.send(http.MethodGet, path, nil)
	return string(body), err
}

// StatusError is an answer of the API server other than 2xx.
type StatusError struct {
	Code int
	Body string
}

func (e *StatusError) Error() string { return fmt.Sprintf("HTTP %d: %s", e.Code, e.Body) }

func except(code int, err error) error {
	if status, ok := err.(*StatusError); ok && status.Code == code {
		return nil
	}
	return err
}

func (a *API) do(method, path string, object Object, into *Object) error {
	body, err := a.send(method, path, object)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(body, into)
}

func (a *API) send(method, path string, object Object) ([]byte, error) {
	body, _, err := a.sendForHeader(method, path, object)
	return body, err
}

// warnings posts the object and returns the warnings of the answer.
func (a *API) warnings(path string, object Object) ([]string, error) {
	_, header, err := a.sendForHeader(http.MethodPost, path, object)
	return header.Values("Warning"), err
}

func (a *API) sendForHeader(method, path string, object Object) ([]byte, http.Header, error) {
	var text []byte
	if object != nil {
		var err error
		if text, err = json.Marshal(object); err != nil {
			return nil, nil, err
		}
	}
	contentType := "application/json"
	if method == http.MethodPatch {
		contentType = "application/merge-patch+json"
	}
	return a.request(method, path, contentType, text)
}

func (a *API) request(method, path, contentType string, body []byte) ([]byte, http.Header, error) {
	request, err := a.prepare(method, path, body)
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Content-Type", contentType)
	response, err := a.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = &StatusError{response.StatusCode, strings.TrimSpace(string(answer))}
	}
	return answer, response.Header, err
}

func (a *API) prepare(method, path string, body []byte) (*http.Request, error) {
	request, err := http.NewRequest(method, a.server+path, bytes.NewReader(body))
	if err == nil {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
	if err == nil && a.trace != "" {
		request.Header.Set("Traceparent", a.trace)
	}
	if err == nil && a.user != "" {
		request.Header.Set("Impersonate-User", a.user)
		request.Header.Add("Impersonate-Group", "system:serviceaccounts")
		request.Header.Add("Impersonate-Group", "system:authenticated")
	}
	return request, err
}
