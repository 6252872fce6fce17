import { type Decision, isDecided } from './verdictLine.ts';

/** The last decision of each reader about each unit. */
export class Decisions {
  /** By number of unit. */
  readonly #byUnit: (Decision[] | undefined)[] = [];
  readonly #readers = new Set<string>();
  /** Units of which anything was ever said. */
  readonly #units: number[] = [];

  /** Readers who have said anything. */
  get readers(): ReadonlySet<string> {
    return this.#readers;
  }

  get units(): readonly number[] {
    return this.#units;
  }

  put(unit: number, decision: Decision): void {
    this.#readers.add(decision.reader);
    const all = this.#byUnit[unit];
    if (all === undefined) {
      // Numbers come in any order, and an array with holes is slow.
      while (this.#byUnit.length < unit) this.#byUnit.push(undefined);
      this.#byUnit[unit] = [decision];
      this.#units.push(unit);
      return;
    }
    const at = all.findIndex(({ reader }) => reader === decision.reader);
    if (at === -1) all.push(decision);
    else all[at] = decision;
  }

  /** What a reader has said last; undefined if that is nothing. */
  find(unit: number, reader: string): Decision | undefined {
    const found = this.#byUnit[unit]?.find((one) => one.reader === reader);
    return found !== undefined && isDecided(found) ? found : undefined;
  }

  /** What all readers but one have said last, by name. */
  others(unit: number, reader: string): readonly Decision[] {
    const all = (this.#byUnit[unit] ?? []).filter((one) => one.reader !== reader && isDecided(one));
    return all.toSorted((a, b) => (a.reader < b.reader ? -1 : 1));
  }

  /** Whether readers differ, apart from one who decides between them. */
  differ(unit: number, judge: string): boolean {
    const [first, ...rest] = this.others(unit, judge);
    return first !== undefined && rest.some((one) => differs(first, one));
  }
}

/** Verdicts decide it. Where neither has one, scores do that both have given. */
export function differs(a: Decision, b: Decision): boolean {
  if (a.verdict !== null || b.verdict !== null) return a.verdict !== b.verdict;
  return Object.entries(a.scores).some(([id, score]) => b.scores[id] !== undefined && b.scores[id] !== score);
}
