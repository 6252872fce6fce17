import type { FileFacts } from '../catalog/fileNews.ts';
import type { ReadGeometry } from './geometryReader.ts';
import type { GeometryFinding } from './inspectGeometry.ts';
import type { KeyFrames } from './keyFrames.ts';
import type { LargeStack, PackedStack } from './stackRecord.ts';

/** Messages to the thread that builds the series, processed in order of arrival. */
export type SeriesRequest =
  /** The first message: from here on there are no files. */
  | { readonly kind: 'start' }
  | FileFacts
  | { readonly kind: 'place'; readonly fileIndex: number; readonly geometry: ReadGeometry }
  /** Updates the series, and requests the first piece of a response. */
  | ({ readonly kind: 'begin'; readonly answer: number } & AnswerMoment)
  | { readonly kind: 'continue'; readonly answer: number }
  /** Requests the stack that contains a frame of a file; without `frame`, the first of its frames that is in one. */
  | ({ readonly kind: 'stack'; readonly answer: number } & WantedStack)
  /** Requests the frames that stand for a series. */
  | ({ readonly kind: 'keyFrames'; readonly answer: number } & WantedKeyFrames)
  /** Requests what is odd about the geometry of some series. */
  | ({ readonly kind: 'inspect'; readonly answer: number } & WantedInspection)
  /** The rest of the response is no longer needed. */
  | { readonly kind: 'drop'; readonly answer: number };

export type WantedStack = {
  readonly fileIndex: number;
  readonly frame: number | undefined;
  /** With the frames of all stacks that may be one volume with it. */
  readonly isJoint: boolean;
};

/** What a response states about the moment it reflects. */
export type AnswerMoment = {
  readonly scanComplete: boolean;
  /** False while frame positions are still being read: the frames of those files are in stored order. */
  readonly geometryComplete: boolean;
};

export type WantedKeyFrames = {
  readonly studyInstanceUid: string;
  readonly seriesInstanceUid: string;
  /** Number of pictures. */
  readonly wanted: number;
};

/** Series in the order of the list, from the given number on, as many as fit into a short time. */
export type WantedInspection = { readonly from: number };

export type SeriesReply = SeriesPiece | FoundStack | FoundKeyFrames | InspectedSeries;

export type InspectedSeries = {
  readonly answer: number;
  readonly findings: readonly GeometryFinding[];
  /** Where the next part begins; `total` after the last one. */
  readonly next: number;
  readonly total: number;
};

/** The stack that was requested; undefined if the frame is in no stack. */
export type FoundStack = { readonly answer: number; readonly stack: PackedStack | LargeStack | undefined };

/** Undefined if there is no such series. */
export type FoundKeyFrames = { readonly answer: number; readonly keyFrames: KeyFrames | undefined };

/** The next piece of a response, in UTF-8; undefined after the last one. */
export type SeriesPiece = { readonly answer: number; readonly piece: Uint8Array<ArrayBuffer> | undefined };
