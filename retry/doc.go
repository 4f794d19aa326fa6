// Package retry decides which HTTP attempts are repeated, and when.
//
// A [Policy] is data: ordered rules of which the first that matches wins, a
// backoff and budgets. [Policy.Decide] is a pure function from what is known of
// a call to what happens next; it reads no clock, does no I/O and draws no
// random number. A [Client] runs calls by a policy: it admits attempts through
// one gate, one pacer and one in-flight limit, sends them, peeks at answers
// within bounds of bytes and time, sleeps without holding a slot, and returns
// a [Trace] of everything it did.
//
// Policies for four known systems are built in, see [Presets]. Their tables,
// as [Policy.Table] prints them, are under testdata.
package retry
