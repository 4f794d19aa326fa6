// Cuts a PDF into files of n pages with pdf-lib: input, folder, n.
const fs = require('fs')
const path = require('path')
const { PDFDocument } = require('pdf-lib')

const [source, folder, n] = [process.argv[2], process.argv[3], Number(process.argv[4])]

async function main() {
  const document = await PDFDocument.load(fs.readFileSync(source))
  const count = document.getPageCount()
  for (let first = 0; first < count; first += n) {
    const chunk = await PDFDocument.create()
    const wanted = Array.from({ length: Math.min(n, count - first) }, (_, i) => first + i)
    for (const page of await chunk.copyPages(document, wanted)) chunk.addPage(page)
    fs.writeFileSync(path.join(folder, `${first + 1}.pdf`), await chunk.save())
  }
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
