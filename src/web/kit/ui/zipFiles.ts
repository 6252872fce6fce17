export type ZippedFile = { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> };

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1 January 1980, the first day that the format knows: when the files were made does not matter. */
const DATE = 0x21;

/** A zip file. Nothing is compressed: pictures are already. */
export function zipFiles(files: readonly ZippedFile[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const entries: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const nameBytes = new TextEncoder().encode(name);
    const sum = crc32(bytes);
    const shared = (view: DataView<ArrayBuffer>, at: number) => {
      view.setUint16(at, VERSION, true);
      view.setUint16(at + 2, FLAGS, true);
      view.setUint16(at + 8, DATE, true);
      view.setUint32(at + 10, sum, true);
      view.setUint32(at + 14, bytes.length, true);
      view.setUint32(at + 18, bytes.length, true);
      view.setUint16(at + 22, nameBytes.length, true);
    };
    const local = new DataView(new ArrayBuffer(30));
    local.setUint32(0, LOCAL, true);
    shared(local, 4);
    const entry = new DataView(new ArrayBuffer(46));
    entry.setUint32(0, ENTRY, true);
    entry.setUint16(4, VERSION, true);
    shared(entry, 6);
    entry.setUint32(42, offset, true);
    parts.push(new Uint8Array(local.buffer), nameBytes, bytes);
    entries.push(new Uint8Array(entry.buffer), nameBytes);
    offset += 30 + nameBytes.length + bytes.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, END, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(
    12,
    entries.reduce((sum, { length }) => sum + length, 0),
    true,
  );
  end.setUint32(16, offset, true);
  return new Blob([...parts, ...entries, new Uint8Array(end.buffer)], { type: 'application/zip' });
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 1) === 1 ? (sum >>> 1) ^ 0xed_b8_83_20 : sum >>> 1;
  return sum;
});

function crc32(bytes: Uint8Array): number {
  let sum = 0xff_ff_ff_ff;
  for (const byte of bytes) sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 0xff]!;
  return (sum ^ 0xff_ff_ff_ff) >>> 0;
}
