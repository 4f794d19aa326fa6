package local_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"mime/multipart"
	"net/http"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/local"
)

// The engine answers the API's requests in this process, without a network.
func Example() {
	engine, err := local.New(local.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("strategy", "fast")
	file, err := form.CreateFormFile("files", "notes.md")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(file, "# Tomatoes\n\nThey ripen in late summer.\n")
	form.Close()

	client := &http.Client{Transport: engine.RoundTripper()}
	answer, err := client.Post("http://quire-local/general/v0/general", form.FormDataContentType(), &body)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	var elements []element.Element
	if err := json.NewDecoder(answer.Body).Decode(&elements); err != nil {
		log.Fatal(err)
	}
	for _, e := range elements {
		fmt.Printf("%s: %s\n", e.Type, e.Text)
	}
	// Output:
	// Title: Tomatoes
	// UncategorizedText: They ripen in late summer.
}
