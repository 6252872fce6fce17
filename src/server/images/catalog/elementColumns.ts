import { type ElementPath, vrOf } from '../../standard/dicom/elementPath.ts';
import { parseNumber } from '../../standard/dicom/decodeValue.ts';
import type { ElementPlace } from '../../standard/dicom/pathPlan.ts';
import { SEVERAL_NUMBERS } from '../../standard/dicom/severalNumbers.generated.ts';
import { vrTraits } from '../../standard/dicom/vr.ts';

export type IndexValue = string | number | bigint | boolean | null;

export type ColumnType = 'STRING' | 'INT32' | 'INT64' | 'DOUBLE' | 'BOOLEAN';

/** A column with the values of an element. */
export type ElementColumn = {
  readonly name: string;
  readonly path: ElementPath;
  /** That of the dictionary; undefined if each file says its own, as for private elements. */
  readonly vr: string | undefined;
  readonly type: ColumnType;
};

/** VRs whose values fit into 32 bits with a sign. */
const INTEGER_VRS: ReadonlySet<string> = new Set(['IS', 'SL', 'SS', 'US']);

/**
 * One number is a number, and an integer where the element holds integers. The values of an element that has several are a
 * text, as DICOM writes them, with backslashes between them. So are those of several items.
 */
export function columnOfPath(path: ElementPath): ElementColumn {
  const { name, element, sequences } = path;
  const vr = vrOf(element);
  const kind = vr === undefined ? undefined : vrTraits(vr)?.kind;
  const isNumber = kind === 'number' || kind === 'numeric text';
  const isSeveral =
    sequences.some(({ item }) => item === 'all') || ('tag' in element && several().has(firstOfGroups(element.tag)));
  const type = !isNumber || isSeveral ? 'STRING' : INTEGER_VRS.has(vr ?? '') ? 'INT32' : 'DOUBLE';
  return { name, path, vr, type };
}

/** Curves and overlays are in the dictionary once, for the first of their groups. */
function firstOfGroups(tag: number): number {
  const isRepeated = tag >>> 24 === 0x50 || tag >>> 24 === 0x60;
  return isRepeated ? (tag & 0xff00ffff) >>> 0 : tag;
}

let severalTags: ReadonlySet<number> | undefined;

/** Elements whose value multiplicity is not 1. */
function several(): ReadonlySet<number> {
  return (severalTags ??= new Set(SEVERAL_NUMBERS.split('\n').map((tag) => parseInt(tag, 16))));
}

/** More values and longer texts are cut; the text then ends with `…`. */
const MOST_VALUES = 256;
const MOST_CHARACTERS = 4_096;
const CUT = '…';

/**
 * The value of a file in a column. Null if the file does not have the element, and for what is no number in a column of
 * numbers. An element without a value is an empty text.
 */
export function readElement({ vr, type }: ElementColumn, places: readonly ElementPlace[]): string | number | null {
  const [first] = places;
  if (first === undefined) return null;
  if (type !== 'STRING') return toNumberOf(type, first.attributes.number(first.tag));
  if (vr === undefined && places.length === 1) return readByFile(first);
  return joinValues(places);
}

/** By the VR that the file itself has for the element. */
function readByFile(place: ElementPlace): string | number | null {
  const { attributes, tag } = place;
  const kind = vrTraits(attributes.readAs(tag))?.kind;
  if (kind === undefined || kind === 'sequence') return null;
  // Nothing says what the bytes are, unless there are none.
  if (kind === 'bytes') return attributes.bytes(tag, 1)?.length === 0 ? '' : null;
  const [only = '', second] = attributes.strings(tag, 2);
  if (second !== undefined || (kind !== 'number' && kind !== 'numeric text')) return joinValues([place]);
  const number = kind === 'number' ? attributes.number(tag) : parseNumber(only);
  return number === undefined || !Number.isFinite(number) ? only : number;
}

function joinValues(places: readonly ElementPlace[]): string {
  const values: string[] = [];
  for (const { attributes, tag } of places) {
    const ofPlace = attributes.strings(tag, MOST_VALUES + 1);
    values.push(...(ofPlace.length === 0 ? [''] : ofPlace));
    if (values.length > MOST_VALUES) break;
  }
  const text = values.slice(0, MOST_VALUES).join('\\');
  if (text.length > MOST_CHARACTERS) return text.slice(0, MOST_CHARACTERS - 1) + CUT;
  return values.length > MOST_VALUES ? `${text}\\${CUT}` : text;
}

/** Null for a value that is none of the column, such as a text in an Integer String. */
export function toNumberOf(type: ColumnType, value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return type === 'INT32' && (value | 0) !== value ? null : value;
}
