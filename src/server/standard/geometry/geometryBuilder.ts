import {
  buildOrientation,
  type ImagePlane,
  patientToPixel,
  type PixelPosition,
  pixelToPatient,
  type PlaneOrientation,
  type PlaneSpace,
  type Vector3,
} from '../../../shared/geometry.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import { findMacro, type FrameAttributes } from '../dicom/eachFrame.ts';
import * as Tag from '../dicom/tag.ts';
import type { FrameGeometry, GeometryDoubt, GeometryDoubtCode } from './frameGeometry.ts';
import { findDosePlanes, findReconstructedSlices, type OffsetPlanes } from './frameOffsets.ts';
import {
  checkNumbers,
  findOrientationItem,
  findPositionItem,
  hasOwn,
  readOrientation,
  readPosition,
  rememberLast,
} from './framePlace.ts';
import { GeometryColumns } from './geometryColumns.ts';
import { type PixelMeasures, readPixelMeasures } from './pixelSpacing.ts';
import { isMosaicImage } from './mosaicType.ts';
import {
  findSlideOffset,
  findTilePlace,
  findTileRaster,
  readSlideMatrix,
  type SlideMatrix,
  tileAt,
} from './slideMatrix.ts';

/** What an object as a whole says about the positions of its frames. */
type ObjectPlaces = {
  readonly space: PlaneSpace;
  readonly frameOfReferenceUid: string | undefined;
  readonly hasGroups: boolean;
  readonly slide: SlideMatrix | undefined;
  /** Planes from a list of offsets, for objects without per-frame functional groups. */
  readonly offsets: OffsetPlanes | undefined;
  readonly isDoseGrid: boolean;
  /** The frame shows several slices, which lie elsewhere. */
  readonly isMosaic: boolean;
};

/** Reads the positions of the frames of any kind of object, one frame at a time, starting with the first. */
export class GeometryBuilder {
  readonly #length: number;
  readonly #columns: GeometryColumns;
  readonly #doubts = new Map<GeometryDoubtCode, { frameCount: number; readonly firstFrame: number }>();
  #object: ObjectPlaces | undefined;
  #isSpatial = false;
  // Most frames share these with the previous frame; decoding them for each of thousands would take most of the time.
  #measuresOf: (item: Attributes | undefined) => PixelMeasures = () => NO_MEASURES;
  readonly #orientationOf = rememberLast((item) => judgeOrientation(readOrientation(item)));
  readonly #volumeOrientationOf = rememberLast((item) =>
    judgeOrientation(readOrientation(item, Tag.ImageOrientationVolume)),
  );
  readonly #constantOrientations = new Map<readonly number[], JudgedOrientation>();

  constructor(frameCount: number) {
    this.#length = frameCount;
    this.#columns = new GeometryColumns(frameCount);
  }

  take(attributes: FrameAttributes): void {
    const { frame, own, dataSet } = attributes;
    if (this.#object === undefined) {
      this.#object = this.#describeObject(attributes);
      this.#measuresOf = rememberLast((item) => readPixelMeasures(dataSet, item));
    }
    const object = this.#object;
    if (object.hasGroups && own === undefined) this.#doubt('undescribed_frame', frame);
    const measures = this.#measuresOf(findMacro(attributes, Tag.PixelMeasuresSequence));
    this.#columns.putMeasures(frame, measures);
    const spacingDoubt = SPACING_DOUBTS[measures.source ?? 'none'];
    if (spacingDoubt !== undefined) this.#doubt(spacingDoubt, frame);

    const orientation = this.#readOrientation(attributes, object);
    if (orientation.plane === undefined) this.#doubt(orientation.doubt, frame);
    else this.#columns.putOrientation(frame, orientation.plane);
    this.#takePoint(attributes, { object, orientation: orientation.plane, measures });
  }

  build(): FrameGeometry {
    const { space = 'patient', frameOfReferenceUid, hasGroups = false, isDoseGrid = false } = this.#object ?? {};
    const doubts = [...this.#doubts].map(([code, counts]): GeometryDoubt => ({ code, ...counts }));
    const { tilePlaces, ...columns } = this.#columns.build();
    const { totalRows, totalColumns, originMm } = this.#object?.slide ?? {};
    const isMatrix = tilePlaces !== undefined && totalRows !== undefined && totalColumns !== undefined;
    return {
      ...columns,
      ...(isMatrix && { tiles: { totalRows, totalColumns, originMm, places: tilePlaces } }),
      space,
      frameOfReferenceUid,
      placesFrames: space !== 'slide' && (hasGroups || isDoseGrid),
      isSpatial: this.#isSpatial,
      isDoseGrid,
      doubts,
    };
  }

  #describeObject(first: FrameAttributes): ObjectPlaces {
    const { own, dataSet } = first;
    const matrix = readSlideMatrix(dataSet);
    const slide = buildOrientation(matrix.orientation) === undefined ? undefined : matrix;
    const isVolume =
      findMacro(first, Tag.PlanePositionSequence) === undefined &&
      (findMacro(first, Tag.PlanePositionVolumeSequence) ?? findMacro(first, Tag.PlaneOrientationVolumeSequence)) !==
        undefined;
    const space: PlaneSpace = slide !== undefined ? 'slide' : isVolume ? 'volume' : 'patient';
    const options = { frameCount: this.#length, orient: buildOrientation };
    const dose = own === undefined && space === 'patient' ? findDosePlanes(dataSet, options) : undefined;
    if (dose?.isDoubtful === true) this.#doubt('dose_offsets', 0, this.#length);
    if (dose !== undefined && dose.offsetCount < this.#length) {
      this.#doubt('dose_offset_count', dose.offsetCount, this.#length - dose.offsetCount);
    }
    if (space === 'volume') this.#doubt('volume_space', 0, this.#length);
    this.#isSpatial = dose !== undefined;
    const frameOfReferenceUid = dataSet.string(Tag.FrameOfReferenceUID);
    return {
      space,
      frameOfReferenceUid:
        space === 'volume'
          ? (dataSet.string(Tag.VolumeFrameOfReferenceUID) ?? frameOfReferenceUid)
          : frameOfReferenceUid,
      hasGroups: own !== undefined,
      slide,
      offsets:
        dose ?? (own === undefined && space === 'patient' ? findReconstructedSlices(dataSet, options) : undefined),
      isDoseGrid: dose !== undefined,
      isMosaic: own === undefined && this.#length === 1 && isMosaicImage(dataSet),
    };
  }

  #readOrientation(attributes: FrameAttributes, { space, slide, offsets }: ObjectPlaces): JudgedOrientation {
    if (slide !== undefined) return this.#constant(slide.orientation);
    if (offsets !== undefined) return this.#constant(offsets.orientation);
    if (space === 'volume') return this.#volumeOrientationOf(findMacro(attributes, Tag.PlaneOrientationVolumeSequence));
    return this.#orientationOf(findOrientationItem(attributes));
  }

  #constant(written: readonly number[]): JudgedOrientation {
    const known = this.#constantOrientations.get(written) ?? judgeOrientation(written);
    this.#constantOrientations.set(written, known);
    return known;
  }

  #takePoint(attributes: FrameAttributes, known: KnownOfFrame): void {
    const { frame } = attributes;
    const { object } = known;
    if (object.slide !== undefined) {
      this.#takeTile(attributes, object.slide, known);
      return;
    }
    if (object.offsets !== undefined) {
      this.#putPoint(frame, object.offsets.pointOf(frame));
      return;
    }
    if (object.isMosaic) {
      this.#doubt('mosaic', frame);
      return;
    }
    const isVolume = object.space === 'volume';
    const macro = isVolume ? Tag.PlanePositionVolumeSequence : Tag.PlanePositionSequence;
    const written = isVolume
      ? readPosition(findMacro(attributes, macro), Tag.ImagePositionVolume)
      : readPosition(findPositionItem(attributes));
    if (written.length > 0 && hasOwn(attributes, macro)) this.#isSpatial = true;
    const point = checkNumbers(written, 3);
    if (point === undefined) this.#doubt(written.length === 0 ? 'no_position' : 'bad_position', frame);
    else this.#columns.putPoint(frame, point);
  }

  /**
   * The position of a tile on its slide, in millimetres from the corner of the slide: the offset that the frame declares,
   * or that of its place in the matrix. The height is left out, because a full tiling does not contain it: tiles of
   * several depths lie in one plane here.
   */
  #takeTile(attributes: FrameAttributes, slide: SlideMatrix, { orientation, measures }: KnownOfFrame): void {
    const { frame } = attributes;
    const declared = findMacro(attributes, Tag.PlanePositionSlideSequence);
    const place = findTilePlace(declared) ?? findRasterPlace(slide, frame);
    if (place !== undefined) this.#columns.putTilePlace(frame, place);
    const matrix = buildMatrixPlane(slide.originMm, orientation, measures);
    const byPlace = matrix && place && pixelToPatient(matrix, place);
    const offset = findSlideOffset(declared);
    this.#putPoint(frame, offset === undefined ? byPlace : [offset[0], offset[1], 0]);
    if (offset === undefined || matrix === undefined || place === undefined) return;
    const { row, column } = patientToPixel(matrix, [offset[0], offset[1], 0]);
    if (Math.abs(row - place.row) > HALF || Math.abs(column - place.column) > HALF) this.#doubt('tile_offsets', frame);
  }

  #putPoint(frame: number, point: Vector3 | undefined): void {
    if (point === undefined) this.#doubt('no_position', frame);
    else this.#columns.putPoint(frame, point);
  }

  #doubt(code: GeometryDoubtCode, frame: number, frameCount = 1): void {
    const known = this.#doubts.get(code);
    if (known === undefined) this.#doubts.set(code, { frameCount, firstFrame: frame });
    else known.frameCount += frameCount;
  }
}

type KnownOfFrame = {
  readonly object: ObjectPlaces;
  readonly orientation: PlaneOrientation | undefined;
  readonly measures: PixelMeasures;
};

const NO_MEASURES: PixelMeasures = {
  spacingMm: undefined,
  source: undefined,
  aspectRatio: undefined,
  sliceSpacingMm: undefined,
  sliceThicknessMm: undefined,
};

const SPACING_DOUBTS = {
  pixel_spacing: undefined,
  imager: 'detector_spacing',
  image_plane: 'detector_spacing',
  magnification: 'detector_spacing',
  nominal: 'film_spacing',
  none: 'no_spacing',
} as const;

type JudgedOrientation =
  | { readonly plane: PlaneOrientation }
  | { readonly plane: undefined; readonly doubt: 'no_orientation' | 'bad_orientation' };

function judgeOrientation(written: readonly number[]): JudgedOrientation {
  const plane = buildOrientation(checkNumbers(written, 6));
  return plane === undefined
    ? { plane, doubt: written.length === 0 ? 'no_orientation' : 'bad_orientation' }
    : { plane };
}

/** More than half a pixel: rounding of the offsets is less. */
const HALF = 0.5;

/** The total pixel matrix on its slide. */
function buildMatrixPlane(
  originMm: SlideMatrix['originMm'],
  orientation: PlaneOrientation | undefined,
  { spacingMm }: PixelMeasures,
): ImagePlane | undefined {
  if (originMm === undefined || orientation === undefined || spacingMm === undefined) return undefined;
  const [rowSpacingMm, columnSpacingMm] = spacingMm;
  return { ...orientation, position: [originMm[0], originMm[1], 0], rowSpacingMm, columnSpacingMm };
}

/** The place of a tile of a full tiling, whose frames declare none. */
function findRasterPlace(slide: SlideMatrix, frame: number): PixelPosition | undefined {
  const raster = findTileRaster(slide);
  if (raster === undefined) return undefined;
  const { tileRow, tileColumn } = tileAt(raster, frame + slide.frameOffset);
  return { row: tileRow * (slide.tileRows ?? 0), column: tileColumn * (slide.tileColumns ?? 0) };
}
