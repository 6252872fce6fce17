/** Whether two lists have the same items in the same order. No list has the items of one that is not there. */
export function haveSameItems(a: readonly unknown[], b: readonly unknown[] | undefined): boolean {
  return a.length === b?.length && a.every((item, n) => item === b[n]);
}
