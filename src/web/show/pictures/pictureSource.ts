import type { ComponentType, RefObject } from 'react';
import type { WindowChoice } from '../../../shared/chooseVoi.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { RawPresentation } from '../../../shared/contract/headers.ts';
import type { PlaneRun } from '../../../shared/contract/series.ts';
import type { ImagePlane } from '../../../shared/geometry.ts';
import type { FrameAddress } from '../../kit/api/frames.ts';
import type { CellAddress } from '../../kit/state/address.ts';
import type { Page } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import type { StackVolume } from '../../kit/state/volumes.ts';
import type { Point, ViewedImage } from '../../kit/state/viewState.ts';
import type { FrameLoader, FrameWish } from './frameLoader.ts';
import type { ProbedSample } from './probeFrame.ts';

/**
 * What a cell shows. Tools, marks, texts, links and the address ask the source, and never which kind of picture it is,
 * so that a new kind changes none of them.
 */
export interface PictureSource {
  /** What a cell keeps to find the source again. Unique among all kinds. */
  readonly id: string;
  /** Sources with the same name are one view in the history of the browser. */
  readonly viewName: string | undefined;
  /** The number of values of a cell's position. A slide has one for each tile, which selects the picture of that tile. */
  readonly positions: number;
  /** What changes from one position to the next. */
  readonly axes: readonly PositionAxis[];
  readonly traits: PictureTraits;
  /** What a user must know about it, such as missing slices. */
  readonly warnings: readonly PictureWarning[];
  /**
   * What distinguishes it from others of its series, such as the name of a plane; empty if nothing does. Absent: what
   * distinguishes its stack.
   */
  readonly caption?: string | undefined;
  /** How its pictures differ from stored ones, such as the thickness of a slab. Always written on them. */
  readonly reservation?: string | undefined;
  /** How its plane is drawn where it crosses other pictures. */
  readonly line?: { readonly name: string; readonly color: string; readonly slabMm: number } | undefined;
  /** Nothing is written or drawn over it: it shows all there is by itself, as a document does. */
  readonly isPaper?: boolean | undefined;
  /** Controls of its own, beside those of its position. */
  readonly Controls?: ComponentType<{ readonly cell: number }> | undefined;
  /** The unit of its modality values, if it is known without its file. */
  readonly unit?: string | undefined;
  /** Its modality values are real-world values already, which stored frames declare one by one. */
  readonly isRealWorld?: boolean | undefined;
  /** The stack of stored frames that it shows, for what concerns a whole stack, such as its warnings and its ROIs. */
  readonly stack: ViewStack | undefined;
  /** Draws the source in its cell. It reports what is on screen with `setReport`. */
  readonly Component: ComponentType<PictureProps>;
  /** The accessible name of its cell; empty if there is none. */
  label(): string;
  /** The size of the picture at a position; undefined if it is not known before the picture is loaded. */
  sizeOf(position: number): ViewedImage | undefined;
  /** The plane at a position, for orientation letters, the scale, measuring in millimetres and linked cells. */
  planeOf(position: number): PlaneRun | undefined;
  /** The stored frame at a position, for tags, ROIs and everything else that belongs to a file. */
  fileOf(position: number): FilePlace | undefined;
  /**
   * The stored frame whose header applies to a picture that is no stored frame: patient, series, modality. Absent if
   * each picture is a stored frame.
   */
  headerOf?(position: number): FilePlace | undefined;
  /** The samples of a picture that is no stored frame. */
  samplesOf?(position: number): FrameWish | undefined;
  /** Parts about which nothing is known, because slices are missing, as polygons in pixels of the picture. */
  holesOf?(position: number): readonly (readonly Point[])[];
  /** The plane of the patient at a position of a picture that is no stored frame: what layers are cut by. */
  patientPlaneOf?(position: number): PatientPlane | undefined;
  /**
   * Begins to turn the planes of other cells around the crosshair and the normal of this one; the returned function
   * takes the angle in radians, from rows to columns. Undefined if there is nothing to turn.
   */
  beginTurn?(cell: number): ((radians: number) => void) | undefined;
  /** Changes the thickness of its slab, in a cell that shows it. */
  setSlab?(cell: number, slabMm: number): void;
  /** The volume of which its pictures are made; absent for stored frames. All such pictures of a volume have one window. */
  readonly volume?: StackVolume | undefined;
  /** Set if its volume has times: which one it shows, and how a cell that shows it goes to another one. */
  readonly timed?: TimedPicture | undefined;
  /** Set for a plane whose pixels are samples of a volume at one time, without a slab. */
  readonly cutOf?: { readonly volume: StackVolume; readonly time: number } | undefined;
  /** Begins to turn the picture itself; the returned function takes the way of the pointer in CSS pixels. */
  beginSpin?(cell: number): (way: Point) => void;
  /** A position in words, if a number would not say what it is. */
  nameOf?(position: number): string;
  /** Whether the picture of another source may stay on the screen until that of this one is loaded. */
  continues?(other: PictureSource): boolean;
  /** The position of a stored frame. */
  positionOf(address: FrameAddress): number | undefined;
  /** How a link names the picture at a position; undefined if a link cannot name it. */
  addressOf(position: number): PictureAddress | undefined;
  /**
   * What to load for a position, the picture itself first. Empty if its component loads it another way, as that of a
   * slide, which needs the tiles of the visible part.
   */
  wishes(position: number, context: WishContext): readonly FrameWish[];
}

/** A family of sources. All kinds are in `pictureKinds.ts`. */
export interface PictureKind {
  readonly name: string;
  /** The source with this id; undefined if it is of another kind or not known yet. The same object each time. */
  open(page: Page, id: string): PictureSource | undefined;
  /** Finds what a link names. Absent if the links of another kind lead to its sources. */
  locate?(page: Page, address: PictureAddress): PicturePlace | undefined;
}

export type PictureTraits = {
  /** The wheel, the keys and the slider move through its positions. */
  readonly scrolls: boolean;
  /** Its positions can be played as a film. */
  readonly plays: boolean;
  /** Its positions are directions of view all around: a drag turns it, the wheel zooms, the first follows the last. */
  readonly turns: boolean;
  /** A drag moves the picture unless the user has chosen another tool; otherwise it changes the window. */
  readonly pans: boolean;
  /** Its pictures can share one window, which is chosen from samples of a few of them. */
  readonly sharesWindow: boolean;
  readonly measures: boolean;
  /** The positions are planes that lie anywhere in a volume, so scrolling moves the crosshair with them. */
  readonly cuts: boolean;
  /** Neighbouring pictures are loaded before they are wanted: all that may be needed soon, or the next few at rest. */
  readonly prefetches: boolean | 'few';
  /** Layers, such as segmentations, can lie over it. */
  readonly layers: boolean;
  /** What the stored frames of its stack are: a picture each, or the tiles of one picture. ROIs belong to them. */
  readonly frames: 'pictures' | 'tiles' | 'none';
};

export type PositionAxis = {
  readonly name: 'place';
  readonly unit: 'mm';
  /** Values of sources with the same frame of reference are comparable if their planes are parallel. */
  readonly frameOfReferenceUid: string | undefined;
  valueOf(position: number): number | undefined;
};

export type FilePlace = {
  readonly file: FileRecord;
  /** Counts from 0. */
  readonly frame: number;
};

export type PatientPlane = {
  readonly frameOfReferenceUid: string;
  /** The samples, and the slab around them, as the server is asked for them. */
  readonly query: string;
  /** Which of the times of its volume it shows. */
  readonly time: { readonly index: number; readonly count: number };
};

/** A plane of the patient. */
export type PatientGrid = {
  /** Empty if the files do not name one. */
  readonly frameOfReferenceUid: string;
  readonly plane: ImagePlane;
  /** Of the slab that is projected onto the plane; 0 for the plane itself. */
  readonly slabMm: number;
  /** Which of the times of its volume. */
  readonly time: number;
};

export type TimedPicture = {
  readonly volume: StackVolume;
  readonly time: number;
  setTime(cell: number, time: number): void;
};

export type PictureAddress = Pick<CellAddress, 'instance' | 'frameNumber' | 'plane'>;
export type PictureWarning = { readonly code: string; readonly message: string };

export type PicturePlace = { readonly id: string; readonly position: number };

export type WishContext = {
  readonly choice: WindowChoice;
  /** The window for pictures drawn by the server: that of the last pause, because each one is a request. */
  readonly restingChoice: WindowChoice;
  readonly loader: FrameLoader;
  /** The user passes from picture to picture, so a source may choose what loads sooner. */
  readonly isPassing: boolean;
  /** What the samples of the picture probably are, until they are loaded. */
  readonly expected: RawPresentation;
  /** The file of the presentation state that decides how the picture looks; the server applies it. */
  readonly state: number | undefined;
  /** The size of a small picture; called only where one is needed. */
  readonly previewSize: () => number;
};

export type PictureProps = {
  readonly cell: number;
  /** Set while the component is mounted, for the tools and the magnifier. */
  readonly pictureRef: RefObject<CellPicture | null>;
  /** The source that the cell shows now. A cell can change before its component does. */
  readonly getSource: () => PictureSource | undefined;
  /** The element for controls over the picture; null until it is there. */
  readonly readouts: HTMLElement | null;
  readonly controlsClass: string | undefined;
};

/** What a cell requires of the picture that it shows. */
export type CellPicture = {
  /** The sample at a point in CSS pixels; undefined outside the image. */
  probe(at: Point): ProbedSample | undefined;
  retry(): void;
  /**
   * Draws the surroundings of a point into a square canvas, with `zoom` device pixels per column. Returns false where
   * nothing is shown. Absent where there is no single frame.
   */
  magnify?(context: CanvasRenderingContext2D, at: Point, zoom: number): boolean;
};
