import { fetchPresentation } from '../api/presentations.ts';
import { createFileAnswers } from '../layers/fileAnswers.ts';
import { definePart } from '../state/page.ts';
import { keepPresentation, toKnownPresentation } from '../state/presentations.ts';

/** What presentation states and key object selections say, requested once each, and again when all files are known. */
export const presentationAnswersOf = definePart((page) =>
  createFileAnswers(page, async (fileIndex, signal) => {
    const known = toKnownPresentation(await fetchPresentation(fileIndex, page.untilRestart(signal)));
    keepPresentation(page, known);
    return known;
  }),
);
