import { findMasker, type Masker } from './masker.ts';

const LABEL_DIGITS = 6;

/** What is shown in place of a text: the same for the same text, and different for others. */
export function labelOf(masker: Masker, text: string): string {
  return `[masked ${masker.token(text, LABEL_DIGITS)}]`;
}

/** A text of a file that is no DICOM file, such as the name of an array; in a masked run, what is shown in its place. */
export function maskText(text: string): string {
  const masker = findMasker();
  return masker === undefined ? text : labelOf(masker, text);
}

/** The same in quotes, for messages. */
export function quoteText(text: string): string {
  return JSON.stringify(maskText(text));
}
