package retry

import "strings"

// Stop names a limit or a circumstance that forbids a repeat which a rule asked for:
//
//	attempts             [Budget.Attempts] are used up
//	soft_elapsed         [Budget.SoftElapsed] is over
//	retry_after_ceiling  the server asks for a longer wait than [Budget.RetryAfter]
//	hard_elapsed         [Budget.HardElapsed] would be over before the repeat
//	resends              [Budget.Resends] are used up
//	deadline             a deadline of the caller would pass before the repeat, or has passed
//	body_not_replayable  the request's body can be read only once
//	canceled             the caller's context, or [Call.Stop], ended
//	outage               the server was out of reach for [Budget.HardElapsed] before the first attempt
type Stop string

// StopCanceled is the end of the caller's context, or of [Call.Stop].
const StopCanceled Stop = "canceled"

const (
	stopAttempts     Stop = "attempts"
	stopSoftElapsed  Stop = "soft_elapsed"
	stopHardElapsed  Stop = "hard_elapsed"
	stopRetryAfter   Stop = "retry_after_ceiling"
	stopResends      Stop = "resends"
	stopDeadline     Stop = "deadline"
	stopUnreplayable Stop = "body_not_replayable"
	stopOutage       Stop = "outage"
)

// words is the name as a sentence has it.
func (s Stop) words() string { return strings.ReplaceAll(string(s), "_", " ") }
