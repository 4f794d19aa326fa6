package partitionotel

// Documents is how many documents an observer has the state of.
func (o *Observer) Documents() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.documents)
}
