import type { Code } from '../../../shared/contract/semantics.ts';
import { findCodeMeaning } from './codeMeanings.ts';
import type { Attributes } from './dataSet.ts';
import * as Tag from './tag.ts';

export type { Code };

/** The first item of a code sequence, PS3.3 8.8. A code of the standard that has no meaning gets the standard's. */
export function findCode(attributes: Attributes | undefined, sequence: number): Code | undefined {
  const item = attributes?.items(sequence)[0];
  const value = item && (item.string(Tag.CodeValue) ?? item.string(Tag.LongCodeValue) ?? item.string(Tag.URNCodeValue));
  if (item === undefined || value === undefined) return undefined;
  const scheme = item.string(Tag.CodingSchemeDesignator) ?? '';
  const meaning = item.string(Tag.CodeMeaning) ?? '';
  return { value, scheme, meaning: meaning === '' ? (findCodeMeaning(value, scheme) ?? '') : meaning };
}

export const CODE_TAGS: readonly number[] = [
  Tag.CodeValue,
  Tag.LongCodeValue,
  Tag.URNCodeValue,
  Tag.CodingSchemeDesignator,
  Tag.CodeMeaning,
];
