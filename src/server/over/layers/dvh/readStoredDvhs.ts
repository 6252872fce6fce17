import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { MOST_VALUES } from '../../../standard/dicom/mostValues.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { type KnownSource, withSame } from '../../../bytes/origins/origins.ts';
import type { StoredDvh, StoredDvhs } from './dvhTasks.ts';

const WANTED: ReadonlySet<number> = new Set([
  Tag.ReferencedStructureSetSequence,
  Tag.ReferencedSOPInstanceUID,
  Tag.DVHSequence,
  Tag.DVHType,
  Tag.DoseUnits,
  Tag.DoseType,
  Tag.DVHDoseScaling,
  Tag.DVHVolumeUnits,
  Tag.DVHNumberOfBins,
  Tag.DVHData,
  Tag.DVHReferencedROISequence,
  Tag.ReferencedROINumber,
  Tag.DVHROIContributionType,
  Tag.DVHMinimumDose,
  Tag.DVHMaximumDose,
  Tag.DVHMeanDose,
]);
const MOST_DVHS = 512;
/** More points are not drawn; of a longer curve every second point is left out, and so on. */
const MOST_POINTS = 2048;

/** Implements `readStoredDvhsTask`. */
export function readStoredDvhs(file: KnownSource): StoredDvhs {
  return withSame(file, (source) => {
    const { dataSet } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: { element: (_depth, tag) => WANTED.has(tag), item: (_depth, index) => index < MOST_DVHS },
      measure: false,
    });
    const dvhs = new Map<number, StoredDvh>();
    const refused: { roi: number; reason: string }[] = [];
    for (const item of dataSet.items(Tag.DVHSequence)) {
      const roi = findRoi(item);
      if (roi === undefined || dvhs.has(roi)) continue;
      const read = refuseOtherType(item, dataSet) ?? readDvh(item, roi);
      if (typeof read === 'string') refused.push({ roi, reason: read });
      else dvhs.set(roi, read);
    }
    const [structureSet] = dataSet.items(Tag.ReferencedStructureSetSequence);
    return {
      structureSetUid: structureSet?.string(Tag.ReferencedSOPInstanceUID),
      dvhs: [...dvhs.values()],
      refused: refused.filter(({ roi }) => !dvhs.has(roi)),
    };
  });
}

/** A histogram may be of the union or difference of ROIs; only one of a single ROI is that of the ROI. */
function findRoi(item: DataSet): number | undefined {
  const rois = item.items(Tag.DVHReferencedROISequence);
  if (rois.length !== 1 || rois[0]?.string(Tag.DVHROIContributionType) === 'EXCLUDED') return undefined;
  return rois[0]?.number(Tag.ReferencedROINumber);
}

/** Gray of an effective dose are not those of a physical one. */
function refuseOtherType(item: DataSet, grid: DataSet): string | undefined {
  const [own, other] = [item.string(Tag.DoseType), grid.string(Tag.DoseType)];
  if (own === undefined || other === undefined || own === other) return undefined;
  return `its dose is of the type ${own}, and that of the grid is ${other}`;
}

/** The reason if it cannot be shown. */
function readDvh(item: DataSet, roi: number): StoredDvh | string {
  const type = item.string(Tag.DVHType);
  const volumeUnits = item.string(Tag.DVHVolumeUnits);
  const scaling = item.number(Tag.DVHDoseScaling) ?? 1;
  if (item.string(Tag.DoseUnits) !== 'GY') return 'its dose is relative, and the object does not say to which dose';
  if (type !== 'CUMULATIVE' && type !== 'DIFFERENTIAL') return `its type is ${type ?? 'not declared'}`;
  if (volumeUnits !== 'CM3' && volumeUnits !== 'PERCENT')
    return `its volumes are in ${volumeUnits ?? 'no declared unit'}`;
  const numbers = item.numbers(Tag.DVHData, MOST_VALUES.histogram);
  const bins = Math.min(Math.floor(numbers.length / 2), item.number(Tag.DVHNumberOfBins) ?? Infinity);
  const isRight =
    scaling > 0 && Number.isFinite(scaling) && numbers.every((value) => value >= 0 && Number.isFinite(value));
  if (!isRight || !(bins > 0)) return 'its data are not numbers of at least 0';
  const edges: number[] = [];
  const volumes: number[] = [];
  let edge = 0;
  for (let bin = 0; bin < bins; bin += 1) {
    edges.push(edge);
    volumes.push(numbers[2 * bin + 1]!);
    edge += numbers[2 * bin]! * scaling;
  }
  if (type === 'DIFFERENTIAL') {
    for (let bin = bins - 2; bin >= 0; bin -= 1) volumes[bin]! += volumes[bin + 1]!;
    // All of the last bin lies below its upper edge.
    edges.push(edge);
    volumes.push(0);
  }
  const every = Math.ceil(edges.length / MOST_POINTS);
  const thin = (values: readonly number[]) => values.filter((_, at) => at % every === 0 || at === values.length - 1);
  return {
    roi,
    type,
    volumeUnits,
    edges: thin(edges),
    cumulative: thin(volumes),
    minimum: toDose(item, Tag.DVHMinimumDose),
    mean: toDose(item, Tag.DVHMeanDose),
    maximum: toDose(item, Tag.DVHMaximumDose),
  };
}

function toDose(item: DataSet, tag: number): number | undefined {
  const value = item.number(tag);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}
