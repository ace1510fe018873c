package harness

import (
	"encoding/json"
	"net/http"
)

// Watch calls seen for every change of the collection at path ("ADDED", "MODIFIED" or "DELETED",
// and the object as far as T describes it), the objects that exist already included, until the API
// server ends it. It ends a watch when it likes, for instance one that is too slow to follow.
func Watch[T any](a *API, path string, seen func(change string, object T)) error {
	request, err := a.prepare(http.MethodGet, path+"?watch=true", nil)
	if err != nil {
		return err
	}
	unlimited := http.Client{Transport: a.http.Transport}
	response, err := unlimited.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return &StatusError{response.StatusCode, "watching " + path}
	}
	for decoder := json.NewDecoder(response.Body); ; {
		var event struct {
			Type   string
			Object T
		}
		if err := decoder.Decode(&event); err != nil {
			return err
		}
		seen(event.Type, event.Object)
	}
}
