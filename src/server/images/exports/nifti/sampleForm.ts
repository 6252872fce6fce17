import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { ArrayUnit } from '../../../../shared/contract/volumes.ts';
import { bytesOfSample, isFloatStorage, isSignedStorage } from '../../volumes/sampleView.ts';
import type { Rescale, SampleStorage } from '../../volumes/volume.ts';
import type { KnownVolume } from '../../volumes/volumeMemory.ts';

/** How samples are written. */
export type SampleForm = {
  readonly storage: SampleStorage;
  /** In the header of the file. */
  readonly rescale: Rescale;
  /** Of a frame of the volume, if it is applied before the samples are written. */
  readonly rescaleOf: (frame: number) => Rescale | undefined;
};

/**
 * Samples are written as stored, and the header has their rescale. It can have only one: with several, modality values are
 * written.
 */
export function findSampleForm({ sample }: KnownVolume): SampleForm {
  const { storage, bitsStored, rescale, rescales } = sample;
  if (rescale === undefined && rescales !== undefined) {
    const { slopes, intercepts } = rescales;
    const rescaleOf = (frame: number) => ({ slope: slopes[frame]!, intercept: intercepts[frame]! });
    return { storage: 'float32', rescale: { slope: 1, intercept: 0 }, rescaleOf };
  }
  // More programs read signed words, and values of 15 bits are the same in both.
  const written = storage === 'uint16' && bitsStored < 16 ? 'int16' : storage;
  return { storage: written, rescale: rescale ?? { slope: 1, intercept: 0 }, rescaleOf: () => undefined };
}

/** Samples are values. Integers stay integers if their rescale has none but integers. */
export function findValueForm(volume: KnownVolume): SampleForm {
  const form = findSampleForm(volume);
  const { slope, intercept } = form.rescale;
  if (slope === 1 && intercept === 0) return form;
  const storage = findValueStorage(volume, form.rescale);
  return { storage, rescale: { slope: 1, intercept: 0 }, rescaleOf: () => form.rescale };
}

function findValueStorage({ sample: { storage, bitsStored } }: KnownVolume, { slope, intercept }: Rescale) {
  const others = isLong(storage) ? 'float64' : 'float32';
  if (isFloatStorage(storage) || !Number.isInteger(slope) || !Number.isInteger(intercept)) return others;
  const bits = Math.min(bitsStored, 8 * bytesOfSample(storage));
  const [least, most] = isSignedStorage(storage) ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
  const ends = [least * slope + intercept, most * slope + intercept];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (low >= -(2 ** 15) && high < 2 ** 15) return 'int16';
  return low >= -(2 ** 31) && high < 2 ** 31 ? 'int32' : others;
}

/** The samples of an array in a unit. Those of SUV are rounded once, to floats of 32 bits, or of 64 if 32 are too few. */
export function findArrayForm(volume: KnownVolume, unit: ArrayUnit): SampleForm {
  const { storage, isModality, suvFactor: factor } = volume.sample;
  if (unit === 'modality') return findValueForm(volume);
  const rescale = { slope: 1, intercept: 0 };
  if (unit === 'stored') {
    if (!isModality) return { storage, rescale, rescaleOf: () => undefined };
    const message =
      'no stored samples: the images have a lookup table or samples of several types, so only values are common';
    throw new ViewerError('volume_unavailable', message);
  }
  if (factor === undefined) throw new RangeError('there is no SUV of these images');
  const form = findSampleForm(volume);
  const rescaleOf = (frame: number) => {
    const { slope, intercept } = form.rescaleOf(frame) ?? form.rescale;
    return { slope: slope * factor, intercept: intercept * factor };
  };
  return { storage: isLong(storage) ? 'float64' : 'float32', rescale, rescaleOf };
}

function isLong(storage: SampleStorage): boolean {
  return storage === 'float64' || storage === 'uint32' || storage === 'int32';
}
