import { closeCohort, isCohortInFront, openCohort } from '../../kit/state/cohortPlace.ts';
import type { Command } from '../../kit/state/commands.ts';

export const COHORT_COMMANDS: readonly Command[] = [
  {
    id: 'cohort.toggle',
    title: 'Table and gallery of all files, or back to the images',
    group: 'Tasks',
    keys: ['Alt+5'],
    worksEverywhere: true,
    run: (page) => (isCohortInFront(page) ? closeCohort(page) : openCohort(page)),
    isOn: isCohortInFront,
  },
];
