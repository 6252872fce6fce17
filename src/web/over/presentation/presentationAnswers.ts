import { fetchPresentation } from '../../kit/api/presentations.ts';
import { createFileAnswers } from '../layers/fileAnswers.ts';
import { definePart } from '../../kit/state/page.ts';
import { keepPresentation, prepareKnown } from '../../kit/state/presentations.ts';
import { runInSlices } from '../../kit/ui/runInSlices.ts';

/** What presentation states and key object selections say, requested once each, and again when all files are known. */
export const presentationAnswersOf = definePart((page) =>
  createFileAnswers(page, async (fileIndex, signal) => {
    const response = await fetchPresentation(fileIndex, signal);
    const known = await runInSlices(prepareKnown(response), () => !signal.aborted);
    if (known === undefined) throw signal.reason;
    keepPresentation(page, known);
    return known;
  }),
);
