/** Indices of files by a UID. */
export class FilesByUid {
  // A plain number in nearly all cases: a list for each of 100,000 files would take ten times the memory.
  readonly #files = new Map<string, number | number[]>();

  add(uid: string, file: number): void {
    const known = this.#files.get(uid);
    if (known === undefined) this.#files.set(uid, file);
    else if (typeof known === 'number') this.#files.set(uid, [known, file]);
    else known.push(file);
  }

  /** In the order in which they were added. */
  find(uid: string): readonly number[] {
    const found = this.#files.get(uid);
    return found === undefined ? [] : typeof found === 'number' ? [found] : found;
  }
}
