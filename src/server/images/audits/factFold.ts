import type { WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { FactKey, PackedFacts } from './factTasks.ts';
import type { FindingList } from './finding.ts';

export type FileFact = { readonly key: FactKey; readonly value: string };

/** Goes through the facts of all files, in the order of the files, and says what it has found in the end. */
export interface FactFold {
  take(file: DicomFile, facts: readonly FileFact[]): void;
  findings(list: FindingList): WorkInTurns<void>;
}

/** One that a limit may have cut. */
export type CutFold = FactFold & { readonly isCut: () => boolean };

/** The facts of one file of a batch. */
export function factsAt({ keys, values, pairs, ends }: PackedFacts, at: number): FileFact[] {
  const facts: FileFact[] = [];
  for (let place = ends[at - 1] ?? 0; place < ends[at]!; place += 2) {
    facts.push({ key: keys[pairs[place]!]!, value: values[pairs[place + 1]!]! });
  }
  return facts;
}

/** The value that a file says of itself; undefined if it says none. */
export function saidIn(facts: readonly FileFact[], keyword: string): string | undefined {
  return facts.find(({ key }) => key.kind === 'said' && key.keyword === keyword)?.value;
}
