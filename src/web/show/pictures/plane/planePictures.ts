import type { FrameAddress } from '../../../kit/api/frames.ts';
import { cellsOf, openInCell } from '../../../kit/state/cells.ts';
import { findNamedFile } from '../../../kit/state/fileNames.ts';
import { findFile, stackOf } from '../../../kit/state/library.ts';
import { loadChunk } from '../../../kit/state/loadChunk.ts';
import { say } from '../../../kit/state/messages.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import { isVolume, loadVolume } from '../../../kit/state/volumes.ts';
import type { PictureKind, PictureSource } from '../pictureSource.ts';
import { parseMip } from './mipSpec.ts';
import { formatMipId, formatPlaneId, volumeAddressOf } from './planeId.ts';
import { parsePlane } from './planeSpec.ts';

/** Planes and views of a volume, which are in no file: the server samples them. Their code is loaded with the first plane. */
export const planePictures: PictureKind = {
  name: 'plane',
  open(page, id) {
    const address = volumeAddressOf(id);
    if (address === undefined) return undefined;
    const source = codeOf(page).open?.(page, id);
    if (source === undefined) void describe(page, address);
    return source;
  },
  locate(page, { instance, frameNumber, plane }) {
    const file = plane === undefined ? undefined : findNamedFile(page, instance);
    const [, frame = '0', text = ''] = /^(?:f(\d+)~)?(.*)$/.exec(plane ?? '') ?? [];
    if (file === undefined) return undefined;
    const address = { fileIndex: file.index, frame: Number(frame) };
    const [spec, view] = [parsePlane(text), parseMip(text)];
    const id = spec === undefined ? view && formatMipId(address, view) : formatPlaneId(address, spec);
    return id === undefined ? undefined : { id, position: frameNumber - 1 };
  },
};

type PlaneCode = { open: ((page: Page, id: string) => PictureSource | undefined) | undefined };

const codeOf = definePart((): PlaneCode => ({ open: undefined }));

/** Loads the code of planes. Volumes are asked for afterwards, so that their arrival shows the planes. */
export async function preparePlanes(page: Page): Promise<void> {
  const code = codeOf(page);
  if (code.open !== undefined) return;
  const { followLoading, followVolumes, openMip, openPlane } = await loadChunk(page, () => import('./planeCode.ts'));
  if (code.open !== undefined) return;
  code.open = (_, id) => openPlane(page, id) ?? openMip(page, id);
  followVolumes(page);
  followLoading(page);
}

/** Asks for the volume. If there is none, as after the files have changed, the stored images are shown instead. */
async function describe(page: Page, address: FrameAddress): Promise<void> {
  await preparePlanes(page);
  const answer = await loadVolume(page, address);
  const file = findFile(page, address.fileIndex);
  if (isVolume(answer) || file === undefined) return;
  for (const [cell, { pictureId }] of cellsOf(page).getState().cells.entries()) {
    const named = volumeAddressOf(pictureId);
    if (named?.fileIndex !== address.fileIndex || named.frame !== address.frame) continue;
    openInCell(page, cell, stackOf(page, file).id);
    say(page, `Planes cannot be shown: ${'refusal' in answer ? answer.refusal : answer.error.message}`, 'failed');
  }
}
