import { type FieldValues, type FileField, listFields } from '../../../shared/contract/fileFields.ts';
import { packSource, type PackedSource, SOURCE_NUMBERS } from '../../bytes/origins/sourceColumns.ts';
import {
  type ColumnForm,
  type ColumnWriter,
  FIRST_PLACE,
  FLAG,
  type Forms,
  layOut,
  listed,
  NUMBER,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  packFields,
  PAIR,
  POINT,
  takes,
  term,
  TEXT,
  WINDOW,
} from './columnForms.ts';
import type { FileDescription } from './dicomFile.ts';
import { type NumberColumns, packNumbers } from './numberColumns.ts';
import type { Placement } from './placement.ts';

/**
 * The catalog's files, with the files of one scan batch stored together: a few long columns instead of about ten
 * objects per file. Sending a hundred thousand files from a thread then costs almost nothing, and garbage collection,
 * which stops the event loop, has few objects to visit. The columns are in shared memory, whose size does not trigger
 * V8 collections, which could not free any of it.
 */
export type FileColumns = {
  /** All texts, concatenated, in `encoding`. A text that several files share is stored once. */
  readonly text: Uint8Array<SharedArrayBuffer>;
  readonly encoding: 'latin1' | 'utf16le';
  /** End of each text, in characters. */
  readonly textEnds: Uint32Array<SharedArrayBuffer>;
  /**
   * For each file the positions of its texts, in the order of the fields, and then its numbers; NaN if absent. Terms of a fixed
   * list are numbers too.
   */
  readonly numbers: NumberColumns;
  /**
   * For each field whose values are stored unpacked, the values that occur. A number gives the position of a file's
   * value.
   */
  readonly lists: readonly (readonly unknown[])[];
};

/** The fields of `FILE_FIELDS`. */
export const FIELDS = layOut<FieldValues>(fieldForms(), FIRST_PLACE);

/** Without the size, which is the field `fileBytes`. */
const SOURCE_FORM: ColumnForm<PackedSource> = {
  ...takes({ texts: 1, numbers: SOURCE_NUMBERS.length }),
  pack(packed, writer) {
    writer.text(packed?.text);
    for (const name of SOURCE_NUMBERS) writer.number(packed?.[name]);
  },
  createGetter: ({ text, number }) =>
    function getPackedSource() {
      const [dev, ino, mtimeMs] = [0, 1, 2].map((at) => this.findNumber(number + at) ?? NaN);
      return { text: this.findText(text), dev: dev!, ino: ino!, mtimeMs: mtimeMs! };
    },
};
export const SOURCE = layOut<{ readonly packedSource: PackedSource; readonly emptyElements: number }>(
  { packedSource: SOURCE_FORM, emptyElements: NUMBER },
  FIELDS.end,
);

/** The first field is present in every file that has a placement. */
export const PLACEMENT = layOut<Placement>(
  {
    imageType: TEXT,
    echoNumber: OPTIONAL_NUMBER,
    bValue: OPTIONAL_NUMBER,
    time: OPTIONAL_NUMBER,
    position: POINT,
    // Images of a stack are usually consecutive, so that equal orientations follow each other.
    orientation: listed<readonly number[]>((a, b) => a === b || a.every((number, index) => number === b[index])),
    sliceThicknessMm: OPTIONAL_NUMBER,
    sliceSpacingMm: OPTIONAL_NUMBER,
    hasFrameGeometry: FLAG,
    concatenation: listed(),
    slide: listed(),
  },
  SOURCE.end,
);

/** Number of texts, numbers and lists per file. */
export const FILE_END = PLACEMENT.end;
const COLUMN_COUNT = FILE_END.text + FILE_END.number;

/** Packs files into columns, which `PackedFile` reads. */
export function packFiles(files: readonly FileDescription[]): FileColumns {
  const numbers = new Float64Array(files.length * COLUMN_COUNT);
  const lists = Array.from({ length: FILE_END.list }, (): unknown[] => []);
  const places = new Map<string, number>();
  const placeText = (text: string | undefined): number => {
    if (text === undefined) return NaN;
    const place = places.get(text) ?? places.size;
    if (place === places.size) places.set(text, place);
    return place;
  };
  const lastTexts = Array.from({ length: FILE_END.text }, (): string | undefined => undefined);
  const lastPlaces = new Float64Array(FILE_END.text).fill(NaN);
  /** Where the texts and numbers of the file at hand begin, and how many of them there are so far. */
  let start = 0;
  let textCount = 0;
  let numberCount = 0;
  const writer: ColumnWriter = {
    text(text) {
      // Usually the same text as in the previous file, and a comparison is faster than a lookup.
      const field = textCount++;
      if (text !== lastTexts[field]) {
        lastTexts[field] = text;
        lastPlaces[field] = placeText(text);
      }
      numbers[start + field] = lastPlaces[field]!;
    },
    number(number) {
      numbers[start + FILE_END.text + numberCount++] = number ?? NaN;
    },
    item(at, value, isEqual) {
      const list = lists[at]!;
      return list.length > 0 && isEqual(value, list.at(-1)) ? list.length - 1 : list.push(value) - 1;
    },
  };
  for (const [row, file] of files.entries()) {
    start = row * COLUMN_COUNT;
    textCount = numberCount = 0;
    packFields(FIELDS, file, writer);
    const packedSource = packSource(file.source, file.path);
    packFields(SOURCE, { packedSource, emptyElements: file.emptyElements }, writer);
    packFields(PLACEMENT, file.placement, writer);
  }
  return { ...joinTexts([...places.keys()]), numbers: packNumbers(numbers, COLUMN_COUNT), lists };
}

function joinTexts(distinct: readonly string[]): Pick<FileColumns, 'text' | 'encoding' | 'textEnds'> {
  const textEnds = new Uint32Array(new SharedArrayBuffer(distinct.length * Uint32Array.BYTES_PER_ELEMENT));
  let end = 0;
  for (const [place, { length }] of distinct.entries()) textEnds[place] = end += length;
  const joined = distinct.join('');
  // oxlint-disable-next-line no-control-regex -- NUL is the first character of Latin-1
  const encoding = /[^\0-\u00ff]/.test(joined) ? 'utf16le' : 'latin1';
  const text = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(joined, encoding)));
  Buffer.from(text.buffer).write(joined, encoding);
  return { text, encoding, textEnds };
}

const CHARACTER_BYTES = { latin1: 1, utf16le: 2 } as const;

/**
 * The texts of the columns that were read last, as far as they were read: mostly files are read one after the other, and
 * share most of their texts.
 */
let lastRead:
  | { readonly columns: FileColumns; readonly bytes: Buffer; readonly texts: (string | undefined)[] }
  | undefined;

export function readText(columns: FileColumns, place: number): string {
  if (columns !== lastRead?.columns) lastRead = { columns, bytes: Buffer.from(columns.text.buffer), texts: [] };
  return (lastRead.texts[place] ??= decodeText(columns, lastRead.bytes, place));
}

// Not a slice of all texts, which would keep all of them in memory as long as one of them is.
function decodeText({ textEnds, encoding }: FileColumns, bytes: Buffer, place: number): string {
  const width = CHARACTER_BYTES[encoding];
  return bytes.toString(encoding, (textEnds[place - 1] ?? 0) * width, textEnds[place]! * width);
}

function fieldForms(): Forms<FieldValues> {
  const forms = listFields().map((field) => [field.name, formOf(field)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `FieldValues` is made from the same table
  return Object.fromEntries(forms) as Forms<FieldValues>;
}

function formOf({ form, isOptional, terms = [] }: FileField) {
  switch (form) {
    case 'text':
      return isOptional ? OPTIONAL_TEXT : TEXT;
    case 'integer':
    case 'number':
      return isOptional ? OPTIONAL_NUMBER : NUMBER;
    case 'flag':
      return FLAG;
    case 'term':
      return term(terms);
    case 'pair':
      return PAIR;
    case 'window':
      return WINDOW;
  }
}
