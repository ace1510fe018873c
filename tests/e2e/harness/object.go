package harness

import "tpu-admission.io/objects"

// What the tests of the chart use too.
var (
	Dig  = objects.Dig
	Text = objects.Text
	List = objects.List
)
