import { buildImagePlane } from '../../shared/geometry.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import { type KnownFile, withSameFile } from '../dicom/openSameFile.ts';
import * as Tag from '../dicom/tag.ts';
import { eachFrame, findMacro, type FrameAttributes } from '../dicom/eachFrame.ts';
import { createPlaneColumns, type PlaneColumns, putPlane } from './planeColumns.ts';
import { createSlidePlanes, SLIDE_TAGS, SLIDE_TAGS_IN_GROUPS, type SlidePlane } from './slidePlanes.ts';

/** Where the frames of one object lie. */
export type FramePlanes = {
  readonly planes: PlaneColumns;
  readonly frameOfReferenceUid: string | undefined;
  /** How far each frame may lie from another plane and still be in it. */
  readonly toleranceMm: Float64Array<ArrayBuffer>;
  /** Spacing Between Slices (0018,0088), where all frames declare the same above 0. */
  readonly declaredSpacingMm: number | undefined;
  /** The planes are those of a slide, and not of a patient. */
  readonly isSlide: boolean;
};

/** Top-level elements that a `FramePlanesBuilder` asks for. */
export const PLANE_TAGS: readonly number[] = [
  Tag.ImagePositionPatient,
  Tag.ImageOrientationPatient,
  Tag.PixelSpacing,
  Tag.SliceThickness,
  Tag.SpacingBetweenSlices,
  Tag.FrameOfReferenceUID,
  Tag.Rows,
  Tag.Columns,
  ...SLIDE_TAGS,
];

export const PLANE_TAGS_IN_GROUPS: readonly number[] = [
  Tag.PlanePositionSequence,
  Tag.PlaneOrientationSequence,
  Tag.PixelMeasuresSequence,
  Tag.ImagePositionPatient,
  Tag.ImageOrientationPatient,
  Tag.PixelSpacing,
  Tag.SliceThickness,
  Tag.SpacingBetweenSlices,
  ...SLIDE_TAGS_IN_GROUPS,
];

const LEAST_TOLERANCE_MM = 1e-3;
const TOLERANCE_OF_SPACING = 0.01;

export class FramePlanesBuilder {
  readonly #planes: PlaneColumns;
  readonly #toleranceMm: Float64Array<ArrayBuffer>;
  readonly #declaredSpacings = new Set<number | undefined>();
  #frameOfReferenceUid: string | undefined;
  #slide: SlidePlane | undefined;
  // Mostly all frames share these; decoding them again for each of thousands would take most of the time.
  readonly #measuresOf = rememberLast(readMeasures);
  readonly #orientationOf = rememberLast((dataSet) => dataSet.numbers(Tag.ImageOrientationPatient, 6));

  constructor(frameCount: number) {
    this.#planes = createPlaneColumns(frameCount);
    this.#toleranceMm = new Float64Array(frameCount).fill(LEAST_TOLERANCE_MM);
  }

  /** Frames one after the other, beginning with the first. */
  take(attributes: FrameAttributes): void {
    const { frame, own, dataSet } = attributes;
    if (frame === 0) {
      this.#frameOfReferenceUid = dataSet.string(Tag.FrameOfReferenceUID);
      this.#slide = createSlidePlanes(dataSet);
    }
    const measures = this.#measuresOf(findMacro(attributes, Tag.PixelMeasuresSequence) ?? dataSet);
    const { pixelSpacing, toleranceMm } = measures;
    // At the top level stands the position of the first frame.
    const position = findMacro(attributes, Tag.PlanePositionSequence) ?? (frame === 0 ? dataSet : undefined);
    const orientation = this.#orientationOf(findMacro(attributes, Tag.PlaneOrientationSequence) ?? dataSet);
    const plane = buildImagePlane(position?.numbers(Tag.ImagePositionPatient, 3), orientation, pixelSpacing);
    putPlane(this.#planes, frame, plane ?? this.#slide?.(frame, pixelSpacing, own));
    this.#toleranceMm[frame] = toleranceMm;
    this.#declaredSpacings.add(measures.declaredSpacingMm);
  }

  build(): FramePlanes {
    const [declared, ...others] = this.#declaredSpacings;
    return {
      planes: this.#planes,
      frameOfReferenceUid: this.#frameOfReferenceUid,
      toleranceMm: this.#toleranceMm,
      declaredSpacingMm: others.length === 0 ? declared : undefined,
      isSlide: this.#slide !== undefined,
    };
  }
}

function readMeasures(measures: Attributes) {
  const declaredSpacingMm = measures.number(Tag.SpacingBetweenSlices);
  const spacingMm = declaredSpacingMm ?? measures.number(Tag.SliceThickness) ?? 0;
  return {
    pixelSpacing: measures.numbers(Tag.PixelSpacing, 2),
    declaredSpacingMm: declaredSpacingMm !== undefined && declaredSpacingMm > 0 ? declaredSpacingMm : undefined,
    toleranceMm: Math.max(LEAST_TOLERANCE_MM, TOLERANCE_OF_SPACING * Math.abs(spacingMm)),
  };
}

function rememberLast<Result>(read: (dataSet: Attributes) => Result): (dataSet: Attributes) => Result {
  let last: { readonly dataSet: Attributes; readonly result: Result } | undefined;
  return (dataSet) => {
    if (last?.dataSet !== dataSet) last = { dataSet, result: read(dataSet) };
    return last.result;
  };
}

/** Reads no value but those that say where the frames lie. */
export function readFramePlanes(file: KnownFile, frameCount: number): FramePlanes {
  return withSameFile(file, (source) => {
    const builder = new FramePlanesBuilder(frameCount);
    const options = { frameCount, wanted: PLANE_TAGS, wantedInGroups: PLANE_TAGS_IN_GROUPS };
    for (const attributes of eachFrame(source, options)) builder.take(attributes);
    return builder.build();
  });
}
