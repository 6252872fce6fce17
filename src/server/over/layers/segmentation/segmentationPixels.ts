import { ViewerError } from '../../../../shared/contract/errors.ts';
import { combineFrameDamage, type FrameDamage } from '../../../../shared/frameDamage.ts';
import { type DamagedMask, encodeMasks, type MaskLayer } from '../../../../shared/maskLayers.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import type { ImageFiles } from '../../../images/pixels/imageFiles.ts';
import { readBits, type BitFrame } from '../../../images/pixels/readBits.ts';
import { readFrame } from '../../../images/pixels/readFrame.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { type CroppedMasks, MaskCropper } from './croppedMasks.ts';
import { buildLayer, buildValueTable, mostOf } from './maskLayer.ts';
import type {
  CountInput,
  CropInput,
  FractionProbe,
  MasksInput,
  PackedMaskLayers,
  ProbedFractions,
  SampleCounts,
  SampleMeaning,
} from './segmentationTasks.ts';
import { countSetBits } from './maskBits.ts';

const MOST_PIXELS = 100_000_000;
/** Pixels that are drawn for all frames over one picture. A core draws 80 million in a second. */
const MOST_DRAWN = 2 ** 26;

/** The worker tasks for frames of segmentations. */
export type SegmentationPixels = {
  /** Implements `packMasksTask`. */
  readonly packMasks: (input: MasksInput, context: TaskContext) => Promise<PackedMaskLayers>;
  /** Implements `cropMasksTask`. */
  readonly cropMasks: (input: CropInput, context: TaskContext) => Promise<CroppedMasks>;
  /** Implements `countSamplesTask`. */
  readonly countSamples: (input: CountInput, context: TaskContext) => Promise<SampleCounts>;
  /** Implements `probeFractionsTask`. */
  readonly probeFractions: (input: FractionProbe, context: TaskContext) => Promise<ProbedFractions>;
};

export function createSegmentationPixels(images: ImageFiles): SegmentationPixels {
  const readSamples = async (file: KnownSource, frame: number) => {
    const { rows, columns, samples, samplesPerPixel, bitsAllocated, damage } = await readFrame(images, { file, frame });
    if (samplesPerPixel === 1 && (samples instanceof Uint8Array || samples instanceof Uint16Array)) {
      return { rows, columns, samples, damage };
    }
    throw new ViewerError(
      'unsupported_pixel_layout',
      `a segmentation of ${bitsAllocated} bits per sample cannot be drawn`,
    );
  };

  const pixels: SegmentationPixels = {
    probeFractions: (input, context) => probeFractions(images, input, context),

    async packMasks({ file, meaning, rows, columns, frames, mostLayerBytes }, context) {
      if (rows * columns > MOST_PIXELS) throw tooLarge(`a mask of ${rows} x ${columns} pixels is`);
      const layers: MaskLayer[] = [];
      const damaged: DamagedMask[] = [];
      let [held, drawn] = [0, 0];
      const onSamples = (count: number) => {
        drawn += count;
        if (drawn > MOST_DRAWN) throw tooManyDrawn(frames.length);
      };
      for (const { frame, segment, plane, sourcePlane } of frames) {
        context.throwIfCancelled();
        const bits = meaning.kind === 'mask' ? readBits(images, file, frame) : undefined;
        const mask = bits ?? (await readSamples(file, frame));
        const { damage } = mask;
        const named = meaning.kind === 'labels' ? undefined : segment;
        if (damage !== undefined) damaged.push({ frame, segment: named, damage });
        const layer = buildLayer({
          target: { rows, columns, plane: sourcePlane },
          mask: { rows: mask.rows, columns: mask.columns, plane },
          samples: 'bits' in mask ? mask : mask.samples,
          meaning,
          onSamples,
        });
        if (layer === undefined) continue;
        held += layer.samples.byteLength;
        if (held > mostLayerBytes) throw tooLarge(`the masks of ${frames.length} frames over one image are`);
        layers.push({ frame, segment: named, ...layer });
      }
      return {
        bytes: context.transfer(encodeMasks({ rows, columns, layers, damaged })),
        damage: combineFrameDamage(damaged.map(({ damage }) => damage)),
      };
    },

    async cropMasks({ file, meaning, isWide, frames, leftBytes, mostBytes }, context) {
      const encoding = meaning.kind === 'mask' ? 'bits' : isWide && meaning.kind === 'labels' ? 'uint16' : 'uint8';
      const { values } = buildValueTable(meaning, isWide ? 65_535 : 255);
      const cropper = new MaskCropper(encoding);
      for (const frame of frames) {
        context.throwIfCancelled();
        const mask = meaning.kind === 'mask' ? readBits(images, file, frame) : undefined;
        if (mask === undefined) {
          const { samples, columns, damage } = await readSamples(file, frame);
          cropper.add(frame, { samples, columns, values, damage });
        } else cropper.addBits(frame, mask);
        if (cropper.bytes > leftBytes) throw tooMany(mostBytes);
      }
      const cropped = cropper.build();
      return { ...cropped, samples: context.transfer(cropped.samples) };
    },

    async countSamples({ file, meaning, from, to }, context) {
      const frames: number[] = [];
      const labels: number[] = [];
      const amounts: number[] = [];
      const damagedFrames: number[] = [];
      const countSamplesOf = async (frame: number) => {
        const { samples, damage } = await readSamples(file, frame);
        return { damage, counts: countFrame(samples, meaning) };
      };
      for (let frame = from; frame < to; frame += 1) {
        context.throwIfCancelled();
        const mask = meaning.kind === 'mask' ? readBits(images, file, frame) : undefined;
        const { damage, counts } = mask === undefined ? await countSamplesOf(frame) : countMask(mask);
        if (damage !== undefined) damagedFrames.push(frame);
        for (const [label, amount] of counts) {
          frames.push(frame);
          labels.push(label);
          amounts.push(amount);
        }
      }
      return {
        frames: Uint32Array.from(frames),
        labels: Uint32Array.from(labels),
        amounts: Float64Array.from(amounts),
        damagedFrames,
      };
    },
  };

  // Each of them reads many frames of one file.
  return {
    probeFractions: (input, context) => images.hold(() => pixels.probeFractions(input, context)),
    packMasks: (input, context) => images.hold(() => pixels.packMasks(input, context)),
    cropMasks: (input, context) => images.hold(() => pixels.cropMasks(input, context)),
    countSamples: (input, context) => images.hold(() => pixels.countSamples(input, context)),
  };
}

function tooLarge(what: string): ViewerError {
  return new ViewerError('decode_memory_exceeded', `${what} too large to be drawn`);
}

function tooManyDrawn(frames: number): ViewerError {
  return new ViewerError(
    'layer_too_large',
    `${frames} frames lie over this picture, and more than ${MOST_DRAWN} of its pixels would be drawn`,
  );
}

function tooMany(mostBytes: number): ViewerError {
  return new ViewerError(
    'decode_memory_exceeded',
    `the masks of the segmentation take more than ${Math.floor(mostBytes / 2 ** 20)} MiB, the part of --memory for ` +
      'masks in planes; start with a larger --memory',
  );
}

const MOST_FRAMES = 256;
const MOST_SAMPLES = 32_000_000;

/**
 * Implements `probeFractionsTask`: a mask if no sample above 1 is found, in as many frames as are worth decoding. In an
 * object that really stores fractions, one of the first samples of the first segment shows it. In a damaged frame only
 * the rows that are as stored count, because the decoder made up the others.
 */
export async function probeFractions(
  images: ImageFiles,
  { file, frameCount }: FractionProbe,
  context: TaskContext,
): Promise<ProbedFractions> {
  let samplesSeen = 0;
  let hasOne = false;
  let damagedFrames = 0;
  for (let frame = 0; frame < Math.min(frameCount, MOST_FRAMES) && samplesSeen < MOST_SAMPLES; frame += 1) {
    context.throwIfCancelled();
    const { samples, isDamaged } = await readIntact(images, file, frame);
    if (isDamaged) damagedFrames++;
    for (let i = 0; i < samples.length; i++) {
      if (samples[i]! > 1) return { isMask: false, damagedFrames: 0 };
      if (samples[i] === 1) hasOne = true;
    }
    samplesSeen += samples.length;
  }
  return { isMask: hasOne, damagedFrames };
}

async function readIntact(images: ImageFiles, file: FractionProbe['file'], frame: number) {
  try {
    const { samples, damage, columns, samplesPerPixel } = await readFrame(images, { file, frame });
    if (damage === undefined) return { samples, isDamaged: false };
    return { samples: samples.subarray(0, damage.intactRows * columns * samplesPerPixel), isDamaged: true };
  } catch (error) {
    if (error instanceof ViewerError) return { samples: new Uint8Array(), isDamaged: true };
    throw error;
  }
}

/**
 * The amount in one frame by label (0 if the samples are not labels): number of samples, or the sum of their fractions.
 */
export function countFrame(samples: Uint8Array | Uint16Array, meaning: SampleMeaning): ReadonlyMap<number, number> {
  const counts = new Uint32Array(mostOf(samples) + 1);
  for (let i = 0; i < samples.length; i++) counts[samples[i]!]! += 1;
  const found = new Map<number, number>();
  for (let value = 1; value < counts.length; value++) {
    const count = counts[value]!;
    if (count === 0) continue;
    switch (meaning.kind) {
      case 'mask':
        found.set(0, (found.get(0) ?? 0) + count);
        break;
      case 'fractions':
        found.set(0, (found.get(0) ?? 0) + count * Math.min(1, value / meaning.maximum));
        break;
      case 'labels':
        if (!meaning.hidden.includes(value)) found.set(value, count);
        break;
    }
  }
  return found;
}

/** The same of a frame of which the bits are the mask. */
export function countMask(mask: BitFrame): {
  readonly damage: FrameDamage | undefined;
  readonly counts: ReadonlyMap<number, number>;
} {
  const count = countSetBits(mask);
  return { damage: mask.damage, counts: new Map(count === 0 ? [] : [[0, count]]) };
}
