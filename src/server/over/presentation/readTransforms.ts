import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import type { StateRecord, StateVoi } from './presentationTasks.ts';

/** The windows of an item of the Softcopy VOI LUT Sequence. */
export function readWindows(item: DataSet): StateVoi['windows'] {
  const widths = item.numbers(Tag.WindowWidth, MOST_VALUES.windows);
  const explanations = item.strings(Tag.WindowCenterWidthExplanation, MOST_VALUES.windows);
  return item.numbers(Tag.WindowCenter, MOST_VALUES.windows).flatMap((center, i) => {
    const width = widths[i] ?? Number.NaN;
    if (!Number.isFinite(center) || !Number.isFinite(width)) return [];
    return [{ center, width, explanation: explanations[i] }];
  });
}

/** The modality transformation of a state, or of an input of a blending state; undefined for the identity. */
export function describeModality(dataSet: DataSet): StateRecord['modality'] {
  const [item] = dataSet.items(Tag.ModalityLUTSequence);
  if (item !== undefined) return { kind: 'lut', explanation: item.string(Tag.LUTExplanation) };
  const [slope, intercept] = [dataSet.number(Tag.RescaleSlope), dataSet.number(Tag.RescaleIntercept)];
  if (slope === undefined || !Number.isFinite(slope) || slope === 0) return undefined;
  return { kind: 'rescale', slope, intercept: Number.isFinite(intercept ?? 0) ? (intercept ?? 0) : 0 };
}
