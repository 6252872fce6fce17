import type { Rgb } from '../../../shared/cielab.ts';
import type { FieldUnitKind, WireLayerPart } from '../../../shared/contract/layerAnswers.ts';
import type { PacketKind } from '../../../shared/contract/layers.ts';
import type { Code } from '../../../shared/contract/semantics.ts';
import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';
import type { Attachments } from '../../images/attachments/attachments.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { Frames } from '../../images/pixels/frames.ts';
import type { Wanted } from '../../images/pixels/keptWork.ts';
import type { References } from '../../images/references/references.ts';
import type { SeriesList } from '../../images/series/seriesList.ts';
import type { Volumes } from '../../images/volumes/volumes.ts';
import type { SlideContexts } from '../../images/wsi/slideContext.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { Clock } from '../../machine/workers/timeLimit.ts';
import type { LayerPlacement } from './placement.ts';

/** What providers work with. */
export type LayersInput = {
  readonly catalog: Catalog;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly frames: Pick<Frames, 'raw'>;
  readonly references: References;
  readonly series: Pick<SeriesList, 'findStack' | 'version'>;
  readonly volumes: Pick<Volumes, 'describe' | 'place' | 'raw' | 'use'>;
  readonly slides: Pick<SlideContexts, 'readLayout'>;
  readonly attachments: Attachments;
  /** Measures how long the work for an answer takes. */
  readonly clock?: Clock | undefined;
};

/** Of one layer: each frame of reference in which it is looked for takes a thread and memory. */
export const MOST_LAYER_SPACES = 64;

export type LayerOptions = { readonly signal: AbortSignal | undefined };

export type DescribeOptions = LayerOptions & {
  /** Leaves out what only reading all samples tells. */
  readonly isBrief?: boolean;
  /** Only images of these files are looked for below it. */
  readonly within?: ReadonlyMap<number, unknown>;
};

/**
 * The layers of one sort of object, such as segmentations. Where a layer lies is decided here, never in the page. Each
 * function may throw the reason why there is nothing to draw.
 */
export interface LayerProvider<Source = DicomFile, Description extends LayerDescription = LayerDescription> {
  describe(source: Source, options: DescribeOptions): Promise<Description>;
  /** The frame on which it has most, if its description does not tell, because all of it has to be read for that. */
  findFullest?(source: Source, options: LayerOptions): Promise<LayerTarget | undefined>;
  /** Finds what lies over a target. That may be nothing: its packet is then empty. */
  place(source: Source, target: LayerTarget, options: LayerOptions): Promise<PlacedLayer>;
  /** Finds what lies in a plane of the patient, which is in no file. */
  placeOnPlane(source: Source, target: PlaneTarget, options: LayerOptions): Promise<PlacedLayer>;
  /** Its own slices. Objects that have none, such as contours, have no such function. */
  ownSlices?(source: Source, options: LayerOptions): Promise<OwnSlices>;
  /** Finds what lies on a part of a slide. Objects that cannot lie on slides have no such function. */
  placeOnSlide?(source: Source, target: SlideTarget, options: LayerOptions): Promise<PlacedLayer>;
  /** Whether targets may name doses that its values are combined with. */
  readonly combinesDoses?: true;
}

/** The slices of a layer in space, where it has a grid of its own. */
export type OwnSlices = {
  readonly frameOfReferenceUid: string;
  readonly table: PositionTable;
  /** Those in which it has samples, ascending; the others of the table only say where slices would be. */
  readonly places: readonly number[];
};

/** A frame (from 0) of an image. */
export type LayerTarget = {
  readonly file: DicomFile;
  readonly frame: number;
  /** Numbers of the parts that are wanted; all if undefined. Kinds that cannot leave parts out send them all. */
  readonly parts?: readonly number[] | undefined;
  readonly added?: readonly AddedDose[] | undefined;
};

/** What the values of a dose are combined with. */
export type AddedDose = { readonly file: DicomFile; readonly sign: 1 | -1 };

/** A plane, or a slab around it, in the coordinates of a frame of reference. */
export type PlaneTarget = {
  readonly frameOfReferenceUid: string;
  readonly grid: PlaneGrid;
  /** Thickness of the slab; 0 for the plane itself. */
  readonly slabMm: number;
  readonly parts?: readonly number[] | undefined;
  readonly added?: readonly AddedDose[] | undefined;
};

/** A rectangle of the total pixel matrix of a slide image; (0, 0) is the upper left corner of its first pixel. */
export type SlideTarget = {
  /** Undefined for the image that the layer names. */
  readonly file: DicomFile | undefined;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Pixels of the slide for one pixel of the screen. */
  readonly pixel: number;
  readonly parts?: readonly number[] | undefined;
};

/** The part of a layer that lies over one target. */
export interface PlacedLayer {
  packet(wanted: Wanted): Promise<WrittenPacket>;
}

/** Values and coordinates in pixels of the target, never a picture: the page changes colors without a request. */
export type WrittenPacket = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly cached: boolean;
  /** Damage of the frames from which it was made. */
  readonly damage: FrameDamage | undefined;
};

export type LayerDescription = {
  /** What can be shown and hidden separately, such as segments. */
  readonly parts: readonly DescribedPart[];
  /** The frames (from 0) that it lies over, by file. */
  readonly targets: readonly TargetFrames[];
  /** The frame on which it has most, if that is known without more work: the largest contour, the most voxels, the highest dose. */
  readonly fullest?: LayerTarget | undefined;
  /** Slide images that it lies over as a whole, beside the frames above. */
  readonly slides?: readonly DicomFile[];
  /** Over the images above; if there are none, why. */
  readonly placement: LayerPlacement;
  /** The frames of reference of its coordinates, in which a target is looked for. */
  readonly frameOfReferenceUids: readonly string[];
  /** The frames of reference that it lies in, over registrations too; undefined for those above. */
  readonly spaces?: readonly LayerSpace[];
  /** What lies over no open image, grouped by reason and part. */
  readonly unplaced: readonly UnplacedParts[];
  readonly warnings: readonly LayerWarning[];
  /** What it is, in a few words. */
  readonly about?: string | undefined;
  readonly field?: DescribedField;
  /** How it is drawn, if that depends on its content; undefined for the kind of its object. */
  readonly kind?: PacketKind;
};

export type DescribedField = {
  readonly unit: string;
  readonly unitKind: FieldUnitKind;
  /** The lowest and highest value of the volume; undefined if unknown. */
  readonly range: readonly [number, number] | undefined;
  /** What 100 % may be, the best first. */
  readonly references: readonly ReferenceValue[];
  /** Doses: the open plan that it was computed for. */
  readonly plan?: { readonly file: DicomFile; readonly label: string | undefined };
  /** Values at which lines are drawn before the user changes them. */
  readonly levels: readonly number[];
  /** Names of its volumes, such as times or channels, of which one is shown; an empty one if there is only one. */
  readonly volumes: readonly string[];
  /** The volume that is shown at first. */
  readonly firstVolume: number;
};

export type ReferenceValue = {
  readonly value: number;
  readonly source: 'target_prescription' | 'maximum';
  readonly file: DicomFile | undefined;
  /** Names it: "target prescription of plan A". */
  readonly label: string;
};

export type LayerSpace = { readonly frameOfReferenceUid: string; readonly placement: LayerPlacement };

export type TargetFrames = { readonly file: DicomFile; readonly frames: readonly number[] };

export type UnplacedParts = { readonly reason: string; readonly part: number | undefined; readonly count: number };

export type LayerWarning = { readonly code: string; readonly message: string };

type NamedPart = {
  readonly number: number;
  readonly label: string | undefined;
  readonly color: Rgb;
  readonly colorSource: WireLayerPart['color_source'];
  readonly description?: string | undefined;
  readonly propertyCategory?: Code | undefined;
  /** Of a label map: what is no part of anything; it is never drawn. */
  readonly isBackground?: boolean;
  readonly propertyType?: Code | undefined;
};

/** What has shapes. */
type ShapedPart = NamedPart & {
  /** Their types. */
  readonly geometry: readonly string[];
  readonly extent: DescribedExtent;
};

export type DescribedPart =
  | (NamedPart & { readonly sort: 'segment'; readonly extent?: DescribedExtent })
  | (ShapedPart & {
      readonly sort: 'contours';
      readonly interpretedType: string | undefined;
      readonly count: number;
      /** Whether closed contours lie inside others, which are holes only by custom. */
      readonly isNested: boolean;
    })
  | (ShapedPart & {
      readonly sort: 'region';
      /** The content item of a report that describes it, such as `1.3.2`. */
      readonly item: string | undefined;
    })
  | (ShapedPart & {
      readonly sort: 'annotations';
      readonly measurements: readonly DescribedMeasurement[];
    });

export type PartOfSort<Sort extends DescribedPart['sort']> = Extract<DescribedPart, { readonly sort: Sort }>;

export type DescribedMeasurement = {
  readonly name: string;
  /** Symbol of the unit; empty if there is none. */
  readonly unit: string;
  /** Number of values that are given. */
  readonly count: number;
  /** The lowest and highest one; undefined if there are none. */
  readonly range: readonly [number, number] | undefined;
  /** Number of values in equal parts of the range; empty if there are none. */
  readonly bins: readonly number[];
};

export type DescribedExtent = {
  readonly volumeMm3: number | undefined;
  /** Its ends along the normal of the images, for each series that it lies over. */
  readonly ends: readonly { readonly first: LayerTarget; readonly last: LayerTarget }[];
  /** Why nothing is drawn. */
  readonly problem: string | undefined;
};
