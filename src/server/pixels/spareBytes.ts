/** Memory of a frame that has been encoded, for reuse by the next one. */
export type SpareBytes = {
  /** The memory is not handed out again until it is given back. */
  take(): Uint8Array;
  /** Takes back the whole buffer behind these bytes, which must no longer be used. */
  giveBack(bytes: Uint8Array): void;
};

const NONE = new Uint8Array(0);

/**
 * Reading into new memory takes three times as long, because the system has to find and clear it. Buffers larger than
 * `mostBytes` are not kept.
 */
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
