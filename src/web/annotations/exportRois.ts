import { fetchAnnotationCsv } from '../api/annotations.ts';
import { libraryOf } from '../state/library.ts';
import type { Page } from '../state/page.ts';
import { download } from '../ui/download.ts';
import { pageRois } from './pageRois.ts';

const FILE_NAME = 'viewer-annotations.csv';

/** Downloads the CSV of the ROIs of all files. After a failed import it contains only the edits. */
export async function exportRois(page: Page): Promise<void> {
  pageRois.setExport({ kind: 'running' });
  try {
    // Saves that are still in flight belong to the export.
    await pageRois.settled();
    const editsOnly = libraryOf(page).getState().summary?.annotations.import_state === 'failed';
    download(await fetchAnnotationCsv({ editsOnly }), FILE_NAME);
    pageRois.setExport({ kind: 'idle' });
  } catch (error) {
    pageRois.setExport({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
  }
}
