import type { Rgb } from '../../../shared/cielab.ts';
import { quoteText } from '../../bytes/masking/maskText.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import {
  type Affine,
  type ArrayHeader,
  type ArrayWarning,
  checkAffine,
  checkShape,
  type DataPlace,
  dropSingles,
  type ElementType,
  type NamedLabel,
  NO_VOLUME,
  unreadable,
} from './arrayHeader.ts';

const ELEMENTS: Readonly<Record<string, ElementType>> = {
  'signed char': 'int8',
  int8: 'int8',
  int8_t: 'int8',
  uchar: 'uint8',
  'unsigned char': 'uint8',
  uint8: 'uint8',
  uint8_t: 'uint8',
  short: 'int16',
  'short int': 'int16',
  'signed short': 'int16',
  'signed short int': 'int16',
  int16: 'int16',
  int16_t: 'int16',
  ushort: 'uint16',
  'unsigned short': 'uint16',
  'unsigned short int': 'uint16',
  uint16: 'uint16',
  uint16_t: 'uint16',
  int: 'int32',
  'signed int': 'int32',
  int32: 'int32',
  int32_t: 'int32',
  uint: 'uint32',
  'unsigned int': 'uint32',
  uint32: 'uint32',
  uint32_t: 'uint32',
  longlong: 'int64',
  'long long': 'int64',
  'long long int': 'int64',
  'signed long long': 'int64',
  'signed long long int': 'int64',
  int64: 'int64',
  int64_t: 'int64',
  ulonglong: 'uint64',
  'unsigned long long': 'uint64',
  'unsigned long long int': 'uint64',
  uint64: 'uint64',
  uint64_t: 'uint64',
  float: 'float32',
  double: 'float64',
};

/** Signs that turn the coordinates of a space into LPS. Without a space that names sides, there is no affine. */
const SPACES: Readonly<Record<string, readonly [number, number, number]>> = {
  'left-posterior-superior': [1, 1, 1],
  lps: [1, 1, 1],
  'right-anterior-superior': [-1, -1, 1],
  ras: [-1, -1, 1],
  'left-anterior-superior': [1, -1, 1],
  las: [1, -1, 1],
  'scanner-xyz': [1, 1, 1],
};

const MOST_HEADER = 2 ** 20;

export function isNrrd(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 7)) === 'NRRD000';
}

type Fields = {
  /** By name, in lower case. */
  readonly fields: ReadonlyMap<string, string>;
  /** What writers add: `Segment0_Name:=liver`. */
  readonly pairs: ReadonlyMap<string, string>;
  /** Where the data begins. */
  readonly end: number;
};

export function readNrrd(source: ByteSource): ArrayHeader {
  const { fields, pairs, end } = readFields(source);
  const need = (name: string) => {
    const value = fields.get(name);
    if (value === undefined) throw unreadable(`the NRRD header has no field "${name}"`);
    return value;
  };
  const element = ELEMENTS[need('type').toLowerCase()];
  if (element === undefined) throw unreadable(`the NRRD type ${quoteText(need('type'))} is not supported`);
  const shape = numbersOf(need('sizes'));
  const dimension = Number(need('dimension'));
  if (shape.length !== dimension) throw unreadable('the NRRD header has another number of sizes than axes');
  checkShape(shape);
  const warnings: ArrayWarning[] = [];
  const space = findSpace(fields, shape, warnings);
  const sizes = [...dropSingles(shape)];
  while (sizes.length < 3) sizes.push(1);
  const isLeftOut = space !== undefined && space.axes.some((axis) => axis >= sizes.length);
  if (sizes.length > 4 || isLeftOut) {
    throw unreadable(`the array has ${shape.length} axes; 3 in space and one more are supported`);
  }
  return {
    shape,
    sizes,
    spatialAxes: space?.axes,
    element,
    isLittleEndian: findEndian(fields, element),
    scale: undefined,
    affine: space?.affine,
    affineSource: space?.affine === undefined ? undefined : 'space_directions',
    data: findData(fields, need('encoding'), end),
    labels: listSegments(pairs),
    warnings,
  };
}

/** The header ends with an empty line; a header apart may end with the file. */
function readFields(source: ByteSource): Fields {
  const bytes = source.read(0, Math.min(MOST_HEADER, source.size)).slice();
  if (!isNrrd(bytes)) throw unreadable('the file has no NRRD header');
  const fields = new Map<string, string>();
  const pairs = new Map<string, string>();
  let at = 0;
  for (let line = 0; ; line += 1) {
    const next = bytes.indexOf(0x0a, at);
    if (next < 0 && source.size > bytes.length) throw unreadable('the NRRD header is too long');
    const text = new TextDecoder().decode(bytes.subarray(at, next < 0 ? bytes.length : next)).replace(/\r$/, '');
    at = next < 0 ? bytes.length : next + 1;
    if (text === '' || (next < 0 && at >= bytes.length)) {
      addLine(text, { fields, pairs });
      return { fields, pairs, end: at };
    }
    if (line > 0) addLine(text, { fields, pairs });
  }
}

function addLine(
  text: string,
  { fields, pairs }: { readonly fields: Map<string, string>; readonly pairs: Map<string, string> },
): void {
  if (text.startsWith('#')) return;
  const pair = /^([^:]+):=(.*)$/.exec(text);
  if (pair !== null) {
    pairs.set(pair[1]!, pair[2]!);
    return;
  }
  const field = /^([^:]+):\s*(.*)$/.exec(text);
  if (field !== null) fields.set(field[1]!.toLowerCase().replaceAll(/[\s_]/g, ''), field[2]!.trim());
}

function numbersOf(text: string): number[] {
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map(Number);
}

function findEndian(fields: ReadonlyMap<string, string>, element: ElementType): boolean {
  const endian = fields.get('endian')?.toLowerCase();
  if (endian === 'big') return false;
  if (endian !== 'little' && endian !== undefined) throw unreadable('the NRRD header has an unknown byte order');
  // Text and bytes have no order.
  const encoding = fields.get('encoding')?.toLowerCase() ?? '';
  if (
    endian === undefined &&
    !element.endsWith('int8') &&
    encoding !== 'ascii' &&
    encoding !== 'text' &&
    encoding !== 'txt'
  ) {
    throw unreadable('the NRRD header does not declare the byte order');
  }
  return true;
}

const PACKINGS: Readonly<Record<string, DataPlace['packing']>> = {
  raw: 'raw',
  gzip: 'gzip',
  gz: 'gzip',
  ascii: 'ascii',
  text: 'ascii',
  txt: 'ascii',
  hex: 'hex',
};

function findData(fields: ReadonlyMap<string, string>, encoding: string, end: number): DataPlace {
  const packing = PACKINGS[encoding.toLowerCase()];
  if (packing === undefined) throw unreadable(`the NRRD encoding ${quoteText(encoding)} is not supported`);
  const skipLines = Number(fields.get('lineskip') ?? 0);
  const byteSkip = Number(fields.get('byteskip') ?? 0);
  if (!Number.isInteger(skipLines) || skipLines < 0) throw unreadable('the line skip of the NRRD header is invalid');
  if (!Number.isInteger(byteSkip) || byteSkip < -1) throw unreadable('the byte skip of the NRRD header is invalid');
  const besideName = fields.get('datafile');
  if (besideName !== undefined && /^LIST\b|%/.test(besideName)) {
    throw unreadable('NRRD data in several files is not supported');
  }
  return {
    besideName,
    start: besideName === undefined ? end : 0,
    length: undefined,
    packing,
    skip: byteSkip === -1 ? 'to_end' : byteSkip,
    skipLines,
  };
}

type Space = { readonly axes: readonly [number, number, number]; readonly affine: Affine | undefined };

/** The axes that have a direction are those of space; the sizes say nothing about the others. */
function findSpace(
  fields: ReadonlyMap<string, string>,
  shape: readonly number[],
  warnings: ArrayWarning[],
): Space | undefined {
  const directions = fields.get('spacedirections');
  if (directions === undefined) return findKinds(fields, shape);
  const vectors = [...directions.matchAll(/none|\(([^)]*)\)/gi)].map(([, numbers]) =>
    numbers === undefined ? undefined : numbersOf(numbers),
  );
  if (vectors.length !== shape.length) throw unreadable('the NRRD header has another number of directions than axes');
  const axes = vectors.flatMap((vector, axis) => (vector === undefined ? [] : [axis]));
  const [first, second, third] = axes;
  if (first === undefined || second === undefined || third === undefined || axes.length !== 3) return undefined;
  const named: Space['axes'] = [first, second, third];
  const signs = SPACES[fields.get('space')?.toLowerCase() ?? ''];
  if (signs === undefined) return { axes: named, affine: undefined };
  const origin = numbersOf((fields.get('spaceorigin') ?? '').replaceAll(/[()]/g, ' '));
  const columns = [...axes.map((axis) => vectors[axis]!), origin];
  if (columns.some((column) => column.length !== 3))
    throw unreadable('the NRRD header has vectors that are not in space');
  const numbers = columns.flatMap((column) => column.map((value, axis) => value * signs[axis]!));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- four vectors of three numbers
  const affine = checkAffine(numbers as unknown as Affine);
  if (affine === undefined) warnings.push(NO_VOLUME);
  return { axes: named, affine };
}

/** Without directions, the kinds may say which axis is a list. */
function findKinds(fields: ReadonlyMap<string, string>, shape: readonly number[]): Space | undefined {
  const kinds = (fields.get('kinds') ?? '').toLowerCase().split(/\s+/);
  const axes = shape.flatMap((_, axis) => (kinds[axis] === 'domain' || kinds[axis] === 'space' ? [axis] : []));
  const [first, second, third] = axes;
  if (axes.length !== 3 || shape.length === 3) return undefined;
  return { axes: [first!, second!, third!], affine: undefined };
}

const MOST_SEGMENTS = 4096;

/** The segments that 3D Slicer writes. */
function listSegments(pairs: ReadonlyMap<string, string>): readonly NamedLabel[] {
  const labels: NamedLabel[] = [];
  for (let segment = 0; segment < MOST_SEGMENTS; segment += 1) {
    const of = (name: string) => pairs.get(`Segment${segment}_${name}`);
    const name = of('Name') ?? of('ID');
    if (name === undefined && of('LabelValue') === undefined) break;
    labels.push({
      channel: Number(of('Layer') ?? 0),
      value: Number(of('LabelValue') ?? 1),
      name: name?.slice(0, 256),
      color: toColor(of('Color')),
      tags: of('Tags'),
    });
  }
  return labels.filter(({ channel, value }) => Number.isInteger(channel) && Number.isInteger(value));
}

function toColor(text: string | undefined): Rgb | undefined {
  const [r, g, b] = numbersOf(text ?? '').map((part) => Math.round(part * 255));
  const isColor = [r, g, b].every((part) => part !== undefined && part >= 0 && part <= 255);
  return isColor ? [r!, g!, b!] : undefined;
}
