import { asError } from '../../../../shared/asError.ts';
import { getDocument, type PDFDocumentProxy, PDFWorker } from 'pdfjs-dist';
import { startWorker } from '../../../kit/loading/startWorker.ts';
// oxlint-disable-next-line import/default -- the bundler creates it: the URL of the built worker
import pdfWorkerUrl from './pdfThread.ts?worker&url';

/** The folder with the decoder for JPEG 2000, set by the build. */
declare const NEGATO_PDF_DECODERS: string;

export type OpenPdf = { readonly document: PDFDocumentProxy; close(): void };

/**
 * Opens a PDF in a thread of its own, which is ended by `close`. Nothing of the file is run: neither its scripts, nor
 * its forms, nor code that pdf.js would generate from its fonts.
 */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  const thread = startWorker(pdfWorkerUrl);
  const worker = PDFWorker.create({ port: thread, verbosity: 0 });
  const task = getDocument({
    data: bytes,
    worker,
    isEvalSupported: false,
    enableXfa: false,
    // The policy of the page forbids WebAssembly.
    useWasm: false,
    wasmUrl: new URL(NEGATO_PDF_DECODERS, document.baseURI).href,
    useWorkerFetch: false,
    stopAtErrors: false,
    // A page is decoded in the thread of the page, which must not run out of memory.
    maxImageSize: MOST_IMAGE_PIXELS,
    verbosity: 0,
  });
  const close = () => {
    void task.destroy().catch(() => undefined);
    worker.destroy();
    thread.terminate();
  };
  try {
    return { document: await task.promise, close };
  } catch (error) {
    close();
    throw new Error(explain(error), { cause: error });
  }
}

const MOST_IMAGE_PIXELS = 100_000_000;

function explain(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') return 'The PDF is encrypted with a password. It can only be saved.';
  if (name === 'InvalidPDFException') return 'The file is not a valid PDF. It can only be saved.';
  return `The PDF cannot be shown: ${asError(error).message}`;
}
