import { fetchPresentation } from '../api/presentations.ts';
import { createFileAnswers } from '../layers/fileAnswers.ts';
import { definePart } from '../state/page.ts';
import { keepPresentation, prepareKnown } from '../state/presentations.ts';
import { runInSlices } from '../ui/runInSlices.ts';

/** What presentation states and key object selections say, requested once each, and again when all files are known. */
export const presentationAnswersOf = definePart((page) =>
  createFileAnswers(page, async (fileIndex, signal) => {
    const ending = page.untilRestart(signal);
    const response = await fetchPresentation(fileIndex, ending);
    const known = await runInSlices(prepareKnown(response), () => !ending.aborted);
    if (known === undefined) throw ending.reason;
    keepPresentation(page, known);
    return known;
  }),
);
