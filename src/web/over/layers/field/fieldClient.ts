import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { LayerResponse } from '../../../../shared/contract/layerAnswers.ts';
import { RT_DOSE_STORAGE } from '../../../../shared/contract/layers.ts';
import { listFrameReadings } from '../../../../shared/listFrameReadings.ts';
import type { Line } from '../../../../shared/valueMapping.ts';
import { fetchLayer } from '../../../kit/api/layers.ts';
import type { PictureUnder } from '../../../show/pictures/layerTarget.ts';
import { chosenVolumeOf } from '../../../kit/state/layers.ts';
import { findFile, stackOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { nameLayerOfFile } from '../../../show/series/describeFile.ts';
import { findValues, loadValues } from '../../../show/values/frameValues.ts';
import type { LayerClient } from '../layerClient.ts';
import { readKnownLayer } from '../readSpaces.ts';
import { type FieldDescription, type FieldSort, volumeOver } from './describeField.ts';
import { fieldPainter } from './fieldPainter.ts';
import { fieldChangesOf, paintOf } from './fieldLook.ts';
import { probeFields } from './probeFields.ts';

export const fieldClient: LayerClient<FieldDescription> = {
  painter: fieldPainter,
  words: { layer: 'volume', part: 'setting', alone: 'volume by itself' },
  replacesContext: false,
  looks: { changes: fieldChangesOf, lookOf: paintOf },
  partOf: partOfField,
  probe: probeFields,
  async describe(fileIndex, signal, page) {
    const file = findFile(page, fileIndex);
    const response = await fetchLayer(fileIndex, signal);
    const sort = sortOf(file);
    const { line, unit } = await readUnit(page, response, { sort, signal });
    return {
      ...readKnownLayer(fileIndex, response, () => ''),
      parts: [],
      group: response.plan === null ? undefined : namePlan(response.plan.label ?? ''),
      sort,
      name: nameSort(file, sort),
      title: file === undefined ? response.title : nameLayerOfFile(file),
      unit,
      line,
      firstWindow: chooseWindow(response, file, { sort, unit, line }),
    };
  },
};

export function partOfField(page: Page, description: FieldDescription, target: PictureUnder): number | undefined {
  return volumeOver(description, chosenVolumeOf(page, description.fileIndex), target);
}

function sortOf(file: FileRecord | undefined): FieldSort {
  if (file?.sop_class_uid === RT_DOSE_STORAGE) return 'dose';
  if (file?.modality === 'PT' || file?.modality === 'NM') return 'pet';
  return file?.object_kind === 'parametric_map' ? 'map' : 'other';
}

function nameSort(file: FileRecord | undefined, sort: FieldSort): string {
  if (sort === 'dose') return 'Dose';
  if (file === undefined) return 'Volume';
  return sort === 'map' ? file.series_description || 'Map' : file.modality;
}

/** Labels often say themselves that they are those of a plan. */
function namePlan(label: string): string {
  return /plan/i.test(label) ? label : `Plan ${label}`.trim();
}

const SAME: Line = { slope: 1, intercept: 0 };

/**
 * The unit of the values, and what makes them of modality values, if it is the same in all slices: the quantity
 * of the stack, unless only its stored frames have it. The values of a dose are in its unit already.
 */
async function readUnit(
  page: Page,
  { layer, units }: LayerResponse,
  { sort, signal }: { readonly sort: FieldSort; readonly signal: AbortSignal },
): Promise<{ readonly line: Line; readonly unit: string }> {
  const plain = { line: SAME, unit: units?.label ?? '' };
  const file = findFile(page, layer);
  if (sort === 'dose' || units?.kind === 'real_world' || file === undefined) return plain;
  const [first = { fileIndex: layer, frame: 0 }] = stackOf(page, file).frames;
  const address = { fileIndex: first.fileIndex, frame: first.frame };
  await loadValues(page, address, signal);
  const values = findValues(page, address);
  if (values === undefined || values instanceof Error) return plain;
  for (const { reading, isOfAllFrames } of listFrameReadings(values)) {
    const { ofModality, unit } = reading;
    if (ofModality !== undefined && isOfAllFrames) return { line: ofModality, unit };
  }
  return plain;
}

/** The SUV that are usually looked at. */
const SUV_WINDOW = [0, 7] as const;
/** Of what is 100 % of a dose: hot spots still have a color of their own. */
const DOSE_TOP = 1.1;

function chooseWindow(
  { value_range, reference_values }: LayerResponse,
  file: FileRecord | undefined,
  { sort, unit, line }: { readonly sort: FieldSort; readonly unit: string; readonly line: Line },
): readonly [number, number] | undefined {
  const toUnit = (value: number) => value * line.slope + line.intercept;
  if (sort === 'dose') {
    const [reference] = reference_values;
    if (reference?.source === 'target_prescription') return [0, DOSE_TOP * reference.value];
    return value_range === null || !(value_range[1] > 0) ? undefined : [0, value_range[1]];
  }
  if (unit === 'SUVbw') return SUV_WINDOW;
  const window = file?.default_window;
  if (window !== null && window !== undefined && window.width > 0) {
    return [toUnit(window.center - window.width / 2), toUnit(window.center + window.width / 2)];
  }
  if (value_range === null || value_range[0] === value_range[1]) return undefined;
  return [toUnit(value_range[0]), toUnit(value_range[1])];
}
