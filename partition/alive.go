package partition

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// aliveTime is how long the server may take to say that it works.
const aliveTime = 10 * time.Second

// serverWorks asks the server's health check, for a document that it fails in the same words again
// and again. The only document under way has nobody else to go by. Beside others the server must
// have answered something since the document began: else it may be failing all of them, which is
// waited out.
func (j *job) serverWorks(ctx context.Context) bool {
	if j.client.documents.Load() > 1 && j.client.answered.Load() == j.answeredBefore {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, aliveTime)
	defer cancel()
	// The end of the endpoint is /general/v0/general.
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, j.client.endpoint.url.JoinPath("..", "..", "..", "healthcheck").String(), http.NoBody)
	if err != nil {
		return false
	}
	request.Header = j.client.header.Clone() // what a gateway may want
	request.Header.Del(keyHeader)
	hc := noRedirects(&http.Client{Transport: j.client.requests.next}) // it is no partition request, and not counted as one
	response, err := hc.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	head, _ := io.ReadAll(io.LimitReader(response.Body, 512)) // what came is enough to tell a page from an answer
	return response.StatusCode/100 == 2 && !bytes.HasPrefix(bytes.TrimSpace(head), []byte("<"))
}
