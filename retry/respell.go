package retry

import "strings"

// spellings are the words of policy files as version 0.1.0 spelled them.
var spellings = map[string]string{
	"reset-before-sent": string(KindReset), "reset-after-sent": string(KindLost), "bad-length": string(KindLength),
	"not-json": notJSON, "not-object": notObject, "not-list": notList,
	"header-then-backoff":       string(waitHeaderThenBackoff),
	"drop-chat_template_kwargs": "drop_chat_template_kwargs",
}

// respell returns a word in today's spelling.
func respell[T ~string](word T) T {
	word = T(strings.TrimSpace(string(word)))
	if today, ok := spellings[string(word)]; ok {
		return T(today)
	}
	return word
}

// respell turns the words of a row that was read into today's spelling.
func (r *Rule) respell() {
	r.Wait, r.Patch = respell(r.Wait), respell(r.Patch)
	r.When.respell()
}

func (c *Condition) respell() {
	c.Body = respell(c.Body)
	for i, k := range c.Kind {
		c.Kind[i] = respell(k)
	}
	for i := range c.Any {
		c.Any[i].respell()
	}
	if c.Not != nil {
		c.Not.respell()
	}
}
