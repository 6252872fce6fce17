// Elements written byte by byte, for malformed files that a DICOM writer would not produce.

const LONG = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'SQ', 'SV', 'UC', 'UN', 'UR', 'UT', 'UV']);

export const UNDEFINED = 0xffffffff;

/** An explicit VR little endian element. `declared` is the length in its header. */
export function explicit(tag: number, vr: string, value: Uint8Array | string = '', declared?: number): Uint8Array {
  const bytes = toBytes(value);
  const length = declared ?? bytes.length;
  const header = Buffer.alloc(LONG.has(vr) ? 12 : 8);
  header.writeUInt16LE(tag >>> 16, 0);
  header.writeUInt16LE(tag & 0xffff, 2);
  header.write(vr, 4, 'latin1');
  if (LONG.has(vr)) header.writeUInt32LE(length, 8);
  else header.writeUInt16LE(length, 6);
  return join(header, bytes);
}

/** An implicit VR little endian element; also used for items and delimiters. */
export function implicit(tag: number, value: Uint8Array | string = '', declared?: number): Uint8Array {
  const bytes = toBytes(value);
  const header = Buffer.alloc(8);
  header.writeUInt16LE(tag >>> 16, 0);
  header.writeUInt16LE(tag & 0xffff, 2);
  header.writeUInt32LE(declared ?? bytes.length, 4);
  return join(header, bytes);
}

function toBytes(value: Uint8Array | string): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
}

export const item = (content: Uint8Array = new Uint8Array(0), declared?: number) =>
  implicit(0xfffee000, content, declared);
export const itemEnd = (length = 0) => implicit(0xfffee00d, '', length);
export const sequenceEnd = (length = 0) => implicit(0xfffee0dd, '', length);

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** A file with meta information for this transfer syntax, followed by the data set. */
export function part10(dataSet: Uint8Array, transferSyntaxUid = '1.2.840.10008.1.2.1'): Uint8Array {
  const uid = transferSyntaxUid + (transferSyntaxUid.length % 2 === 1 ? '\0' : '');
  const rest = explicit(0x00020010, 'UI', uid);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(rest.length);
  return join(new Uint8Array(128), Buffer.from('DICM'), explicit(0x00020000, 'UL', length), rest, dataSet);
}
