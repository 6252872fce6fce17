import { closeCohort, isCohortInFront, openAudits, openCohort } from '../../kit/state/cohortPlace.ts';
import type { Command } from '../../kit/state/commands.ts';
import { isBlindReview } from '../../kit/state/reviewNews.ts';

export const COHORT_COMMANDS: readonly Command[] = [
  {
    id: 'cohort.toggle',
    title: 'Table and gallery of all files, or back to the images',
    group: 'Tasks',
    keys: ['Alt+5'],
    worksEverywhere: true,
    run: (page) => (isCohortInFront(page) ? closeCohort(page) : openCohort(page)),
    isEnabled: (page) => !isBlindReview(page),
    isOn: isCohortInFront,
  },
  {
    id: 'cohort.audits',
    title: 'Audits: what is odd about all files together',
    group: 'Tasks',
    keys: [],
    worksEverywhere: true,
    run: openAudits,
    isEnabled: (page) => !isBlindReview(page),
  },
];
