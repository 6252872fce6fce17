import type { FileRecord } from '../../../shared/contract/files.ts';
import { fetchStoredFile, fetchTagTable, type NamedFile } from '../../kit/api/exports.ts';
import { sayOutcome } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { download } from '../../kit/ui/download.ts';

/** Downloads a file as it is stored on the server's disk. */
export function downloadFile(page: Page, { index }: FileRecord): Promise<void> {
  return downloadNamed(page, () => fetchStoredFile(index));
}

/** Downloads the tags of a file, or of all files of its series, as CSV. */
export function downloadTags(page: Page, { index }: FileRecord, of: 'file' | 'series'): Promise<void> {
  return downloadNamed(page, () => fetchTagTable(index, of));
}

function downloadNamed(page: Page, load: () => Promise<NamedFile>): Promise<void> {
  return sayOutcome(page, async () => {
    const { bytes, name } = await load();
    download(bytes, name);
    return `Downloaded ${name}.`;
  });
}
