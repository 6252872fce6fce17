import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/** Files that take longest. Started last, one of them would run alone at the end while all other processors wait. */
const SLOWEST = [
  'test/hostile/',
  'test/cli/',
  'test/fuzz/',
  'test/faults/',
  'test/repository/',
  'test/annotations/',
  'test/pixels/',
  'src/server/workers/',
  'src/server/pixels/cutStreams',
];

/** The order of Vitest, but the slowest files of each project come first, also where no earlier run was timed. */
export function slowFirst(): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's own, not that of an array
      const sorted = await super.sort(files);
      return sorted.toSorted((a, b) => compareProjects(a, b) || rankOf(a) - rankOf(b));
    }
  };
}

function compareProjects(a: TestSpecification, b: TestSpecification): number {
  return a.project.name.localeCompare(b.project.name);
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOWEST.findIndex((part) => moduleId.includes(`/${part}`));
  return rank === -1 ? SLOWEST.length : rank;
}
