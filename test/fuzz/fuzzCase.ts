import { ViewerError } from '../../src/shared/contract/errors.ts';
import type { BaseFile } from './baseFiles.ts';
import { MUTATIONS } from './mutate.ts';
import { createRandom } from './random.ts';
import { findStructure, type Structure } from './structure.ts';

export type FuzzCase = {
  readonly seed: number;
  readonly number: number;
  /** The name of the base file and the mutations. */
  readonly story: string;
  readonly bytes: Uint8Array;
};

const NAMES = Object.keys(MUTATIONS);

/** Returns the same bytes for the same seed, number and base files. */
export function buildCase(seed: number, number: number, bases: readonly BaseFile[]): FuzzCase {
  const random = createRandom(seed, number);
  const base = random.pick(bases);
  const other = random.pick(bases).bytes;
  const story = [base.name];
  let bytes = base.bytes;
  for (let rounds = 1 + random.below(3); rounds > 0; rounds -= 1) {
    const structure = bytes === base.bytes ? base.structure : tryStructure(bytes);
    if (structure === undefined) break;
    const name = random.pick(NAMES);
    const mutated = MUTATIONS[name]?.({ bytes: bytes.slice(), structure, other, random });
    if (mutated === undefined || mutated.length === 0) continue;
    bytes = mutated;
    story.push(name);
  }
  return { seed, number, story: story.join(' + '), bytes };
}

function tryStructure(bytes: Uint8Array): Structure | undefined {
  try {
    return findStructure(bytes);
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}
