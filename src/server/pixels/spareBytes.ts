/** Memory of a frame that became a picture, for the next one. */
export type SpareBytes = {
  /** Nobody else gets it until it is given back. */
  take(): Uint8Array;
  /** All the memory behind these bytes, which nobody may use any more. */
  giveBack(bytes: Uint8Array): void;
};

const NONE = new Uint8Array(0);

/** To read into new memory takes three times as long: the system has to find and clear it. Larger memory is not kept. */
export function createSpareBytes(mostBytes: number): SpareBytes {
  let kept = NONE;
  return {
    take() {
      const taken = kept;
      kept = NONE;
      return taken;
    },
    giveBack({ buffer }) {
      if (buffer.byteLength <= mostBytes && buffer instanceof ArrayBuffer) kept = new Uint8Array(buffer);
    },
  };
}
