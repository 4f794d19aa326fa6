package page

import (
	"time"
)

// overviewBins is how many columns the overview has at most; it uses at least half of them once the
// run is long enough.
const overviewBins = 120

// An overview counts answers over the time of a run. Its columns grow wider as the run grows
// longer.
type overview struct {
	width time.Duration // of a column
	bins  []bin
}

type bin struct{ ok, bad int }

func newOverview() overview {
	return overview{width: time.Millisecond, bins: make([]bin, overviewBins)}
}

// add counts an answer.
func (o *overview) add(at time.Duration, good bool) {
	at = max(at, 0)
	for at >= o.width*overviewBins {
		o.double()
	}
	b := &o.bins[at/o.width]
	if good {
		b.ok++
	} else {
		b.bad++
	}
}

// double makes one column of every two.
func (o *overview) double() {
	o.width *= 2
	for i := range o.bins {
		var b bin
		if 2*i < len(o.bins) {
			first, second := o.bins[2*i], o.bins[2*i+1]
			b = bin{first.ok + second.ok, first.bad + second.bad}
		}
		o.bins[i] = b
	}
}

// most is the largest number of answers in a column.
func (o *overview) most() int {
	n := 0
	for _, b := range o.bins {
		n = max(n, b.ok+b.bad)
	}
	return n
}
