/** Reads one row of the columns. `at` is the position of a value among the values of a file. */
export interface ColumnReader {
  findText(at: number): string | undefined;
  findNumber(at: number): number | undefined;
  /** An entry of one of the lists. */
  findItem(list: number, at: number): unknown;
}

/** Takes the values file by file, and within a file in the order of its fields. */
export interface ColumnWriter {
  text(text: string | undefined): void;
  number(number: number | undefined): void;
  /** Appends a value to a list unless it equals the last entry; returns the position of the value. */
  item(list: number, value: unknown, isEqual: (a: unknown, b: unknown) => boolean): number;
}

/** Position of the first text, number and list of a field. */
export type ColumnPlace = { readonly text: number; readonly number: number; readonly list: number };

/**
 * How values of one form are stored in columns. `pack` always writes the number of texts and numbers that the form
 * declares.
 */
export type ColumnForm<Value> = {
  readonly texts: number;
  readonly numbers: number;
  readonly lists: number;
  readonly pack: (value: Value | undefined, writer: ColumnWriter, place: ColumnPlace) => void;
  /** Creates the getter of a field. It reads the field from the row on which it is called. */
  readonly createGetter: (place: ColumnPlace) => (this: ColumnReader) => Value;
};

export const TEXT: ColumnForm<string> = {
  ...takes({ texts: 1 }),
  pack: (value, writer) => writer.text(value),
  createGetter: ({ text }) =>
    function getText() {
      return this.findText(text) ?? '';
    },
};

export const OPTIONAL_TEXT: ColumnForm<string | undefined> = {
  ...TEXT,
  createGetter: ({ text }) =>
    function findText() {
      return this.findText(text);
    },
};

export const NUMBER: ColumnForm<number> = {
  ...takes({ numbers: 1 }),
  pack: (value, writer) => writer.number(value),
  createGetter: ({ number }) =>
    function getNumber() {
      return this.findNumber(number) ?? NaN;
    },
};

export const OPTIONAL_NUMBER: ColumnForm<number | undefined> = {
  ...NUMBER,
  createGetter: ({ number }) =>
    function findNumber() {
      return this.findNumber(number);
    },
};

export const FLAG: ColumnForm<boolean> = {
  ...takes({ numbers: 1 }),
  pack: (value, writer) => writer.number(Number(value ?? false)),
  createGetter: ({ number }) =>
    function getFlag() {
      return this.findNumber(number) === 1;
    },
};

/** One of a fixed list of terms, stored as its position in that list; undefined if there is none. */
export function term<Term extends string>(terms: readonly Term[]): ColumnForm<Term | undefined> {
  return {
    ...takes({ numbers: 1 }),
    pack: (value, writer) => writer.number(value && terms.indexOf(value)),
    createGetter: ({ number }) =>
      function findTerm() {
        return terms[this.findNumber(number) ?? -1];
      },
  };
}

/** Two numbers that are either both present or both absent. */
export const PAIR: ColumnForm<readonly [number, number] | undefined> = {
  ...takes({ numbers: 2 }),
  pack(value, writer) {
    writer.number(value?.[0]);
    writer.number(value?.[1]);
  },
  createGetter: ({ number }) =>
    function findPair() {
      const first = this.findNumber(number);
      return first === undefined ? undefined : [first, this.findNumber(number + 1) ?? NaN];
    },
};

export const WINDOW: ColumnForm<{ readonly center: number; readonly width: number } | undefined> = {
  ...takes({ numbers: 2 }),
  pack(value, writer) {
    writer.number(value?.center);
    writer.number(value?.width);
  },
  createGetter: ({ number }) =>
    function findWindow() {
      const center = this.findNumber(number);
      return center === undefined ? undefined : { center, width: this.findNumber(number + 1) ?? NaN };
    },
};

/** A point in space, either complete or absent. */
export const POINT: ColumnForm<readonly number[] | undefined> = {
  ...takes({ numbers: 3 }),
  pack(value, writer) {
    for (let axis = 0; axis < 3; axis += 1) writer.number(value?.[axis]);
  },
  createGetter: ({ number }) =>
    function findPoint() {
      const x = this.findNumber(number);
      if (x === undefined) return undefined;
      return [x, this.findNumber(number + 1) ?? NaN, this.findNumber(number + 2) ?? NaN];
    },
};

/**
 * Values that few files have, or that are equal in many consecutive files: stored once, unpacked, in a list beside the
 * columns.
 */
export function listed<Value>(isEqual: (a: Value, b: Value) => boolean = Object.is): ColumnForm<Value | undefined> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a list has values of one field
  const isSame = (a: unknown, b: unknown) => isEqual(a as Value, b as Value);
  return {
    ...takes({ numbers: 1, lists: 1 }),
    pack(value, writer, { list }) {
      writer.number(value === undefined ? undefined : writer.item(list, value, isSame));
    },
    createGetter: ({ number, list }) =>
      function findListed() {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a list has values of one field
        return this.findItem(list, this.findNumber(number) ?? -1) as Value | undefined;
      },
  };
}

export function takes({ texts = 0, numbers = 0, lists = 0 }) {
  return { texts, numbers, lists };
}

/** The fields of an object and the positions of their columns. */
export type Layout<Values> = {
  readonly fields: readonly LaidOut<Values>[];
  /** Where the columns of the next layout begin. */
  readonly end: ColumnPlace;
};

type LaidOut<Values> = {
  readonly name: keyof Values & string;
  readonly place: ColumnPlace;
} & Pick<ColumnForm<unknown>, 'pack' | 'createGetter'>;

export type Forms<Values> = { readonly [Name in keyof Values]-?: ColumnForm<Values[Name]> };

export const FIRST_PLACE: ColumnPlace = { text: 0, number: 0, list: 0 };

/** Assigns columns to each field, one after the other. */
export function layOut<Values>(forms: Forms<Values>, start: ColumnPlace): Layout<Values> {
  let end = start;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names and forms of `forms`
  const named = Object.entries(forms) as [keyof Values & string, ColumnForm<unknown>][];
  const fields = named.map(([name, { texts, numbers, lists, pack, createGetter }]) => {
    const place = end;
    end = { text: end.text + texts, number: end.number + numbers, list: end.list + lists };
    return { name, place, pack, createGetter };
  });
  return { fields, end };
}

/** Writes the columns of a layout. Without values, all columns are marked absent. */
export function packFields<Values>(layout: Layout<Values>, values: Values | undefined, writer: ColumnWriter): void {
  for (const { name, place, pack } of layout.fields) pack(values?.[name], writer, place);
}

/** Adds a getter for each field of a layout to a row class. */
export function defineGetters<Values>(layout: Layout<Values>, row: { readonly prototype: ColumnReader }): void {
  for (const { name, place, createGetter } of layout.fields) {
    Object.defineProperty(row.prototype, name, { get: createGetter(place), configurable: true });
  }
}
