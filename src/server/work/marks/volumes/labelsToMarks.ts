import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { FormatReading, transferReading } from '../formats/formatReading.ts';
import type { ReadFormatOutput } from '../formats/formatTasks.ts';
import type { LabelsToMarksInput } from './labelTasks.ts';
import { addLabelMark, createRunLimit, cutLabelMasks } from './readLabels.ts';

/** Implements `labelsToMarksTask`: a mask for each part of a layer, of the class that the part is called. */
export async function labelsToMarks(input: LabelsToMarksInput, context: TaskContext): Promise<ReadFormatOutput> {
  const { volumes, names, volumeOf, frames, ranks } = input;
  const { Check, Errors } = await import('typebox/value');
  const reading = new FormatReading({ Check, Errors }, context);
  const count = createRunLimit(context);
  const cut = volumes.map((samples) => cutLabelMasks(samples, names.length, input, count));
  // In the order of the parts, whichever volumes they are in.
  for (const [at, name] of names.entries()) {
    const channel = volumeOf[at + 1]!;
    const { title, color, codes, value } = name;
    const found = { channel, value, title, color, codes, key: undefined };
    const ofPart = { title, value, name: found, slices: cut[channel]![at]!, isNamed: true };
    reading.attempt(title, () => addLabelMark(reading, ofPart, { ranks, frames }));
  }
  return transferReading(reading, context);
}
