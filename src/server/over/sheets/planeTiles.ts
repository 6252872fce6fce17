import { ViewerError } from '../../../shared/contract/errors.ts';
import { cutVolume, gridAt } from '../../../shared/cutVolume.ts';
import { keySlices } from '../../../shared/keySlices.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import type { PlaneName } from '../../../shared/planeNames.ts';
import { nameSpace } from '../../../shared/spaceName.ts';
import type { FrameOptions } from '../../images/pixels/frames.ts';
import type { KeyStack } from '../../images/series/keyFrames.ts';
import type { SheetOver } from './sheetLayers.ts';
import { edgeOf, type PlannedTile, type TileContext, wholePicture } from './sheetTile.ts';
import type { SheetWindow } from './stackTiles.ts';

type PlaneSheet = {
  readonly name: PlaneName;
  readonly wanted: number;
  readonly window: SheetWindow;
  readonly over: SheetOver;
};

/** Planes of the volume that a stack fills, evenly spaced. Throws `volume_unavailable`. */
export async function planPlanes(
  { volumes, catalog, layers }: TileContext,
  { frames: [first] }: KeyStack,
  { name, wanted, window, over }: PlaneSheet,
  options: FrameOptions,
): Promise<PlannedTile[]> {
  const file = catalog.files[first?.fileIndex ?? -1];
  if (first === undefined || file === undefined) throw new ViewerError('volume_unavailable', 'no volume: no images');
  const { volume, refusal } = await volumes.describe(first, options);
  if (volume === undefined) throw new ViewerError('volume_unavailable', `no volume: ${refusal.message}`);
  await volumes.check(volume);
  const cut = cutVolume(volume, { name, turned: undefined });
  const space = nameSpace(volume.frameOfReferenceUid, file.seriesInstanceUid);
  const choice = typeof window === 'string' ? {} : { wc: window.center, ww: window.width };
  return keySlices(cut.offsetsMm.length, wanted).map((place): PlannedTile => {
    const grid = gridAt(cut, place);
    const { rows, columns } = grid;
    const shape = { rows, columns, pixelAspectRatio: grid.rowSpacingMm / grid.columnSpacingMm };
    return {
      ...shape,
      name: `${file.index}@${name}${formatOffset(cut.offsetsMm[place]!)}`,
      files: [file],
      key: volume.key,
      async draw(width, wish) {
        const picture = await volumes.picture(first, { ...toQuery(grid), ...choice, size: edgeOf(shape, width) }, wish);
        return { pieces: [wholePicture(picture.bytes)], isDamaged: picture.damage !== undefined };
      },
      layers: space === undefined ? [] : over.layers,
      errors: space === undefined ? undefined : over.errors,
      pack: (layer, { signal, priority }) =>
        layers.packetOnPlane(layer, { frameOfReferenceUid: space ?? '', grid, slabMm: 0 }, { signal, priority }),
      // Marks are on stored frames.
      marked: undefined,
    };
  });
}

function toQuery({ position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm, rows, columns }: PlaneGrid) {
  const orientation = [...rowDirection, ...columnDirection];
  return { position, orientation, spacing: [rowSpacingMm, columnSpacingMm], rows, columns };
}

function formatOffset(mm: number): string {
  return `${mm < 0 ? '' : '+'}${mm.toFixed(2)}`;
}
