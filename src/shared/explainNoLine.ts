import type { DeclaredValues, NamedReading } from './listFrameReadings.ts';

/** Why a mapping makes no values of a volume, whose samples are modality values; undefined if it does, or is no mapping. */
export function explainNoLine({ index, title, reading, isOfAllFrames }: NamedReading, { real_world }: DeclaredValues) {
  if (index === undefined || (isOfAllFrames && reading.ofModality !== undefined)) return undefined;
  if (real_world[index]?.in_stack === 'missing') return `the mapping “${title}” is not in all images`;
  const isTable = real_world[index]?.transform.kind === 'lut';
  const isAfterTable = !isTable && reading.ofModality === undefined;
  const why = isTable ? 'is a table' : isAfterTable ? 'is not of modality values' : 'differs from image to image';
  return `the mapping “${title}” ${why}`;
}
