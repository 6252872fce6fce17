import type { StackTrait, StackTraitName } from '../../../shared/contract/series.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';

/** Describes what distinguishes a stack from the others of its series; empty if it is the only one. */
export function describeDistinction({ distinction = [] }: Pick<ViewStack, 'distinction'>): string {
  return distinction
    .map(describeTrait)
    .filter((text) => text !== '')
    .join(' · ');
}

/** The shortest name that is unique among the stacks of the series; for copies it is the file name. */
export function nameStack(stack: Pick<ViewStack, 'distinction'>): string {
  return stack.distinction?.find(({ name }) => name === 'file_name')?.value ?? describeDistinction(stack);
}

const TEXTS: Readonly<Record<StackTraitName, (value: string) => string>> = {
  image_type: (value) => value.toLowerCase().replaceAll('_', ' '),
  orientation: (value) => value,
  echo: (value) => `echo ${value}`,
  b_value: (value) => `b ${value} s/mm²`,
  phase: (value) => `phase ${value}`,
  sop_class: (value) => value.replace(/ Storage\b/, ''),
  frame_of_reference: (value) => `frame of reference ${value}`,
  // The size is shown for every stack anyway.
  matrix: () => '',
  instance_number: (value) => `#${value}`,
  // Shortens `JPEG Lossless, Non-Hierarchical, First-Order Prediction (Process 14 …)` to `JPEG Lossless, First-Order
  // Prediction`.
  transfer_syntax: (value) => value.replace(/, Non-Hierarchical| Image Compression| \(Process.*$/g, ''),
  file_name: (value) => value,
};

function describeTrait({ name, value }: StackTrait): string {
  return TEXTS[name](value);
}
