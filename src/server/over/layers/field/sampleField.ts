import { mappingUnavailable } from '../../../../shared/contract/errors.ts';
import { combineFrameDamage } from '../../../../shared/frameDamage.ts';
import { encodeField, type FieldItem, type FieldSamples } from '../../../../shared/fieldPacket.ts';
import { type LayerRef, numberOfLayer } from '../../../../shared/layerRef.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import type { VolumeSource } from '../../../images/volumes/volumes.ts';
import type { RawPlane } from '../../../images/volumes/volumeTasks.ts';
import { doInTurns } from '../../../machine/workers/doInTurns.ts';
import type { LayersInput, PlacedLayer } from '../layerProvider.ts';
import { isPlaced, keyOfWay, type LayerPlacement, planeInLayer, wayBack } from '../placement.ts';
import { addValues } from './combinedDoses.ts';
import { chooseBentGrid, chooseFieldGrid, type FieldGrid } from './fieldGrid.ts';
import { bentPlaneTask } from './fieldTasks.ts';

/** A volume whose values lie over images. */
export type SampledVolume = {
  readonly layer: LayerRef;
  readonly source: VolumeSource;
  readonly table: PositionTable;
  /** One of several times. */
  readonly time: number;
  /** Volumes whose values are added to it, or subtracted from it. */
  readonly others?: readonly { readonly source: VolumeSource; readonly sign: 1 | -1 }[];
};

export type FieldTarget = {
  readonly grid: PlaneGrid;
  readonly slabMm: number;
  /** Of the volume in the frame of reference of the plane. */
  readonly placement: LayerPlacement;
};

/** The values of a volume over a stored frame or any plane of the patient, straight or through registrations that bend it. */
export async function sampleField(
  volumes: LayersInput['volumes'],
  { layer, source, table, time, others = [] }: SampledVolume,
  { grid, slabMm, placement }: FieldTarget,
): Promise<PlacedLayer> {
  if (!isPlaced(placement)) throw mappingUnavailable(placement.reason);
  const { rows, columns } = grid;
  const number = numberOfLayer(layer);
  const inVolume = planeInLayer(grid, placement);
  const isBent = inVolume === undefined;
  const chosen = isBent ? chooseBentGrid(table, grid) : chooseFieldGrid(table, inVolume, slabMm);
  const bend = isBent ? await bendBy(placement) : undefined;
  return {
    async packet(wanted) {
      if (chosen === undefined) {
        const bytes = encodeField(number, { rows, columns, item: undefined });
        return { bytes, cached: false, damage: undefined };
      }
      const query = { ...toPlaneQuery(chosen.grid), slab: slabMm, time, isPacked: false, bend };
      const plane = await volumes.raw(source, query, wanted);
      const item = toItem(plane, chosen);
      if (others.length === 0) {
        return { bytes: encodeField(number, { rows, columns, item }), cached: plane.cached, damage: plane.damage };
      }
      const values = new Float64Array(item.samples.length);
      await doInTurns(addValues(values, item, 1), wanted.signal);
      const damages = [plane.damage];
      for (const other of others) {
        const added = await volumes.raw(other.source, { ...query, time: 0 }, wanted);
        damages.push(added.damage);
        await doInTurns(addValues(values, toItem(added, chosen), other.sign), wanted.signal);
      }
      const sum = { ...item, samples: Float32Array.from(values), scale: 1, offset: 0, missing: undefined };
      return {
        bytes: encodeField(number, { rows, columns, item: { ...sum, isInterpolated: true } }),
        cached: false,
        damage: combineFrameDamage(damages.filter((damage) => damage !== undefined)),
      };
    },
  };
}

async function bendBy(placement: LayerPlacement) {
  const { steps, bytes } = wayBack(placement);
  return { task: bentPlaneTask, bend: steps, key: await keyOfWay(placement), bytes };
}

export function toPlaneQuery(grid: PlaneGrid) {
  const { position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm, rows, columns } = grid;
  return {
    position,
    orientation: [...rowDirection, ...columnDirection],
    spacing: [rowSpacingMm, columnSpacingMm],
    rows,
    columns,
  };
}

export function toItem(plane: RawPlane, { grid: { rows, columns }, toTarget }: FieldGrid): FieldItem {
  const { padding, rescaleSlope, rescaleIntercept, how } = plane;
  return {
    rows,
    columns,
    toTarget,
    samples: viewSamples(plane),
    scale: rescaleSlope,
    offset: rescaleIntercept,
    missing: padding,
    isInterpolated: how === 'linear',
  };
}

function viewSamples({ bytes, bitsAllocated, pixelRepresentation, sampleKind }: RawPlane): FieldSamples {
  const { buffer, byteOffset, byteLength } = bytes;
  if (sampleKind === 'float') return new Float32Array(buffer, byteOffset, byteLength / 4);
  const isSigned = pixelRepresentation === 1;
  if (bitsAllocated === 8) {
    return isSigned ? new Int8Array(buffer, byteOffset, byteLength) : new Uint8Array(buffer, byteOffset, byteLength);
  }
  const length = byteLength / 2;
  return isSigned ? new Int16Array(buffer, byteOffset, length) : new Uint16Array(buffer, byteOffset, length);
}
