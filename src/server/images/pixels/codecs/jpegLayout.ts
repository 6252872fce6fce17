/** What decoding the first scan of a Huffman-coded JPEG stream needs, as its marker segments say. ITU-T T.81 Annex B. */
export type JpegLayout = {
  readonly frame: JpegFrame;
  readonly restartInterval: number;
  /** Keyed by class and number: codes for DC and lossless coding from 0, codes for AC from 16. */
  readonly codes: ReadonlyMap<number, HuffmanCodes>;
  /** Components of the scan, with the keys of their codes. */
  readonly scan: readonly { readonly id: number; readonly dc: number; readonly ac: number }[];
  /** Where the entropy-coded data begins. */
  readonly scanStart: number;
  /** Whether the segments of the frame, the codes and the scan are as long as their content. */
  readonly isExact: boolean;
};

export type JpegFrame = {
  readonly marker: number;
  readonly rows: number;
  readonly columns: number;
  readonly components: readonly JpegComponent[];
};

export type JpegComponent = { readonly id: number; readonly horizontal: number; readonly vertical: number };

/** The number of codes of each length, 1 to 16, and what they stand for. Codes of the same length are consecutive. */
export type HuffmanCodes = { readonly counts: Uint8Array; readonly symbols: Uint8Array };

export const LOSSLESS_FRAME = 0xc3;

/** Undefined if the stream is neither sequential nor lossless, or ends before its first scan. */
export function readJpegLayout(stream: Uint8Array): JpegLayout | undefined {
  const bytes = Buffer.from(stream.buffer, stream.byteOffset, stream.length);
  const codes = new Map<number, HuffmanCodes>();
  let frame: JpegFrame | undefined;
  let restartInterval = 0;
  let isExact = true;
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    // Fill bytes before a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return undefined;
    const segment = bytes.subarray(at + 4, end);
    if (marker === 0xc0 || marker === 0xc1 || marker === LOSSLESS_FRAME) {
      frame = parseFrame(marker, segment);
      isExact &&= segment.length === 6 + 3 * (segment[5] ?? 0);
    } else if (marker === 0xc4) isExact = readCodes(segment, codes) && isExact;
    else if (marker === 0xdd && segment.length >= 2) restartInterval = segment.readUInt16BE(0);
    else if (marker === 0xda) {
      const components = segment[0] ?? 0;
      isExact &&= segment.length === 4 + 2 * components;
      const scan = Array.from({ length: components }, (_, i) => {
        const numbers = segment[2 + 2 * i] ?? 0;
        return { id: segment[1 + 2 * i] ?? 0, dc: numbers >> 4, ac: 16 + (numbers & 0x0f) };
      });
      return frame && { frame, restartInterval, codes, scan, scanStart: end, isExact };
    }
    at = end;
  }
  return undefined;
}

function parseFrame(marker: number, segment: Buffer): JpegFrame | undefined {
  const count = segment[5] ?? 0;
  if (segment.length < 6 + 3 * count) return undefined;
  const components = Array.from({ length: count }, (_, i) => {
    const factors = segment[7 + 3 * i]!;
    return { id: segment[6 + 3 * i]!, horizontal: factors >> 4, vertical: factors & 0x0f };
  });
  if (components.some(({ horizontal, vertical }) => horizontal < 1 || vertical < 1)) return undefined;
  return { marker, rows: segment.readUInt16BE(1), columns: segment.readUInt16BE(3), components };
}

/** Returns whether the segment ends with its last code. */
function readCodes(segment: Buffer, codes: Map<number, HuffmanCodes>): boolean {
  let at = 0;
  while (at + 17 <= segment.length) {
    const which = segment[at]!;
    const counts = segment.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    codes.set((which >> 4) * 16 + (which & 0x0f), { counts, symbols: segment.subarray(at + 17, at + 17 + total) });
    at += 17 + total;
  }
  return at === segment.length;
}
