import { type FrameDamage, formatFrameDamage, parseFrameDamage } from './frameDamage.ts';

/** The part of a source frame that one frame of a segmentation covers. */
export type MaskLayer = {
  /** Frame index in the segmentation, from 0. */
  readonly frame: number;
  /** Undefined for labels, where each sample is a segment number, and if the frame names no segment. */
  readonly segment: number | undefined;
  readonly kind: 'mask' | 'fractions' | 'labels';
  /** For fractions: the sample value that means 100 %. */
  readonly maximum: number | undefined;
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly columns: number;
  /** In row order. 0 is outside the segment; inside, a mask has 1 and labels have the segment number. */
  readonly samples: Uint8Array | Uint16Array;
};

/** All layers of one segmentation over one frame of its source. */
export type SourceMasks = {
  /** Size of the source frame. */
  readonly rows: number;
  readonly columns: number;
  readonly layers: readonly MaskLayer[];
  /** The truncated or damaged segmentation frames here, including those that have no layer left. */
  readonly damaged: readonly DamagedMask[];
};

export type DamagedMask = Pick<MaskLayer, 'frame' | 'segment'> & {
  /** Its rows are rows of the segmentation frame. */
  readonly damage: FrameDamage;
};

type Encoding = 'bits' | 'uint8' | 'uint16';
type WireLayer = {
  readonly frame: number;
  readonly segment_number: number | null;
  readonly kind: MaskLayer['kind'];
  readonly maximum: number | null;
  /** Top, left, rows, columns. */
  readonly box: readonly [number, number, number, number];
  readonly encoding: Encoding;
};
type WireHeader = {
  readonly rows: number;
  readonly columns: number;
  readonly layers: readonly WireLayer[];
  /** Omitted if all frames are complete. */
  readonly damaged?: readonly WireDamage[];
};
type WireDamage = {
  readonly frame: number;
  readonly segment_number: number | null;
  /** As in `X-Frame-Damage`. */
  readonly damage: string;
};

const LENGTH_BYTES = 4;

/**
 * Wire format: the length of the header (32 bits, little endian), the header as JSON, and the samples of each layer.
 * Masks use one bit per sample, starting with the lowest bit of a byte, without gaps between rows.
 */
export function encodeMasks({ rows, columns, layers, damaged }: SourceMasks): Uint8Array<ArrayBuffer> {
  const header: WireHeader = {
    rows,
    columns,
    layers: layers.map(toWire),
    ...(damaged.length > 0 && { damaged: damaged.map(toWireDamage) }),
  };
  const text = toAscii(JSON.stringify(header));
  const parts = layers.map(encodeSamples);
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, LENGTH_BYTES + text.length));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, LENGTH_BYTES);
  let at = LENGTH_BYTES + text.length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function decodeMasks(buffer: ArrayBuffer): SourceMasks {
  const length = new DataView(buffer).getUint32(0, true);
  const text = fromAscii(new Uint8Array(buffer, LENGTH_BYTES, length));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by encodeMasks
  const { rows, columns, layers, damaged = [] } = JSON.parse(text) as WireHeader;
  let at = LENGTH_BYTES + length;
  return {
    rows,
    columns,
    layers: layers.map((wire) => {
      const [top, left, layerRows, layerColumns] = wire.box;
      const count = layerRows * layerColumns;
      const packed = buffer.slice(at, at + encodedBytes(wire.encoding, count));
      at += packed.byteLength;
      return {
        frame: wire.frame,
        segment: wire.segment_number ?? undefined,
        kind: wire.kind,
        maximum: wire.maximum ?? undefined,
        top,
        left,
        rows: layerRows,
        columns: layerColumns,
        samples: decodeSamples(packed, wire.encoding, count),
      };
    }),
    damaged: damaged.flatMap(({ frame, segment_number, damage }) => {
      const parsed = parseFrameDamage(damage);
      return parsed === undefined ? [] : [{ frame, segment: segment_number ?? undefined, damage: parsed }];
    }),
  };
}

/** The header has only ASCII names and numbers: one byte per character. */
function toAscii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function fromAscii(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function toWire(layer: MaskLayer): WireLayer {
  return {
    frame: layer.frame,
    segment_number: layer.segment ?? null,
    kind: layer.kind,
    maximum: layer.maximum ?? null,
    box: [layer.top, layer.left, layer.rows, layer.columns],
    encoding: encodingOf(layer),
  };
}

function toWireDamage({ frame, segment, damage }: DamagedMask): WireDamage {
  return { frame, segment_number: segment ?? null, damage: formatFrameDamage(damage) };
}

function encodingOf({ kind, samples }: MaskLayer): Encoding {
  return kind === 'mask' ? 'bits' : samples instanceof Uint16Array ? 'uint16' : 'uint8';
}

function encodedBytes(encoding: Encoding, count: number): number {
  return encoding === 'bits' ? Math.ceil(count / 8) : encoding === 'uint8' ? count : count * 2;
}

function encodeSamples(layer: MaskLayer): Uint8Array {
  const { samples } = layer;
  const bytes = new Uint8Array(encodedBytes(encodingOf(layer), samples.length));
  switch (encodingOf(layer)) {
    case 'bits':
      for (let i = 0; i < samples.length; i++) if (samples[i] !== 0) bytes[i >>> 3]! |= 1 << (i & 7);
      break;
    case 'uint8':
      bytes.set(samples);
      break;
    case 'uint16':
      for (let i = 0; i < samples.length; i++) {
        bytes[2 * i] = samples[i]! & 0xff;
        bytes[2 * i + 1] = samples[i]! >>> 8;
      }
      break;
  }
  return bytes;
}

function decodeSamples(packed: ArrayBuffer, encoding: Encoding, count: number): Uint8Array | Uint16Array {
  const bytes = new Uint8Array(packed);
  if (encoding === 'uint8') return bytes;
  const samples = encoding === 'bits' ? new Uint8Array(count) : new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    samples[i] = encoding === 'bits' ? (bytes[i >>> 3]! >>> (i & 7)) & 1 : bytes[2 * i]! | (bytes[2 * i + 1]! << 8);
  }
  return samples;
}
