import type { JpegHeader } from '../jpegHeader.ts';
import { type HuffmanCodes, type JpegLayout, readJpegLayout } from '../jpegLayout.ts';
import { createKernel } from './kernel.ts';

/** The functions of losslessJpeg.kernel.ts. Addresses and lengths are in bytes of its memory. */
type LosslessJpegFunctions = {
  /**
   * Builds the table of a Huffman code from the number of codes of each length, 1 to 16, and their symbols. Returns 0 if
   * they are no code for differences.
   */
  buildTable(counts: number, symbols: number, table: number): number;
  /**
   * Decodes the entropy-coded data from `at` on. `tables` is the address of a list of tables, one for each component;
   * `scratch` has room for two rows of 16-bit samples. Returns 0 if anything is wrong with the data, or if it is not
   * followed by the end of the image.
   */
  decode(
    at: number,
    end: number,
    rows: number,
    columns: number,
    components: number,
    tables: number,
    predictor: number,
    precision: number,
    pointTransform: number,
    scratch: number,
    to: number,
    bytesPerSample: number,
  ): number;
};

const losslessJpeg = createKernel<LosslessJpegFunctions>('losslessJpeg');

/** The size of a table in the memory of the kernel. */
const TABLE_BYTES = 4 * 4096 + 8 * 17 + 256 + 24;
const MOST_COMPONENTS = 4;
const MOST_SYMBOLS = 256;
const COUNTS = 64;
const SYMBOLS = COUNTS + 16;
const TABLES = 512;
/** Loads may access this many bytes beyond their range. */
const SLACK_BYTES = 64;

/**
 * Decodes a complete lossless stream, in a third of the time of the library. Undefined if anything about it is unusual
 * or wrong: the library then decides what can be shown of it, and says why.
 */
export function decodeLosslessJpeg(stream: Uint8Array, header: JpegHeader): Uint8Array | Uint16Array | undefined {
  const plan = planDecoding(stream, header);
  const kernel = losslessJpeg();
  if (plan === undefined || kernel === undefined) return undefined;
  const { codes, scanStart, predictor, pointTransform } = plan;
  const { rows, columns, components, precision } = header;
  const bytesPerSample = precision > 8 ? 2 : 1;
  const size = rows * columns * components * bytesPerSample;
  const scratch = TABLES + MOST_COMPONENTS * TABLE_BYTES;
  const to = scratch + 4 * columns * components;
  const from = to + size + (size % 2);
  const end = from + stream.length - scanStart;
  return kernel.use(end + SLACK_BYTES, (functions, memory) => {
    const tables = new Uint32Array(memory.buffer, 0, MOST_COMPONENTS);
    for (const [i, { counts, symbols }] of codes.entries()) {
      memory.set(counts, COUNTS);
      memory.set(symbols, SYMBOLS);
      const table = TABLES + i * TABLE_BYTES;
      tables[i] = table;
      if (functions.buildTable(COUNTS, SYMBOLS, table) === 0) return undefined;
    }
    memory.set(stream.subarray(scanStart), from);
    const isDecoded = functions.decode(
      from,
      end,
      rows,
      columns,
      components,
      0,
      predictor,
      precision,
      pointTransform,
      scratch,
      to,
      bytesPerSample,
    );
    if (isDecoded === 0) return undefined;
    const bytes = memory.slice(to, to + size);
    return bytesPerSample === 2 ? new Uint16Array(bytes.buffer) : bytes;
  });
}

type Plan = {
  /** The code of each component. */
  readonly codes: readonly HuffmanCodes[];
  readonly scanStart: number;
  readonly predictor: number;
  readonly pointTransform: number;
};

/** What the kernel needs to know; undefined for a stream that it does not decode. */
function planDecoding(stream: Uint8Array, header: JpegHeader): Plan | undefined {
  const { components, precision, scanHeaders, scans, hasEnd } = header;
  const [scan] = scanHeaders;
  if (scan === undefined || scans !== 1 || !hasEnd || components > MOST_COMPONENTS) return undefined;
  const { spectralStart: predictor, spectralEnd, lowBit: pointTransform, highBit } = scan;
  if (spectralEnd !== 0 || highBit !== 0) return undefined;
  if (predictor < 1 || predictor > 7 || precision < 2 || precision > 16 || pointTransform >= precision)
    return undefined;
  const layout = readJpegLayout(stream);
  if (layout === undefined || !layout.isExact || layout.restartInterval > 0) return undefined;
  if (!isPixelByPixel(layout)) return undefined;
  const codes: HuffmanCodes[] = [];
  for (const { dc } of layout.scan) {
    const found = layout.codes.get(dc);
    if (found === undefined || found.symbols.length > MOST_SYMBOLS) return undefined;
    codes.push(found);
  }
  return { codes, scanStart: layout.scanStart, predictor, pointTransform };
}

/** Whether the scan has one sample of each component for each pixel, in the order of the frame. */
function isPixelByPixel({ frame, scan }: JpegLayout): boolean {
  const { components } = frame;
  if (scan.length !== components.length) return false;
  return components.every(({ id, horizontal, vertical }, i) => {
    return scan[i]!.id === id && (components.length === 1 || (horizontal === 1 && vertical === 1));
  });
}
