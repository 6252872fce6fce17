import type { FileRecord } from '../../shared/contract/files.ts';
import { fetchStoredFile } from '../api/storedFile.ts';
import { sayOutcome } from '../state/messages.ts';
import { download } from '../ui/download.ts';

/** Downloads a file as it is stored on the server's disk. */
export async function downloadFile({ index }: FileRecord): Promise<void> {
  await sayOutcome(async () => {
    const { bytes, name } = await fetchStoredFile(index);
    download(bytes, name);
    return `${name} is downloaded.`;
  });
}
