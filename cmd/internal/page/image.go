package page

import (
	"encoding/base64"
	"html/template"
	"net/http"
	"slices"
	"strings"
)

// imageTypes are the media types of pictures that come through.
func imageTypes() []string { return []string{"image/png", "image/jpeg"} }

// imageURL is the data: address of a picture in base64; empty where it is none. What it is said to
// be does not count, its content does.
func imageURL(encoded string) template.URL {
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return ""
	}
	mediaType := http.DetectContentType(data)
	if !slices.Contains(imageTypes(), mediaType) {
		return ""
	}
	return template.URL("data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data))
}
