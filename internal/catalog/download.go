package catalog

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/azphalt/submissions/registry"
)

// maxDownload is how long a download may take.
const maxDownload = time.Hour

// download serves the bytes of a version, or a part of them. They never change.
func (h *Handler) download(w http.ResponseWriter, r *http.Request, e registry.Entry) *problem {
	content, err := h.Source.Open(r.Context(), e)
	if err != nil {
		return h.unavailable(r.Context(), "the package can't be read", err)
	}
	defer content.Close()
	// The server's own limit is for small answers. A writer that knows no deadline has none.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxDownload))
	header := w.Header()
	header.Set("Content-Type", MediaType)
	header.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", e.ID+"-"+e.Version+".azp"))
	header.Set("Cache-Control", "public, max-age=86400") // not for ever: it may be revoked
	header.Set("ETag", `"`+e.Digest+`"`)
	http.ServeContent(&rangeWriter{ResponseWriter: w}, r, "", e.PublishedAt, io.NewSectionReader(content, 0, e.Size))
	return nil
}

// rangeWriter puts the refusal of a range into the form that all problems have.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader begins the answer.
func (w *rangeWriter) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	refuse(w.ResponseWriter, &problem{status, "the package has no bytes in this range"})
}

// Write leaves out the text of a refusal, which was written already.
func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
