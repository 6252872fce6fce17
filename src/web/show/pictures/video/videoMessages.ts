/** The name of the kind of pictures. */
export const VIDEO = { name: 'video' };

/** What the page asks the thread that decodes videos for. */
export type VideoRequest =
  | { readonly kind: 'open'; readonly id: number; readonly video: VideoAddress }
  | {
      readonly kind: 'frame';
      readonly id: number;
      readonly video: VideoAddress;
      readonly frame: number;
      /** The user waits for it; otherwise it may be needed next. */
      readonly isUrgent: boolean;
    }
  /** The frame of an earlier request is not needed any more. */
  | { readonly kind: 'cancel'; readonly id: number };

export type VideoAddress = {
  readonly fileIndex: number;
  readonly url: string;
  /** Such as the token, which a player could not send. */
  readonly headers: Readonly<Record<string, string>>;
};

/** What the stream itself says. */
export type VideoFacts = {
  readonly frames: number;
  /** The height of a pixel divided by its width; undefined if the stream has square pixels, or does not say. */
  readonly aspect: number | undefined;
};

export type VideoAnswer = { readonly id: number } & (
  | { readonly kind: 'open'; readonly facts: VideoFacts }
  | { readonly kind: 'frame'; readonly bitmap: ImageBitmap }
  /** `isForGood`: the browser does not decode this stream, so that asking again is of no use. */
  | { readonly kind: 'failed'; readonly message: string; readonly isForGood: boolean }
);
