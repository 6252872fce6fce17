/** Waits for a condition that becomes true asynchronously. The timeout of the test ends the wait. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((next) => setTimeout(next, 5));
}
