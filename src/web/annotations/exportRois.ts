import { fetchAnnotationCsv } from '../api/annotations.ts';
import { libraryStore } from '../state/library.ts';
import { download } from '../ui/download.ts';
import { pageRois } from './pageRois.ts';

const FILE_NAME = 'viewer-annotations.csv';

/** Downloads the CSV of all files' ROIs; after a failed import that of the edits, which is all there is. */
export async function exportRois(): Promise<void> {
  pageRois.setExport({ kind: 'running' });
  try {
    // What is on its way belongs to it.
    await pageRois.settled();
    const editsOnly = libraryStore.getState().summary?.annotations.import_state === 'failed';
    download(await fetchAnnotationCsv({ editsOnly }), FILE_NAME);
    pageRois.setExport({ kind: 'idle' });
  } catch (error) {
    pageRois.setExport({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
  }
}
