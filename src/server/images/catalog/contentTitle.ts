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
export const CONTENT_TITLE_TAGS: readonly number[] = [
  ...LABELS,
  Tag.ConceptNameCodeSequence,
  Tag.DoseSummationType,
  Tag.ReferencedRTPlanSequence,
];

/** What an object calls itself: the title of a report or a PDF, the label of a plan, a structure set or a segmentation. */
export function findContentTitle(header: Attributes): string | undefined {
  for (const tag of LABELS) {
    const text = header.string(tag)?.trim();
    if (text !== undefined && text !== '') return text;
  }
  const concept = header.items(Tag.ConceptNameCodeSequence)[0];
  const meaning = concept?.string(Tag.CodeMeaning)?.trim() ?? '';
  if (meaning !== '') return meaning;
  const code = concept?.string(Tag.CodeValue) ?? '';
  return findCodeMeaning(code, concept?.string(Tag.CodingSchemeDesignator) ?? '') ?? nameDose(header);
}

/** The part of a plan that a dose is of, PS3.3 C.8.8.3: the doses of all beams often have the same description. */
function nameDose(header: Attributes): string | undefined {
  const summation = header.string(Tag.DoseSummationType) ?? '';
  if (summation.startsWith('FRACTION')) return 'Dose of one fraction';
  const [noun, sequence, number] = summation.startsWith('BRACHY') ? APPLICATION : BEAM;
  if (!/^(?:BEAM|BRACHY|CONTROL_POINT)/.test(summation)) return undefined;
  const numbers = header
    .items(Tag.ReferencedRTPlanSequence)
    .flatMap((plan) => plan.items(Tag.ReferencedFractionGroupSequence))
    .flatMap((group) => group.items(sequence))
    .flatMap((item) => item.number(number) ?? []);
  if (numbers.length === 0) return `Dose of one ${noun}`;
  const [named, others] = [numbers.slice(0, MOST_BEAMS), numbers.length - MOST_BEAMS];
  return `Dose of ${noun}${numbers.length === 1 ? '' : 's'} ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

const BEAM = ['beam', Tag.ReferencedBeamSequence, Tag.ReferencedBeamNumber] as const;
const APPLICATION = [
  'application',
  Tag.ReferencedBrachyApplicationSetupSequence,
  Tag.ReferencedBrachyApplicationSetupNumber,
] as const;
const MOST_BEAMS = 8;

/** Of the title in a list of files. A Document Title may have a thousand characters. */
const MOST_CHARACTERS = 120;

/** The title in one short line. */
export function findShortTitle(header: Attributes): string | undefined {
  const title = findContentTitle(header)?.replaceAll(/\s+/g, ' ');
  if (title === undefined || title.length <= MOST_CHARACTERS) return title;
  // Not between the halves of a character.
  return `${title.slice(0, MOST_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
