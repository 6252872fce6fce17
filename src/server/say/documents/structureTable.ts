import type { DataSet } from '../../standard/dicom/dataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { colorOf, tableOf } from './describeElements.ts';
import type { DocumentTable } from './documentKind.ts';

const STRUCTURES = 0x30060020;
const CONTOURS_OF_ROIS = 0x30060039;
const OBSERVATIONS = 0x30060080;
const CONTOURS = 0x30060040;
const ROI_NUMBER = 0x30060022;
const POINT_COUNT = 0x30060046;
const FRAMES_OF_REFERENCE = 0x30060010;

/** Sequences of a structure set that are in its table, or are links. */
export const STRUCTURE_SEQUENCES: readonly number[] = [STRUCTURES, CONTOURS_OF_ROIS, OBSERVATIONS, FRAMES_OF_REFERENCE];

/** The structures of a structure set, one row for each: what it is, how it was drawn, and how much of it. */
export function structureTable(dataSet: DataSet): DocumentTable | undefined {
  const contoursOf = byNumber(dataSet.items(CONTOURS_OF_ROIS), Tag.ReferencedROINumber);
  const observationOf = byNumber(dataSet.items(OBSERVATIONS), Tag.ReferencedROINumber);
  const rows = dataSet.items(STRUCTURES).map((item) => {
    const number = item.number(ROI_NUMBER);
    const contours = contoursOf.get(number)?.items(CONTOURS) ?? [];
    return { item, number, contours, outline: contoursOf.get(number), observation: observationOf.get(number) };
  });
  return tableOf('Structures', rows, [
    { label: 'Number', value: ({ number }) => number },
    { label: 'Name', value: ({ item }) => item.string(0x30060026) },
    { label: 'Description', value: ({ item }) => item.string(0x30060028) },
    { label: 'Type', value: ({ observation }) => observation?.string(0x300600a4)?.toLowerCase().replaceAll('_', ' ') },
    { label: 'Drawn', value: ({ item }) => item.string(0x30060036)?.toLowerCase() },
    { label: 'Contours', value: ({ contours }) => contours.length },
    { label: 'Points', value: ({ contours }) => sumPoints(contours) },
    { label: 'Color', isColor: true, value: ({ outline }) => colorOf(outline, Tag.ROIDisplayColor) },
    { label: 'Volume', unit: 'cm³', value: ({ item }) => item.number(0x3006002c) },
  ]);
}

function byNumber(items: readonly DataSet[], tag: number): ReadonlyMap<number | undefined, DataSet> {
  return new Map(items.map((item) => [item.number(tag), item]));
}

function sumPoints(contours: readonly DataSet[]): number {
  return contours.reduce((sum, contour) => {
    const count = contour.number(POINT_COUNT) ?? 0;
    return sum + (Number.isSafeInteger(count) && count > 0 ? count : 0);
  }, 0);
}
