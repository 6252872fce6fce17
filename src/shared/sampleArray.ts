/** Samples of one frame as stored: padding bits cleared, sign extended, color-by-pixel. */
export type SampleArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigUint64Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

export type NumberSamples = Exclude<SampleArray, BigUint64Array | BigInt64Array>;

/** Integers of at most 16 bits, for which a table can hold the result for every possible sample. */
export type SmallSamples = Uint8Array | Int8Array | Uint16Array | Int16Array;

export function isFloatSamples(samples: SampleArray): samples is Float32Array | Float64Array {
  return samples instanceof Float32Array || samples instanceof Float64Array;
}

export function isSmallSamples(samples: SampleArray): samples is SmallSamples {
  return (
    samples instanceof Uint16Array ||
    samples instanceof Int16Array ||
    samples instanceof Uint8Array ||
    samples instanceof Int8Array
  );
}

export function isSignedSamples(samples: SmallSamples): boolean {
  return samples instanceof Int16Array || samples instanceof Int8Array;
}

/** Writes a function of each sample. The `from` of typed arrays makes a list of objects first, which takes 200 MB for 4 million. */
export function mapSamples<Sample, Target extends NumberSamples>(
  samples: ArrayLike<Sample>,
  target: Target,
  map: (sample: Sample) => number,
): Target {
  for (let at = 0; at < samples.length; at++) target[at] = map(samples[at]!);
  return target;
}

/** Converts 64-bit integers to numbers. They are rounded beyond 2^53, which is accurate enough for display. */
export function toNumberSamples(samples: SampleArray): NumberSamples {
  if (samples instanceof BigInt64Array || samples instanceof BigUint64Array) {
    return mapSamples<bigint, Float64Array<ArrayBuffer>>(samples, new Float64Array(samples.length), Number);
  }
  return samples;
}

/** The same bytes with each sample read as unsigned: an index into a table of 2^bits entries. */
export function toTableIndices(samples: SmallSamples): Uint8Array | Uint16Array {
  const { buffer, byteOffset, length } = samples;
  if (samples instanceof Int16Array) return new Uint16Array(buffer, byteOffset, length);
  if (samples instanceof Int8Array) return new Uint8Array(buffer, byteOffset, length);
  return samples;
}
