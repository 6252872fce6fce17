import { findCodeMeaning } from '../../standard/dicom/codeMeanings.ts';
import type { Attributes } from '../../standard/dicom/dataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';

/** Elements that name an object, the most telling first. */
const LABELS: readonly number[] = [
  0x00420010, // Document Title
  0x300a0002, // RT Plan Label
  0x30060002, // Structure Set Label
  0x30020002, // RT Image Label
  0x00720002, // Hanging Protocol Name
  0x00221095, // Implant Name
  0x300a0003, // RT Plan Name
  0x00700081, // Content Description
  0x00700080, // Content Label
  0x30100033, // User Content Label
];

/** The elements that `findContentTitle` reads. */
export const CONTENT_TITLE_TAGS: readonly number[] = [...LABELS, Tag.ConceptNameCodeSequence];

/** What an object calls itself: the title of a report or a PDF, the label of a plan, a structure set or a segmentation. */
export function findContentTitle(header: Attributes): string | undefined {
  for (const tag of LABELS) {
    const text = header.string(tag)?.trim();
    if (text !== undefined && text !== '') return text;
  }
  const concept = header.items(Tag.ConceptNameCodeSequence)[0];
  const meaning = concept?.string(Tag.CodeMeaning)?.trim() ?? '';
  if (meaning !== '') return meaning;
  return findCodeMeaning(concept?.string(Tag.CodeValue) ?? '', concept?.string(Tag.CodingSchemeDesignator) ?? '');
}

/** Of the title in a list of files. A Document Title may have a thousand characters. */
const MOST_CHARACTERS = 120;

/** The title in one short line. */
export function findShortTitle(header: Attributes): string | undefined {
  const title = findContentTitle(header)?.replaceAll(/\s+/g, ' ');
  if (title === undefined || title.length <= MOST_CHARACTERS) return title;
  // Not between the halves of a character.
  return `${title.slice(0, MOST_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
