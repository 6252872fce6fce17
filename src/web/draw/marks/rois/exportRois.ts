import { fetchAnnotationCsv } from '../../../kit/api/annotations.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { download } from '../../../kit/ui/download.ts';
import { roisOf } from './roiFiles.ts';

const FILE_NAME = 'viewer-annotations.csv';

/** Downloads the CSV of the ROIs of all files. After a failed import it contains only the edits. */
export async function exportRois(page: Page): Promise<void> {
  roisOf(page).setExport({ kind: 'running' });
  try {
    // Saves that are still in flight belong to the export.
    await roisOf(page).settled();
    const editsOnly = libraryOf(page).getState().summary?.annotations.import_state === 'failed';
    download(await fetchAnnotationCsv({ editsOnly }), FILE_NAME);
    roisOf(page).setExport({ kind: 'idle' });
  } catch (error) {
    roisOf(page).setExport({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
  }
}
