import type { FileRows } from '../catalog/packedFile.ts';
import type { ReadGeometry } from './geometryReader.ts';

/** To the thread that builds the series. It does one after the other, in the order in which they come. */
export type SeriesRequest =
  /** Files that follow those that came before. */
  | { readonly kind: 'files'; readonly rows: FileRows }
  | { readonly kind: 'place'; readonly fileIndex: number; readonly geometry: ReadGeometry }
  /** Brings the series up to date, and asks for the first piece of an answer. */
  | ({ readonly kind: 'begin'; readonly answer: number } & AnswerMoment)
  | { readonly kind: 'continue'; readonly answer: number }
  /** Nobody wants the rest. */
  | { readonly kind: 'drop'; readonly answer: number };

/** What an answer says of the moment that it is of. */
export type AnswerMoment = {
  readonly scanComplete: boolean;
  /** False while places of frames are still being read: those files come in the order in which they are stored. */
  readonly geometryComplete: boolean;
};

/** The next piece of an answer, in UTF-8. */
export type SeriesReply = {
  readonly answer: number;
  readonly piece: Uint8Array<ArrayBuffer>;
  readonly isLast: boolean;
};
