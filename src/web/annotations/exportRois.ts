import { fetchAnnotationCsv } from '../api/annotations.ts';
import { libraryStore } from '../state/library.ts';
import { pageRois } from './pageRois.ts';

const FILE_NAME = 'viewer-annotations.csv';

/** Downloads the CSV of all files' ROIs; after a failed import that of the edits, which is all there is. */
export async function exportRois(): Promise<void> {
  pageRois.setExport({ kind: 'running' });
  try {
    // What is on its way belongs to it.
    await pageRois.settled();
    const editsOnly = libraryStore.getState().summary?.annotations.import_state === 'failed';
    download(await fetchAnnotationCsv({ editsOnly }));
    pageRois.setExport({ kind: 'idle' });
  } catch (error) {
    pageRois.setExport({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
  }
}

/** From memory: a link to the API could not carry the token. */
function download(file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = FILE_NAME;
  link.click();
  URL.revokeObjectURL(url);
}
