import type { FileRecord } from '../../shared/contract/files.ts';
import { fetchStoredFile } from '../api/files.ts';
import { sayOutcome } from '../state/messages.ts';
import type { Page } from '../state/page.ts';
import { download } from '../ui/download.ts';

/** Downloads a file as it is stored on the server's disk. */
export async function downloadFile(page: Page, { index }: FileRecord): Promise<void> {
  await sayOutcome(page, async () => {
    const { bytes, name } = await fetchStoredFile(index);
    download(bytes, name);
    return `Downloaded ${name}.`;
  });
}
