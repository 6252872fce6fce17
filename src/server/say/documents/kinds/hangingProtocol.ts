import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { findDictionaryEntry } from '../../../standard/dicom/dictionary.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import { elementColumn, tableCellOf, tableOf, textOf } from '../describeElements.ts';
import type { DocumentDraft, DocumentFigure, DocumentKind, DocumentSource, FigureBox } from '../documentKind.ts';

export const hangingProtocolKind: DocumentKind = {
  name: 'hanging_protocol',
  sopClasses: listSopClasses('4.38.1'),
  views: [],
  shows: 'what it is for, its image sets with their selectors in words, and its screens with the display sets on them',
  build: buildHangingProtocol,
};

const IMAGE_SETS = 0x00720020;
const DISPLAY_SETS = 0x00720200;
const SCREENS = 0x00720102;
const SELECTORS = 0x00720022;
const TIME_BASED_SETS = 0x00720030;
const IMAGE_SET_NUMBER = 0x00720032;
const DISPLAY_SET_NUMBER = 0x00720202;
const PRESENTATION_GROUP = 0x00720204;
const PRESENTATION_GROUP_DESCRIPTION = 0x00720206;
const IMAGE_BOXES = 0x00720300;
const SPATIAL_POSITION = 0x00720108;
const SELECTOR_ATTRIBUTE = 0x00720026;

function buildHangingProtocol(source: DocumentSource): DocumentDraft {
  const { dataSet } = source;
  const summary = buildDeepSummary(source, new Set([IMAGE_SETS, DISPLAY_SETS]));
  return {
    ...summary,
    tables: [imageSetTable(dataSet), displaySetTable(dataSet), ...summary.tables].filter(
      (table) => table !== undefined,
    ),
    figures: drawScreens(dataSet),
  };
}

function imageSetTable(dataSet: DataSet) {
  const rows = dataSet.items(IMAGE_SETS).flatMap((set) => {
    const images = set.items(SELECTORS).map(describeSelector).join(' and ');
    return set.items(TIME_BASED_SETS).map((item) => ({ item, images }));
  });
  return tableOf('Image sets', rows, [
    { label: 'Number', value: ({ item }) => item.number(IMAGE_SET_NUMBER) },
    { label: 'Label', value: ({ item }) => textOf(item, 0x00720040) },
    { label: 'Images', value: ({ images }) => images },
    { label: 'From', value: ({ item }) => describeTime(item) },
  ]);
}

/** `Modality is MR`. NO_MATCH says what happens if an image has no such element. PS3.3 C.23.1 */
function describeSelector(item: DataSet): string {
  const tag = item.number(SELECTOR_ATTRIBUTE);
  const category = textOf(item, 0x00720402)?.toLowerCase().replaceAll('_', ' ');
  const name = tag === undefined ? (category ?? 'something') : (findDictionaryEntry(tag)?.name ?? Tag.tagToString(tag));
  const operator = OPERATORS[item.string(0x00720406) ?? ''] ?? 'is';
  const value = selectorValue(item);
  const isOptional = item.string(0x00720024) === 'MATCH' ? ', if present' : '';
  return value === undefined ? `${name} is present` : `${name} ${operator} ${value}${isOptional}`;
}

const OPERATORS: Readonly<Record<string, string>> = {
  MEMBER_OF: 'is one of',
  NOT_MEMBER_OF: 'is none of',
  RANGE_INCL: 'is in the range',
  RANGE_EXCL: 'is outside of the range',
  GREATER_OR_EQUAL: 'is at least',
  LESS_OR_EQUAL: 'is at most',
  GREATER_THAN: 'is more than',
  LESS_THAN: 'is less than',
};

/** Values are in an element of their VR: (0072,0060) to (0072,0080). */
function selectorValue(item: DataSet): string | undefined {
  for (const { tag } of item) {
    if (tag < 0x00720060 || tag > 0x00720080) continue;
    const cell = tableCellOf(item, tag);
    if (cell !== undefined && cell !== '') return String(cell).replaceAll(' \\ ', ', ');
  }
  return undefined;
}

function describeTime(item: DataSet): string | undefined {
  const [from, to] = item.numbers(0x00720038, 2);
  if (from !== undefined) {
    const units = item.string(0x0072003a)?.toLowerCase() ?? '';
    return from === 0 && (to ?? 0) === 0 ? 'the current study' : `${from} to ${to ?? from} ${units} before`;
  }
  const [first, last] = item.numbers(0x0072003c, 2);
  if (first !== undefined) return first === (last ?? first) ? `prior ${first}` : `priors ${first} to ${last}`;
  return textOf(item, 0x00720034)?.toLowerCase().replaceAll('_', ' ');
}

function displaySetTable(dataSet: DataSet) {
  return tableOf('Display sets', dataSet.items(DISPLAY_SETS), [
    elementColumn(DISPLAY_SET_NUMBER, 'Number'),
    elementColumn(0x00720203, 'Label'),
    elementColumn(PRESENTATION_GROUP, 'Group'),
    elementColumn(PRESENTATION_GROUP_DESCRIPTION, 'Group description'),
    elementColumn(IMAGE_SET_NUMBER, 'Image set'),
    {
      label: 'Layout',
      value: (one) =>
        one
          .items(IMAGE_BOXES)
          .map((box) => textOf(box, 0x00720304)?.toLowerCase() ?? '')
          .join(', '),
    },
    { label: 'Only if', value: (one) => one.items(0x00720400).map(describeSelector).join(' and ') },
    { label: 'Sorted', value: (one) => one.items(0x00720600).map(describeSorting).join(', then ') },
    elementColumn(0x00720510, 'Reformatting'),
    elementColumn(0x00720512, 'Thickness', 'mm'),
    elementColumn(0x00720516, 'View'),
    elementColumn(0x00720702, 'Window'),
  ]);
}

function describeSorting(item: DataSet): string {
  const tag = item.number(SELECTOR_ATTRIBUTE);
  const by =
    tag === undefined ? textOf(item, 0x00720602)?.toLowerCase().replaceAll('_', ' ') : findDictionaryEntry(tag)?.name;
  return [by, textOf(item, 0x00720604)?.toLowerCase()].filter((text) => text !== undefined).join(', ');
}

const MOST_GROUPS = 16;

/** The screens with the image boxes of each presentation group. */
function drawScreens(dataSet: DataSet): DocumentFigure[] {
  const screens = dataSet.items(SCREENS);
  const frames = screens.flatMap((one, at) => toBox(one, `Screen ${at + 1}`, true));
  const sets = dataSet.items(DISPLAY_SETS);
  const groups = new Map<number, FigureBox[]>();
  const titles = new Map<number, string>();
  for (const set of sets) {
    const group = set.number(PRESENTATION_GROUP) ?? 1;
    const number = set.number(DISPLAY_SET_NUMBER);
    const label = textOf(set, 0x00720203) ?? (number === undefined ? '' : String(number));
    const boxes = set.items(IMAGE_BOXES).flatMap((box) => toBox(box, label, false));
    groups.set(group, [...(groups.get(group) ?? []), ...boxes]);
    const title = textOf(set, PRESENTATION_GROUP_DESCRIPTION);
    if (title !== undefined) titles.set(group, title);
  }
  return [...groups].slice(0, MOST_GROUPS).map(([group, boxes]) => ({
    type: 'boxes',
    title: titles.get(group) ?? `Presentation group ${group}`,
    aspect: aspectOf(screens),
    boxes: [...frames, ...boxes],
  }));
}

/** Positions are upper left and lower right corners in a unit square whose origin is at the lower left. */
function toBox(item: DataSet, label: string, isFrame: boolean): FigureBox[] {
  const [left = NaN, top = NaN, right = NaN, bottom = NaN] = item.numbers(SPATIAL_POSITION, 4);
  const [width, height] = [right - left, top - bottom];
  const isInside = [left, top, right, bottom].every((value) => value >= 0 && value <= 1);
  return isInside && width > 0 && height > 0 ? [{ x: left, y: 1 - top, width, height, label, isFrame }] : [];
}

/** The unit square is as wide as the screens are: by the pixels of the largest one. */
function aspectOf(screens: readonly DataSet[]): number {
  let [most, aspect] = [0, 1.6];
  for (const screen of screens) {
    const [rows = 0, columns = 0] = [screen.number(0x00720104), screen.number(0x00720106)];
    const [box] = toBox(screen, '', true);
    if (box === undefined || !(rows * columns > most)) continue;
    most = rows * columns;
    aspect = columns / box.width / (rows / box.height);
  }
  return Math.min(5, Math.max(0.2, aspect));
}
