import { type FrameAddress, fetchThumbnail } from '../../kit/api/frames.ts';
import { createLoader } from '../../kit/loading/createLoader.ts';
import { waitForFirstImage } from '../../kit/state/firstImage.ts';
import { definePart } from '../../kit/state/page.ts';

/** Longer edge: twice the drawn size, for high-density screens. */
const SIZE_PX = 96;
const AT_ONCE = 2;
/** About 400 color pictures. */
const BUDGET_BYTES = 8 * 2 ** 20;

export type Thumbnails = {
  find(line: string): string | undefined;
  /** Calls `onReady` when the thumbnail is loaded. A request cancelled before its turn is never sent. */
  want(line: string, address: FrameAddress, onReady: () => void): () => void;
  clear(): void;
};

export type ThumbnailOptions = {
  readonly fetchPicture: typeof fetchThumbnail;
  /** Resolves when the connection to the server is free for thumbnails. */
  readonly untilFree: () => Promise<void>;
};

/** An object URL keeps its picture in memory until it is revoked. */
type Thumbnail = { readonly url: string; readonly bytes: number };

/** The pictures of lines in the explorer. A frame that cannot be drawn is requested once, whichever line shows it. */
export function createThumbnails({ fetchPicture, untilFree }: ThumbnailOptions): Thumbnails {
  let isHeld = true;
  const loader = createLoader<FrameAddress, Thumbnail>({
    keyOf: nameFrame,
    async load(address, { signal }) {
      const picture = await fetchPicture(address, SIZE_PX, { signal, isPrefetch: true });
      return { url: URL.createObjectURL(picture), bytes: picture.size };
    },
    bytesOf: ({ bytes }) => bytes,
    dispose: ({ url }) => URL.revokeObjectURL(url),
    budgetBytes: BUDGET_BYTES,
    pace: {
      admits: (_, { flights }) => !isHeld && flights.length < AT_ONCE,
      admitsPrefetch: () => false,
      keepsUnwanted: () => true,
    },
  });
  /**
   * The frame that a line shows. It is kept even if the line would now choose another, such as while its series grows.
   */
  const shown = new Map<string, FrameAddress>();

  const find = (line: string) => {
    const address = shown.get(line);
    const outcome = address && loader.find(address);
    return outcome?.status === 'ready' ? outcome.value.url : undefined;
  };

  const letGo = async () => {
    await untilFree();
    isHeld = false;
    // Starts the requests that were waiting.
    loader.retry([]);
  };
  void letGo();

  return {
    find,
    want(line, address, onReady) {
      const owner = Symbol(line);
      const show = () => {
        if (loader.find(address)?.status !== 'ready') return;
        shown.set(line, address);
        onReady();
      };
      // After a failure the line shows no picture; opening it shows the reason.
      const stop = loader.onOutcome((key) => {
        if (key === nameFrame(address)) show();
      });
      loader.want(owner, { now: [address], soon: [] });
      show();
      return () => {
        stop();
        loader.want(owner, { now: [], soon: [] });
      };
    },
    clear() {
      shown.clear();
      loader.clear();
    },
  };
}

function nameFrame({ fileIndex, frame }: FrameAddress): string {
  return `${fileIndex}/${frame}`;
}

export const thumbnailsOf = definePart((page) => {
  const thumbnails = createThumbnails({
    fetchPicture: fetchThumbnail,
    untilFree: () => waitForFirstImage(page, new AbortController().signal),
  });
  page.onRestartFirst(() => thumbnails.clear());
  return thumbnails;
});
