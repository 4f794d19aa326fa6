// Package retry decides which HTTP requests are sent again, and when.
//
// A [Policy] is data: ordered rules, of which the first match wins, a backoff and a budget. A
// decision is a pure function of what is known of a call: it reads no clock, does no I/O and draws
// no random number. [Policy.Explain] prints a decision, [Policy.Play] runs a call in virtual time,
// [Policy.Table] prints the policy.
//
// [Client.Do] runs a [Call] by a policy. One function in loop.go does it:
//
//	wait for a slot -> send -> look at the answer, or have the call check it -> decide
//	                -> return it, or: free the slot -> wait -> change the request -> begin again
//
// An attempt is one HTTP request sent. Each client has one queue for attempts. An attempt first
// waits for the gate, which an outage or a Retry-After closes for all calls; then for the pacer,
// which keeps to the rate that the server publishes; then for a free slot of the [Limiter]. A call
// holds a slot while an attempt is under way, and until the caller closes the body of the returned
// answer. It holds none while it waits. Before the decision, only a limited part of an answer is
// read, for a limited time. A [Trace] says what the call did.
//
// The context of Do ends a call at once. [Call.Stop] ends its waits and retries, but not the
// attempt under way. For each attempt, Do derives two contexts: one for its limits, one for
// net/http/httptrace. Neither carries values of this package.
//
// Policies for four known systems are built in: see [Presets]. Their tables are in testdata.
package retry
