"""Cuts a PDF into files of n pages with pypdfium2: input, folder, n."""

import pathlib
import sys

import pypdfium2

source, folder, n = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
document = pypdfium2.PdfDocument(source)
for first in range(0, len(document), n):
    chunk = pypdfium2.PdfDocument.new()
    chunk.import_pages(document, list(range(first, min(first + n, len(document)))))
    chunk.save(folder / f"{first + 1}.pdf")
    chunk.close()
