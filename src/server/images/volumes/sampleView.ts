import type { NumberSamples } from '../../../shared/sampleArray.ts';
import type { SampleStorage } from './volume.ts';

const BYTES = { uint8: 1, int8: 1, uint16: 2, int16: 2, uint32: 4, int32: 4, float32: 4, float64: 8 } as const;

export function bytesOfSample(storage: SampleStorage): number {
  return BYTES[storage];
}

export function isSignedStorage(storage: SampleStorage): boolean {
  return storage.startsWith('int');
}

export function isFloatStorage(storage: SampleStorage): boolean {
  return storage.startsWith('float');
}

/** Samples in memory; `start` and `length` count samples. */
export function viewSamples(
  storage: SampleStorage,
  buffer: ArrayBufferLike,
  start = 0,
  length?: number,
): NumberSamples {
  const offset = start * bytesOfSample(storage);
  switch (storage) {
    case 'uint8':
      return new Uint8Array(buffer, offset, length);
    case 'int8':
      return new Int8Array(buffer, offset, length);
    case 'uint16':
      return new Uint16Array(buffer, offset, length);
    case 'int16':
      return new Int16Array(buffer, offset, length);
    case 'uint32':
      return new Uint32Array(buffer, offset, length);
    case 'int32':
      return new Int32Array(buffer, offset, length);
    case 'float32':
      return new Float32Array(buffer, offset, length);
    case 'float64':
      return new Float64Array(buffer, offset, length);
  }
}
