import { type FileMetaData, parquetMetadata, type SchemaElement } from 'hyparquet';

/**
 * The description at the end of a Parquet file. Taking it apart as a whole makes fifty objects for each column of each group,
 * which takes seconds for millions of rows. So it is only walked through at first, to find where each group is described; what is
 * wanted is then put together as a description of its own, which the reader of Parquet takes apart.
 */
export type ParquetFooter = {
  readonly schema: readonly SchemaElement[];
  readonly about: FileMetaData['key_value_metadata'];
  /** Number of rows of each group; NaN if it has none. */
  readonly groupRows: readonly number[];
  /** All groups with what is said of these columns. */
  readonly describeColumns: (names: readonly string[]) => FileMetaData;
  /** All of one group. */
  readonly describeGroup: (at: number) => FileMetaData;
};

type Span = { readonly start: number; readonly end: number };
type ListSpan = Span & { readonly items: readonly Span[] };

// Types and fields of the Thrift compact protocol, and of parquet.thrift.
const [TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID] = [1, 2, 3, 7, 8, 9, 10, 11, 12, 13];
const [I16, I32, I64] = [4, 5, 6];
const SCHEMA_FIELD = 2;
const GROUPS_FIELD = 4;
const COLUMNS_OF_GROUP = 1;
const ROWS_OF_GROUP = 3;

/** `bytes` are the description without its length and the magic number behind it. */
export function readFooter(bytes: Uint8Array): ParquetFooter {
  const found: { schema?: ListSpan; groups?: ListSpan } = {};
  const walk = new ThriftWalk(bytes);
  const groupRows: number[] = [];
  walk.struct((field, type) => {
    if (type !== LIST) return false;
    if (field === SCHEMA_FIELD) found.schema = walk.list(() => walk.struct(() => false));
    else if (field === GROUPS_FIELD) found.groups = walk.list(() => groupRows.push(readRows(walk)));
    else return false;
    return true;
  });
  const { schema: schemaList, groups } = found;
  if (schemaList === undefined || groups === undefined)
    throw new Error('it is no Parquet file: it does not describe rows');
  const rest = { head: bytes.subarray(0, schemaList.start), tail: bytes.subarray(groups.end) };
  const between = bytes.subarray(schemaList.end, groups.start);
  const describe = (schemaItems: readonly Uint8Array[], groupItems: readonly Uint8Array[]) =>
    parquetMetadata(withTrailer([rest.head, ...toList(schemaItems), between, ...toList(groupItems), rest.tail]), {
      geoparquet: false,
    });
  const itemsOf = ({ items }: ListSpan) => items.map(({ start, end }) => bytes.subarray(start, end));
  const { schema, key_value_metadata: about } = describe(itemsOf(schemaList), []);
  const isFlat = schema.slice(1).every(({ type, num_children: children }) => type !== undefined && !children);
  return {
    schema,
    about,
    groupRows,
    describeColumns(names) {
      // Columns of columns are not in the order of the schema.
      if (!isFlat) return describe(itemsOf(schemaList), itemsOf(groups));
      const kept = schema.flatMap(({ name }, at) => (at > 0 && names.includes(name) ? [at] : []));
      const elements = itemsOf(schemaList).filter((_, at) => at === 0 || kept.includes(at));
      return describe(
        elements,
        groups.items.map((group) =>
          keepColumns(
            bytes,
            group,
            kept.map((at) => at - 1),
          ),
        ),
      );
    },
    describeGroup(at) {
      const group = groups.items[at];
      if (group === undefined) throw new Error(`it has no row group ${at}`);
      return describe(itemsOf(schemaList), [bytes.subarray(group.start, group.end)]);
    },
  };
}

function readRows(walk: ThriftWalk): number {
  let rows = Number.NaN;
  walk.struct((field, type) => {
    if (field !== ROWS_OF_GROUP || type !== I64) return false;
    rows = walk.integer();
    return true;
  });
  return rows;
}

/** The description of a group with some of its columns. */
function keepColumns(bytes: Uint8Array, group: Span, kept: readonly number[]): Uint8Array {
  const walk = new ThriftWalk(bytes, group.start);
  const found: { columns?: ListSpan } = {};
  walk.struct((field, type) => {
    if (field !== COLUMNS_OF_GROUP || type !== LIST) return false;
    found.columns = walk.list(() => walk.struct(() => false));
    return true;
  });
  const { columns: list } = found;
  if (list === undefined) throw new Error('a row group has no columns');
  const items = kept.map((at) => {
    const item = list.items[at];
    if (item === undefined) throw new Error('a row group has fewer columns than the table');
    return bytes.subarray(item.start, item.end);
  });
  return Buffer.concat([
    bytes.subarray(group.start, list.start),
    ...toList(items),
    bytes.subarray(list.end, group.end),
  ]);
}

/** A list of structures. */
function toList(items: readonly Uint8Array[]): Uint8Array[] {
  const head: number[] = [];
  if (items.length < 15) head.push((items.length << 4) | STRUCT);
  else {
    head.push(0xf0 | STRUCT);
    let rest = items.length;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) head.push((rest % 0x80) | 0x80);
    head.push(rest);
  }
  return [Uint8Array.from(head), ...items];
}

function withTrailer(parts: readonly Uint8Array[]): Uint8Array {
  const trailer = Buffer.from('\0\0\0\0PAR1', 'latin1');
  trailer.writeUInt32LE(parts.reduce((sum, { length }) => sum + length, 0));
  return Buffer.concat([...parts, trailer]);
}

/** Structures inside of each other; those of Parquet have eight levels. */
const MOST_LEVELS = 32;

/** Goes through bytes of the Thrift compact protocol without making anything of them. Throws an Error where they are none. */
class ThriftWalk {
  readonly #bytes: Uint8Array;
  #at: number;
  #level = 0;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** `visit` returns whether it has read the field. */
  struct(visit: (field: number, type: number) => boolean): void {
    this.#level += 1;
    if (this.#level > MOST_LEVELS) throw new Error('it is no Parquet file: its description is nested too deeply');
    let field = 0;
    for (let head = this.#byte(); head !== 0; head = this.#byte()) {
      field = head >> 4 === 0 ? this.integer() : field + (head >> 4);
      if (!visit(field, head & 15)) this.#skip(head & 15);
    }
    this.#level -= 1;
  }

  /** `readItem` reads a structure. */
  list(readItem: () => void): ListSpan {
    const start = this.#at;
    const { count, type } = this.#listHead();
    if (count > 0 && type !== STRUCT) throw new Error('it is no Parquet file: a list has no structures');
    const items: Span[] = [];
    for (let at = 0; at < count; at += 1) {
      const from = this.#at;
      readItem();
      items.push({ start: from, end: this.#at });
    }
    return { start, end: this.#at, items };
  }

  /** With a sign, which is the last bit. */
  integer(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('it is no Parquet file: its description is cut off');
    this.#at += 1;
    return byte;
  }

  #varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count += 1) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw new Error('it is no Parquet file: a number is too long');
  }

  #listHead(): { readonly count: number; readonly type: number } {
    const head = this.#byte();
    return { count: head >> 4 === 15 ? this.#varint() : head >> 4, type: head & 15 };
  }

  #skip(type: number): void {
    if (type === TRUE || type === FALSE) return;
    if (type === I16 || type === I32 || type === I64) this.#varint();
    else if (type === BINARY) this.#move(this.#varint());
    else if (type === STRUCT) this.struct(() => false);
    else if (type === LIST || type === SET) {
      const { count, type: ofItems } = this.#listHead();
      this.#skipItems(count, [ofItems]);
    } else if (type === MAP) {
      const count = this.#varint();
      const types = count === 0 ? 0 : this.#byte();
      this.#skipItems(count, [types >> 4, types & 15]);
    } else this.#move(lengthOf(type));
  }

  /** Each takes a byte at least, so that there are not more of them than bytes. */
  #skipItems(count: number, types: readonly number[]): void {
    this.#level += 1;
    if (this.#level > MOST_LEVELS) throw new Error('it is no Parquet file: its description is nested too deeply');
    for (let at = 0; at < count; at += 1) {
      for (const type of types) {
        if (type === TRUE || type === FALSE) this.#move(1);
        else this.#skip(type);
      }
    }
    this.#level -= 1;
  }

  #move(count: number): void {
    if (!(count <= this.#bytes.length - this.#at)) throw new Error('it is no Parquet file: its description is cut off');
    this.#at += count;
  }
}

function lengthOf(type: number): number {
  if (type === BYTE) return 1;
  if (type === DOUBLE) return 8;
  if (type === UUID) return 16;
  throw new Error('it is no Parquet file: its description has values of no type');
}
