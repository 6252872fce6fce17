import type { DataSetInput } from '../server/dicom/writeDicom.ts';

/** A coded concept: value, coding scheme, meaning. PS3.3 8.8. */
export type CodeTriplet = readonly [value: string, scheme: string, meaning: string];

function codeItem([value, scheme, meaning]: CodeTriplet): DataSetInput {
  return { CodeValue: value, CodingSchemeDesignator: scheme, CodeMeaning: meaning };
}

export function codeSequence(...codes: readonly CodeTriplet[]): DataSetInput[] {
  return codes.map(codeItem);
}
