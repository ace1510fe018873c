package judge

// Outcome is what became of a workload.
type Outcome byte

const (
	Scheduled Outcome = 'S' // every pod has a node
	Partly    Outcome = 'P' // some pods have a node, the others are Pending
	Pending   Outcome = 'N' // no pod has a node
	Refused   Outcome = 'R' // the API server does not take the object
	NeverMade Outcome = 'M' // the object is there, but its controller makes no pods, or not all
	Unknown   Outcome = '?' // no answer in time
)

// String is the outcome in words, as a column of the table.
func (o Outcome) String() string {
	return map[Outcome]string{Scheduled: "scheduled", Partly: "partly", Pending: "Pending",
		Refused: "refused", NeverMade: "pods never made", Unknown: "no answer in time"}[o]
}
