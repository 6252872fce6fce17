import type { StreamFacts } from './videoTasks.ts';

/** Bytes of a stream; fewer at its end. */
export type ReadStream = (position: number, length: number) => Uint8Array;

/** A longer index of the stream is not read; the stream plays without what it says. */
const MOST_INDEX_BYTES = 32 * 2 ** 20;
const MOST_BOXES = 4096;

/** What an MP4 file says of its first video track, and where its last box ends. ISO 14496-12. */
export function readMp4(read: ReadStream, length: number): StreamFacts & { readonly end: number } {
  let at = 0;
  let facts: StreamFacts = {};
  for (let boxes = 0; boxes < MOST_BOXES && at + 8 <= length; boxes += 1) {
    const box = parseBox(read(at, 16).slice(), length - at);
    if (box === undefined) break;
    if (box.type === 'moov' && box.size <= MOST_INDEX_BYTES) facts = parseMovie(read(at, box.size).slice(box.header));
    at += box.size;
  }
  return { ...facts, end: Math.min(at, length) };
}

type Box = { readonly type: string; readonly size: number; readonly header: number };

/** The box at the start of the bytes, in `room` bytes; undefined if it is none. */
function parseBox(bytes: Uint8Array, room: number): Box | undefined {
  if (bytes.length < 8) return undefined;
  const view = viewOf(bytes);
  const type = textAt(bytes, 4);
  const short = view.getUint32(0);
  // 0: up to the end. 1: a size of 64 bits follows.
  const size = short === 0 ? room : short === 1 && bytes.length >= 16 ? Number(view.getBigUint64(8)) : short;
  const header = short === 1 ? 16 : 8;
  return size >= header && size <= room && /^[\x20-\x7e]{4}$/.test(type) ? { type, size, header } : undefined;
}

function parseMovie(movie: Uint8Array): StreamFacts {
  for (const track of childrenOf(movie, 'trak')) {
    const media = childOf(track, 'mdia');
    const handler = media && childOf(media, 'hdlr');
    if (media === undefined || handler === undefined || textAt(handler, 8) !== 'vide') continue;
    return parseTrack(media);
  }
  return {};
}

function parseTrack(media: Uint8Array): StreamFacts {
  const table = [media].flatMap((box) => childOf(box, 'minf') ?? []).flatMap((box) => childOf(box, 'stbl') ?? [])[0];
  const header = childOf(media, 'mdhd');
  const sizes = table && childOf(table, 'stsz');
  const frames = sizes !== undefined && sizes.length >= 12 ? viewOf(sizes).getUint32(8) : 0;
  const seconds = header === undefined ? 0 : parseDuration(header);
  return {
    codec: table && parseCodec(table),
    ...(frames > 0 && { frames }),
    ...(frames > 0 && seconds > 0 && { frameTimeMs: (seconds * 1000) / frames }),
  };
}

/** In seconds; 0 if it is not said, as in a fragmented file. */
function parseDuration(header: Uint8Array): number {
  const isLong = header[0] === 1;
  if (header.length < (isLong ? 32 : 20)) return 0;
  const view = viewOf(header);
  const scale = view.getUint32(isLong ? 20 : 12);
  const duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16);
  return scale === 0 ? 0 : duration / scale;
}

/** A visual sample entry: 78 bytes before the boxes of the codec. */
const ENTRY_BYTES = 78;

function parseCodec(table: Uint8Array): string | undefined {
  const descriptions = childOf(table, 'stsd')?.subarray(8);
  if (descriptions === undefined) return undefined;
  const entry = parseBox(descriptions, descriptions.length);
  if (entry === undefined) return undefined;
  const inside = descriptions.subarray(entry.header + ENTRY_BYTES, entry.size);
  if (entry.type === 'avc1' || entry.type === 'avc3') return nameAvc(entry.type, childOf(inside, 'avcC'));
  if (entry.type === 'hvc1' || entry.type === 'hev1') return nameHevc(entry.type, childOf(inside, 'hvcC'));
  return entry.type;
}

/** Profile, constraints and level as hexadecimal numbers. RFC 6381. */
function nameAvc(type: string, config: Uint8Array | undefined): string {
  if (config === undefined || config.length < 4) return type;
  return `${type}.${[...config.subarray(1, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** ISO 14496-15, E.3: profile, compatibility with its bits reversed, tier and level, constraints. */
function nameHevc(type: string, config: Uint8Array | undefined): string {
  if (config === undefined || config.length < 13) return type;
  const first = config[1]!;
  const space = ['', 'A', 'B', 'C'][first >> 6]!;
  let compatible = 0;
  for (let bit = 0; bit < 32; bit += 1) if (config[2 + (bit >> 3)]! & (0x80 >> (bit & 7))) compatible += 2 ** bit;
  const constraints = [...config.subarray(6, 12)].map((byte) => byte.toString(16));
  while (constraints.at(-1) === '0') constraints.pop();
  const tier = first & 0x20 ? 'H' : 'L';
  const parts = [`${space}${first & 0x1f}`, compatible.toString(16), `${tier}${config[12]}`, ...constraints];
  return `${type}.${parts.join('.')}`;
}

function childOf(box: Uint8Array, type: string): Uint8Array | undefined {
  return childrenOf(box, type)[0];
}

/** The contents of the boxes of a type inside the content of a box. */
function childrenOf(box: Uint8Array, type: string): Uint8Array[] {
  const found: Uint8Array[] = [];
  let at = 0;
  for (let boxes = 0; boxes < MOST_BOXES && at + 8 <= box.length; boxes += 1) {
    const child = parseBox(box.subarray(at, at + 16), box.length - at);
    if (child === undefined) break;
    if (child.type === type) found.push(box.subarray(at + child.header, at + child.size));
    at += child.size;
  }
  return found;
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
