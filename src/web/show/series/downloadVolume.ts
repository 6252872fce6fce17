import { fetchNifti } from '../../kit/api/exports.ts';
import type { FrameAddress } from '../../kit/api/frames.ts';
import { say, sayOutcome } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { download } from '../../kit/ui/download.ts';

/** Downloads the volume of a frame as a NIfTI file, and beside it what the headers say about it. */
export async function downloadVolume(page: Page, { fileIndex, frame }: FrameAddress): Promise<void> {
  say(page, 'Writing the volume…');
  await sayOutcome(page, async () => {
    const files = await fetchNifti(fileIndex, frame);
    for (const { bytes, name } of files) download(bytes, name);
    return `Downloaded ${files[0].name} and its sidecar.`;
  });
}
