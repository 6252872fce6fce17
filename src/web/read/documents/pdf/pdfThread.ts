// The thread in which pdf.js reads a file.
import 'pdfjs-dist/build/pdf.worker.min.mjs';
