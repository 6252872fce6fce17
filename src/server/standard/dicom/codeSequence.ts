import type { DataSetInput } from './dataSetInput.ts';

/** A coded concept: value, coding scheme, meaning. PS3.3 8.8. */
export type CodeTriplet = readonly [value: string, scheme: string, meaning: string];

/** Longer codes have an element of their own. PS3.3 8.1. */
const LONGEST_CODE = 16;

function codeItem([value, scheme, meaning]: CodeTriplet): DataSetInput {
  const code = value.length > LONGEST_CODE ? { LongCodeValue: value } : { CodeValue: value };
  return { ...code, CodingSchemeDesignator: scheme, CodeMeaning: meaning };
}

export function codeSequence(...codes: readonly CodeTriplet[]): DataSetInput[] {
  return codes.map(codeItem);
}
