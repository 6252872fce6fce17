/**
 * Maps all items, a few at the same time, because each waits for files and threads by turns. Keeps their order. After the
 * first failure nothing further begins: the client has gone, or gets that failure.
 */
export async function mapInLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
  lanes = LANES,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    try {
      for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!, at);
    } finally {
      next = items.length;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

const LANES = 4;
