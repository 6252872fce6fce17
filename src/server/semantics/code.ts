import type { Code } from '../../shared/contract/semantics.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import * as Tag from '../dicom/tag.ts';

export type { Code };

/** The first item of a code sequence, PS3.3 8.8. */
export function findCode(attributes: Attributes | undefined, sequence: number): Code | undefined {
  const item = attributes?.items(sequence)[0];
  const value = item && (item.string(Tag.CodeValue) ?? item.string(Tag.LongCodeValue) ?? item.string(Tag.URNCodeValue));
  if (item === undefined || value === undefined) return undefined;
  return {
    value,
    scheme: item.string(Tag.CodingSchemeDesignator) ?? '',
    meaning: item.string(Tag.CodeMeaning) ?? '',
  };
}

export const CODE_TAGS: readonly number[] = [
  Tag.CodeValue,
  Tag.LongCodeValue,
  Tag.URNCodeValue,
  Tag.CodingSchemeDesignator,
  Tag.CodeMeaning,
];
