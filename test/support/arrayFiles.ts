import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

export type NiftiInput = {
  /** Of the axes, the first of which has neighbouring elements. */
  readonly sizes: readonly number[];
  readonly samples: Uint8Array;
  /** Seconds from one volume to the next. */
  readonly timeStep?: number;
  /** Data type code; default 2, bytes. */
  readonly datatype?: number;
  /** Three rows of four numbers, in RAS; without them there is no orientation. */
  readonly sform?: readonly number[];
  /** Quaternion b, c, d, offset x, y, z, and the sizes of voxels with the sign of the third axis first. */
  readonly qform?: { readonly numbers: readonly number[]; readonly pixdim: readonly number[] };
  readonly slope?: number;
  readonly isBigEndian?: boolean;
  readonly magic?: string;
};

/** A NIfTI-1 file. */
export function writeNifti(input: NiftiInput): Uint8Array {
  const { sizes, samples, datatype = 2, sform, qform, slope = 0, isBigEndian = false, magic = 'n+1', timeStep } = input;
  const header = Buffer.alloc(352);
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const little = !isBigEndian;
  view.setInt32(0, 348, little);
  view.setInt16(40, sizes.length, little);
  for (let axis = 0; axis < 7; axis += 1) view.setInt16(42 + 2 * axis, sizes[axis] ?? 1, little);
  view.setInt16(70, datatype, little);
  for (const [at, size] of (qform?.pixdim ?? [1, 1, 1, 1]).entries()) view.setFloat32(76 + 4 * at, size, little);
  view.setFloat32(108, 352, little);
  view.setFloat32(112, slope, little);
  if (timeStep !== undefined) view.setFloat32(76 + 4 * 4, timeStep, little);
  // Millimetres, and seconds.
  view.setUint8(123, timeStep === undefined ? 2 : 2 + 8);
  view.setInt16(252, qform === undefined ? 0 : 1, little);
  view.setInt16(254, sform === undefined ? 0 : 1, little);
  for (const [at, value] of (qform?.numbers ?? []).entries()) view.setFloat32(256 + 4 * at, value, little);
  for (const [at, value] of (sform ?? []).entries()) view.setFloat32(280 + 4 * at, value, little);
  header.write(magic, 344, 'latin1');
  return Buffer.concat([header, samples]);
}

export function writeNrrd(fields: readonly string[], data: Uint8Array | string = ''): Uint8Array {
  return Buffer.concat([Buffer.from(`NRRD0004\n${fields.join('\n')}\n\n`), Buffer.from(data)]);
}

export function writeNpy(
  shape: readonly number[],
  samples: Uint8Array,
  { descr = '|u1', isFortran = false }: { readonly descr?: string; readonly isFortran?: boolean } = {},
): Uint8Array {
  const order = isFortran ? 'True' : 'False';
  const text = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': (${shape.join(', ')},), }`;
  const length = Math.ceil((text.length + 11) / 64) * 64 - 10;
  const header = Buffer.alloc(10);
  header.write('\u0093NUMPY\u0001', 0, 'latin1');
  header.writeUInt16LE(length, 8);
  return Buffer.concat([header, Buffer.from(`${text.padEnd(length - 1)}\n`, 'latin1'), samples]);
}

/** A zip file with members that are deflated or stored. */
export function writeNpz(members: Readonly<Record<string, Uint8Array>>, isDeflated: boolean): Uint8Array {
  const parts: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let at = 0;
  for (const [name, bytes] of Object.entries(members)) {
    const packed = isDeflated ? deflateRawSync(bytes) : bytes;
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(isDeflated ? 8 : 0, 4);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), facts, Buffer.from(name), packed]);
    const entry = Buffer.alloc(46);
    entry.write('PK\u0001\u0002', 0, 'latin1');
    facts.copy(entry, 6);
    entry.writeUInt32LE(at, 42);
    entries.push(Buffer.concat([entry, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

export type PngInput = {
  readonly rows: number;
  readonly columns: number;
  readonly bits: number;
  /** 0 gray, 2 RGB, 3 palette. */
  readonly colorType: number;
  /** Packed rows without the byte of the filter. */
  readonly bytes: Uint8Array;
  readonly palette?: readonly number[];
};

export function writePng({ rows, columns, bits, colorType, bytes, palette }: PngInput): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(columns, 0);
  header.writeUInt32BE(rows, 4);
  header.set([bits, colorType], 8);
  const width = bytes.length / rows;
  const lines = Array.from({ length: rows }, (_, row) =>
    Buffer.concat([Buffer.from([0]), bytes.subarray(row * width, (row + 1) * width)]),
  );
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(palette === undefined ? [] : [chunk('PLTE', Buffer.from(palette))]),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, bytes: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(name), bytes]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(bytes.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

export function gzip(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes);
}
