// Package retry decides which HTTP attempts are repeated, and when.
//
// A [Policy] is data: ordered rules of which the first that matches wins, a backoff and a budget.
// Deciding is a pure function from what is known of a call to what happens next: it reads no clock,
// does no I/O and draws no random number. [Policy.Explain] prints a decision, [Policy.Play] runs a
// call in virtual time, [Policy.Table] prints the policy.
//
// [Client.Do] runs a [Call] by a policy; its life is one function in loop.go:
//
//	wait for a slot -> send -> look at the answer, or have the call check it -> decide
//	                -> return it, or: free the slot -> wait -> change the request -> begin again
//
// An attempt is let out by one queue for each client: first the gate, which an outage or a
// Retry-After closes for all calls, then the pacer, which keeps to a published rate, then a free
// slot of the [Limiter]. A call holds a slot while an attempt is under way, and until the body of
// the answer that it returns is closed; it holds none while it waits. What is read of an answer
// before the decision is bounded in bytes and time. A [Trace] says what the call did.
//
// A call has two lifetimes: the context of Do ends it, [Call.Stop] ends its waits and repeats. Each
// attempt derives two contexts, for its limits and for net/http/httptrace; no value is passed in
// one.
//
// Policies for four known systems are built in, see [Presets]; their tables are under testdata.
package retry
