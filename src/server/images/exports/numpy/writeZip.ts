import { type GzipPart, joinBytes } from '../../../machine/workers/gzipParts.ts';

/** A file in a zip file; `packed` has an end of its own. */
export type ZipFile = { readonly name: string } & GzipPart;

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const [LOCAL_BYTES, ENTRY_BYTES, END_BYTES] = [30, 46, 22];
/** Zip 2.0, which has deflate. */
const VERSION = 20;
const DEFLATE = 8;
/** The first day that zip files can name: they say nothing about when they were written. */
const DAY = 0x21;
const MOST = 2 ** 32 - 1;

/** The last block of deflate, which ends what `packGzipPart` packs. */
const LAST_BLOCK = Uint8Array.of(3, 0);

/** A zip file of packed files, of less than 4 GiB. */
export function writeZip(files: readonly ZipFile[]): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let at = 0;
  for (const file of files) {
    const name = new TextEncoder().encode(file.name);
    const packedBytes = file.packed.length + LAST_BLOCK.length;
    if (file.bytes > MOST || at > MOST) throw new RangeError('a zip file of 4 GiB needs another form');
    const local = writeHead(LOCAL, LOCAL_BYTES, name, { ...file, packedBytes });
    entries.push(writeEntry(name, { ...file, packedBytes }, at));
    pieces.push(local, file.packed, LAST_BLOCK);
    at += local.length + packedBytes;
  }
  const directory = joinBytes(entries);
  const end = new DataView(new ArrayBuffer(END_BYTES));
  end.setUint32(0, END, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, directory.length, true);
  end.setUint32(16, at, true);
  return joinBytes([...pieces, directory, new Uint8Array(end.buffer)]);
}

type Packed = Pick<GzipPart, 'bytes' | 'crc'> & { readonly packedBytes: number };

function writeHead(mark: number, bytes: number, name: Uint8Array, { bytes: length, crc, packedBytes }: Packed) {
  const whole = new Uint8Array(bytes + name.length);
  const view = new DataView(whole.buffer);
  view.setUint32(0, mark, true);
  // A directory also says which version wrote the file; the fields after it are the same.
  const at = mark === ENTRY ? 6 : 4;
  if (mark === ENTRY) view.setUint16(4, VERSION, true);
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 4, DEFLATE, true);
  view.setUint16(at + 8, DAY, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, packedBytes, true);
  view.setUint32(at + 18, length, true);
  view.setUint16(at + 22, name.length, true);
  whole.set(name, bytes);
  return whole;
}

function writeEntry(name: Uint8Array, packed: Packed, start: number): Uint8Array {
  const entry = writeHead(ENTRY, ENTRY_BYTES, name, packed);
  new DataView(entry.buffer).setUint32(42, start, true);
  return entry;
}
