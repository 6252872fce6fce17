import type { LabelClass } from '../../../../shared/contract/marks.ts';

type SegmentCode = NonNullable<LabelClass['type']>;
export type SegmentCodes = { readonly category: SegmentCode; readonly type: SegmentCode };

/** For classes without codes: the most general that says that it is a part of the body. */
const TISSUE: SegmentCode = { value: '85756007', scheme: 'SCT', meaning: 'Tissue' };

type KnownCodes = { readonly [Name in 'category' | 'type']?: SegmentCode | null | undefined };

/** What segments of a class are, in the words of a terminology. */
export function codesOfClass(labelClass: KnownCodes | null | undefined): SegmentCodes {
  return { category: labelClass?.category ?? TISSUE, type: labelClass?.type ?? TISSUE };
}

/** Tags of a segment are kept by 3D Slicer; this one has the class that the segment was. */
const CLASS_TAG = 'negato.class';

/** The tags of a segment as 3D Slicer writes them: each ends with a bar. */
export function writeSegmentTags(key: string | null, { category, type }: SegmentCodes): string {
  // The parts after the type are its modifier, and the region of the body with a modifier.
  const entry = [TYPES_OF_SLICER, toEntry(category), toEntry(type), NO_ENTRY, REGIONS_OF_SLICER, NO_ENTRY, NO_ENTRY];
  return `TerminologyEntry:${entry.join('~')}|${CLASS_TAG}:${encodeURIComponent(key ?? '')}|`;
}

const TYPES_OF_SLICER = 'Segmentation category and type - 3D Slicer General Anatomy list';
const REGIONS_OF_SLICER = 'Anatomic codes - DICOM master list';
const NO_ENTRY = '^^';

/** Separators of tags and codes, and line breaks, become spaces. */
function toEntry({ scheme, value, meaning }: SegmentCode): string {
  return [scheme, value, meaning].map((text) => text.replaceAll(/[\p{Cc}\\|~^]+/gu, ' ').trim()).join('^');
}

/** The key of the class, null for none. Undefined without the tag. */
export function findClassTag(tags: string | undefined): string | null | undefined {
  const tag = tags?.split('|').find((one) => one.startsWith(`${CLASS_TAG}:`));
  if (tag === undefined) return undefined;
  try {
    const key = decodeURIComponent(tag.slice(CLASS_TAG.length + 1));
    return key === '' ? null : key;
  } catch {
    return undefined;
  }
}
