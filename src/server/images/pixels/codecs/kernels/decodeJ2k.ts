import type { J2kHeader } from '../j2kHeader.ts';
import { findOrdinaryTile, readJ2kLayout } from '../j2kLayout.ts';
import { type CodeBlock, readJ2kPackets } from '../j2kPackets.ts';
import { MOST_MADE_UP_BYTES, MOST_UNREAD_BYTES } from '../j2kRest.ts';
import { createKernel } from './kernel.ts';

/**
 * The functions of jpeg2000.kernel.ts. Addresses and pitches are in bytes of its memory, of which it uses the beginning
 * for itself. Coefficients and samples of a component are 32-bit numbers in a plane: integers if the transforms are
 * reversible, otherwise floating-point numbers.
 */
type Jpeg2000Functions = {
  /** Writes the tables, before anything else. */
  prepare(): void;
  /**
   * Decodes a code-block of at most 4096 coefficients to its place in a plane: as integers, or as floating-point numbers
   * if `scale` is not 0. The data must follow a byte that is not FF, and two bytes FF must follow it. Returns how many of
   * its bytes were left over or, below 0, how many more were needed.
   */
  decodeBlock(
    from: number,
    length: number,
    width: number,
    height: number,
    band: number,
    planes: number,
    passes: number,
    scale: number,
    to: number,
    toPitch: number,
  ): number;
  /**
   * Joins the four sub-bands of a level, which are beside and below each other in the plane. `scratch` has room for a
   * row, and for 64 bytes of each column.
   */
  joinBands(
    plane: number,
    pitch: number,
    width: number,
    height: number,
    lowWidth: number,
    lowHeight: number,
    scratch: number,
    isReversible: boolean,
  ): void;
  /** Undoes the color transform. Up to 12 bytes more are read and written. */
  joinColors(first: number, second: number, third: number, count: number, isReversible: boolean): void;
  /** Turns floating-point numbers into integers. Up to 12 bytes more are read and written. */
  roundSamples(plane: number, count: number): void;
  /** Adds `raise` to samples, limits them to a range and writes each `step` bytes after the one before. */
  storeSamples(
    plane: number,
    pitch: number,
    width: number,
    height: number,
    raise: number,
    least: number,
    most: number,
    to: number,
    step: number,
    bytesPerSample: number,
  ): void;
};

const jpeg2000 = createKernel<Jpeg2000Functions>('jpeg2000');

/** The kernel uses the memory below for itself. */
const FIRST_FREE = 40_960;
/** Loads and stores may access this many bytes beyond their range. */
const SLACK_BYTES = 64;
/** The memory of a kernel has at most 4 GiB. */
const MOST_BYTES = 2 ** 32 - 65_536;
/** From here on data is certain to be followed by ones, as decoders expect. */
const END_OF_DATA = [0xff, 0xff];

/**
 * Decodes an ordinary stream to the resolution whose edges are halved `level` times, faster than the library
 * does. Undefined if anything about it is unusual or wrong: the library then decides what can be shown of it, and says
 * why.
 */
export function decodeJ2k(
  codestream: Uint8Array,
  header: J2kHeader,
  level: number,
): Uint8Array<ArrayBuffer> | undefined {
  const { rows, columns, components, precision, signed, componentTransform, reversible } = header;
  if (components === 2 || components > 3 || (componentTransform && components !== 3)) return undefined;
  const layout = header.extent.end === 'marked' ? readJ2kLayout(codestream, header) : undefined;
  const tile = layout && findOrdinaryTile(layout);
  const kernel = jpeg2000();
  if (tile === undefined || kernel === undefined) return undefined;
  const { levels } = tile.components[0]!;
  const blocks = level > levels ? 'unusual' : readJ2kPackets(tile);
  if (typeof blocks === 'string') return undefined;

  const shown = levels - level;
  const sizeAt = (resolution: number) => {
    const scale = 2 ** (levels - resolution);
    return { width: Math.ceil(columns / scale), height: Math.ceil(rows / scale) };
  };
  const { width, height } = sizeAt(shown);
  const pitch = 4 * width;
  const planeBytes = alignUp(pitch * height + SLACK_BYTES);
  const planeAt = (component: number) => FIRST_FREE + component * planeBytes;
  const scratch = planeAt(components);
  const to = scratch + alignUp(Math.max(pitch, 64 * height) + SLACK_BYTES);
  const bytesPerSample = precision > 8 ? 2 : 1;
  const size = width * height * components * bytesPerSample;
  const dataAt = to + alignUp(size + SLACK_BYTES);
  const wanted = blocks.filter(({ resolution, passes }) => resolution <= shown && passes > 0);
  const longest = wanted.reduce((most, block) => Math.max(most, dataLength(block)), 0);
  const end = dataAt + longest + SLACK_BYTES;
  if (end > MOST_BYTES) return undefined;

  return kernel.use(end, (functions, memory) => {
    functions.prepare();
    memory.fill(0, FIRST_FREE, scratch);
    memory[dataAt - 1] = 0;
    for (const block of wanted) {
      let at = dataAt;
      for (const part of block.parts) {
        memory.set(part, at);
        at += part.length;
      }
      memory.set(END_OF_DATA, at);
      const place = planeAt(block.component) + block.y * pitch + 4 * block.x;
      const { width: across, height: down, band, planes, passes, scale } = block;
      const rest = functions.decodeBlock(dataAt, at - dataAt, across, down, band, planes, passes, scale, place, pitch);
      if (rest > MOST_UNREAD_BYTES || -rest > MOST_MADE_UP_BYTES) return undefined;
    }
    for (let component = 0; component < components; component++) {
      for (let resolution = 1; resolution <= shown; resolution++) {
        const [whole, low] = [sizeAt(resolution), sizeAt(resolution - 1)];
        functions.joinBands(
          planeAt(component),
          pitch,
          whole.width,
          whole.height,
          low.width,
          low.height,
          scratch,
          reversible,
        );
      }
    }
    if (componentTransform) functions.joinColors(planeAt(0), planeAt(1), planeAt(2), width * height, reversible);
    const half = 2 ** (precision - 1);
    const range = signed ? [-half, half - 1] : [0, 2 * half - 1];
    for (let component = 0; component < components; component++) {
      if (!reversible) functions.roundSamples(planeAt(component), width * height);
      functions.storeSamples(
        planeAt(component),
        pitch,
        width,
        height,
        signed ? 0 : half,
        range[0]!,
        range[1]!,
        to + component * bytesPerSample,
        components * bytesPerSample,
        bytesPerSample,
      );
    }
    return memory.slice(to, to + size);
  });
}

function dataLength({ parts }: CodeBlock): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function alignUp(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}
