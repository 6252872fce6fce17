/** Follows a thread that reads tables, and says when one part of a table has taken too long: a damaged page can make the reader run on without an end. */
export function createReadWatch(longestMs: number, onStuck: (part: string) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  return {
    /** `part` is read now; undefined: none is. */
    follow(part: string | undefined): void {
      stop();
      if (part !== undefined) timer = setTimeout(() => onStuck(part), longestMs);
    },
    stop,
  };
}
