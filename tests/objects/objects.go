// Package objects looks into Kubernetes objects as JSON. The tests of the chart and those against a real
// control plane share it; it is a module of its own, so that the one need not bring what the other needs.
package objects

// Object is a Kubernetes object as JSON.
type Object = map[string]any

// Dig returns the value below the keys (string keys of objects, int indices of lists), or nil
// where there is none.
func Dig(value any, keys ...any) any {
	for _, key := range keys {
		switch k := key.(type) {
		case string:
			object, _ := value.(Object)
			value = object[k]
		case int:
			list, _ := value.([]any)
			if k >= len(list) {
				return nil
			}
			value = list[k]
		}
	}
	return value
}

// Text is Dig for a string; "" where there is none.
func Text(value any, keys ...any) string {
	text, _ := Dig(value, keys...).(string)
	return text
}

// List is Dig for a list; nil where there is none.
func List(value any, keys ...any) []any {
	list, _ := Dig(value, keys...).([]any)
	return list
}
