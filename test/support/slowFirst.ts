import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/**
 * The slowest test files. If one of them started last, it would run alone at the end while all other processors idle.
 */
const SLOWEST = [
  'test/e2e/slide.test',
  'test/e2e/equalPictures',
  'test/e2e/explorer',
  'test/e2e/planes',
  'test/hostile/',
  'test/cli/',
  'test/fuzz/',
  'test/faults/',
  'test/repository/',
  'test/annotations/',
  'test/pixels/',
  'src/server/machine/workers/',
  'src/server/images/pixels/cutStreams',
];

/** In order. Changing the project takes a new process. The last project has the shortest files, so all end together. */
const PROJECTS = ['thorough', 'browser', 'fast', 'unit'];

/** Vitest's order, but with the slowest files of each project first, even without timings of an earlier run. */
export function slowFirst(): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      // oxlint-disable-next-line unicorn/no-array-sort -- this is the sequencer's method, not an array's
      const sorted = await super.sort(files);
      return sorted.toSorted((a, b) => compareProjects(a, b) || rankOf(a) - rankOf(b));
    }
  };
}

function compareProjects(a: TestSpecification, b: TestSpecification): number {
  return PROJECTS.indexOf(a.project.name) - PROJECTS.indexOf(b.project.name);
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOWEST.findIndex((part) => moduleId.includes(`/${part}`));
  return rank === -1 ? SLOWEST.length : rank;
}
