package partition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// errorDetail returns what an error's body says, in one text, and whether it is the list with which
// the API refuses form fields. The API answers {"detail": "text"}, {"detail": [{"loc": [...],
// "msg": "text"}]}, or either inside a list; what stands before it answers HTML or plain text.
func errorDetail(body []byte) (detail string, listed bool) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return "", false
	}
	var objects []json.RawMessage
	if json.Unmarshal(body, &objects) == nil && len(objects) > 0 {
		body = objects[0]
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) == nil {
		for _, key := range []string{"detail", "message", "error"} {
			if said, ok := object[key]; ok {
				return detailValue(said)
			}
		}
	}
	if body[0] == '<' {
		return htmlTitle(body), false
	}
	return string(body), false
}

// detailValue reads a detail: a text, a list of form errors, or whatever else stands there as JSON.
func detailValue(said json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(said, &text) == nil {
		return text, false
	}
	var problems []struct {
		Loc []any  `json:"loc"`
		Msg string `json:"msg"`
	}
	if json.Unmarshal(said, &problems) != nil || len(problems) == 0 {
		return string(said), false
	}
	lines := make([]string, len(problems))
	for i, problem := range problems {
		where := make([]string, 0, len(problem.Loc))
		for _, step := range problem.Loc {
			if name := fmt.Sprint(step); name != "body" {
				where = append(where, name)
			}
		}
		lines[i] = strings.Join(where, ".") + ": " + problem.Msg
	}
	return strings.Join(lines, "; "), true
}

var titleTag = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// htmlTitle names an HTML page that stands where JSON was expected.
func htmlTitle(page []byte) string {
	if title := titleTag.FindSubmatch(page); title != nil {
		return "HTML page: " + strings.Join(strings.Fields(string(title[1])), " ")
	}
	return "HTML page"
}
