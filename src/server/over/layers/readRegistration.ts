import { mappingUnavailable, type ViewerError } from '../../../shared/contract/errors.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { type KnownSource, type OpenSource, withSame } from '../../bytes/origins/origins.ts';
import type { Matrix4, RegistrationItem, RegistrationRecord } from './registrationTasks.ts';
import { checkMatrix, IDENTITY, invert, multiply } from './rigidMotion.ts';

/** More than any study has. */
const MOST_ITEMS = 256;
const MOST_MATRICES = 16;
/** A grid of vectors of 256 x 256 x 256 takes 200 MB; real ones are much coarser than their images. */
const MOST_GRID_BYTES = 64 * 2 ** 20;

const WANTED: ReadonlySet<number> = new Set([
  Tag.FrameOfReferenceUID,
  Tag.RegistrationSequence,
  Tag.MatrixRegistrationSequence,
  Tag.MatrixSequence,
  Tag.FrameOfReferenceTransformationMatrixType,
  Tag.FrameOfReferenceTransformationMatrix,
  Tag.DeformableRegistrationSequence,
  Tag.SourceFrameOfReferenceUID,
  Tag.DeformableRegistrationGridSequence,
  Tag.ImagePositionPatient,
  Tag.ImageOrientationPatient,
  Tag.GridDimensions,
  Tag.GridResolution,
  Tag.VectorGridData,
  Tag.PreDeformationMatrixRegistrationSequence,
  Tag.PostDeformationMatrixRegistrationSequence,
]);

function readDataSet(source: OpenSource): DataSet {
  return readDicom(source, {
    until: Tag.FloatPixelData,
    // The lists of images are not needed: coordinates belong to frames of reference.
    filter: { element: (_, tag) => WANTED.has(tag), item: (depth, index) => depth > 0 || index < MOST_ITEMS },
    maxValueBytes: 1024,
    measure: false,
  }).dataSet;
}

/** Implements `readRegistrationTask`. */
export function readRegistration(file: KnownSource): RegistrationRecord {
  const { items, ...record } = withSame(file, (source) => parseRegistrations(readDataSet(source)));
  // What says nothing is not kept: the item of the object's own frame of reference, and all if the object has none.
  const { frameOfReferenceUid: own } = record;
  return { ...record, items: items.filter(({ frameOfReferenceUid: uid }) => own !== undefined && uid !== own) };
}

/** What a registration object aligns, and how. */
export function parseRegistrations(dataSet: DataSet): RegistrationRecord {
  const items: RegistrationItem[] = [];
  const problems: string[] = [];
  const take = (item: RegistrationItem | undefined) => {
    if (item === undefined) return;
    const problem = checkMatrix(item.matrix);
    if (problem === undefined) items.push(item);
    else problems.push(problem);
  };
  for (const item of dataSet.items(Tag.RegistrationSequence)) take(readRigid(item));
  for (const [at, item] of dataSet.items(Tag.DeformableRegistrationSequence).entries()) take(readDeformable(item, at));
  return { frameOfReferenceUid: dataSet.string(Tag.FrameOfReferenceUID), items, problems };
}

/** Several matrices are applied one after the other. */
function readRigid(item: DataSet): RegistrationItem | undefined {
  const frameOfReferenceUid = item.string(Tag.FrameOfReferenceUID);
  const steps = item
    .items(Tag.MatrixRegistrationSequence)
    .flatMap((one) => one.items(Tag.MatrixSequence))
    .slice(0, MOST_MATRICES);
  if (frameOfReferenceUid === undefined || steps.length === 0) return undefined;
  const matrix = steps.map(readMatrix).reduce((all, next) => multiply(next, all), IDENTITY);
  const types = steps.map((one) => one.string(Tag.FrameOfReferenceTransformationMatrixType));
  return {
    frameOfReferenceUid,
    matrix,
    type: types.find((type) => type !== 'RIGID') ?? types[0],
    deformableItem: undefined,
  };
}

/** Points of the object's frame of reference go to the source: post (pre p + v(p)). The matrix goes the other way. */
function readDeformable(item: DataSet, at: number): RegistrationItem | undefined {
  const frameOfReferenceUid = item.string(Tag.SourceFrameOfReferenceUID);
  if (frameOfReferenceUid === undefined) return undefined;
  const { pre, post } = readEnds(item);
  return {
    frameOfReferenceUid,
    type: undefined,
    matrix: invert(multiply(post, pre)),
    deformableItem: item.items(Tag.DeformableRegistrationGridSequence).length > 0 ? at : undefined,
  };
}

function readEnds(item: DataSet): { readonly pre: Matrix4; readonly post: Matrix4 } {
  const [pre] = item.items(Tag.PreDeformationMatrixRegistrationSequence);
  const [post] = item.items(Tag.PostDeformationMatrixRegistrationSequence);
  return {
    pre: pre === undefined ? IDENTITY : readMatrix(pre),
    post: post === undefined ? IDENTITY : readMatrix(post),
  };
}

function readMatrix(item: DataSet): Matrix4 {
  const numbers = item.numbers(Tag.FrameOfReferenceTransformationMatrix, 16);
  return numbers.length === 16 ? numbers : IDENTITY.map(() => NaN);
}

/** The vectors of a deformable registration, in the frame of reference of the object. */
export type VectorGrid = {
  readonly pre: Matrix4;
  readonly post: Matrix4;
  /** From millimetres to columns, rows and planes of the grid. */
  readonly toIndex: Matrix4;
  readonly size: readonly [columns: number, rows: number, planes: number];
  /** x, y, z of each; columns are the fastest. NaN says nothing. */
  readonly vectors: Float32Array;
};

/** Reads one item of a Deformable Registration Sequence. */
export function readVectorGrid(file: KnownSource, at: number): VectorGrid {
  return withSame(file, (source) => {
    const item = readDataSet(source).items(Tag.DeformableRegistrationSequence)[at];
    const [grid] = item?.items(Tag.DeformableRegistrationGridSequence) ?? [];
    if (item === undefined || grid === undefined) throw broken('it has no grid');
    const [columns = 0, rows = 0, planes = 0] = grid.numbers(Tag.GridDimensions, 3);
    const resolution = grid.numbers(Tag.GridResolution, 3);
    const position = grid.numbers(Tag.ImagePositionPatient, 3);
    const [a = NaN, b = NaN, c = NaN, d = NaN, e = NaN, f = NaN] = grid.numbers(Tag.ImageOrientationPatient, 6);
    const count = columns * rows * planes;
    if (!(count > 0) || count * 12 > MOST_GRID_BYTES)
      throw broken(`its grid has ${columns} x ${rows} x ${planes} vectors`);
    const bytes = grid.bytes(Tag.VectorGridData, count * 12);
    if (bytes === undefined || bytes.length < count * 12) throw broken('its grid has fewer vectors than it declares');
    const [x = NaN, y = NaN, z = NaN] = resolution;
    const [px = NaN, py = NaN, pz = NaN] = position;
    const normal = [b * f - c * e, c * d - a * f, a * e - b * d] as const;
    // prettier-ignore
    const toMm = [
      a * x, d * y, normal[0] * z, px,
      b * x, e * y, normal[1] * z, py,
      c * x, f * y, normal[2] * z, pz,
      0, 0, 0, 1,
    ];
    if (checkMatrix(toMm) !== undefined) throw broken('its grid has no position');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const vectors = new Float32Array(count * 3);
    for (let i = 0; i < vectors.length; i += 1) vectors[i] = view.getFloat32(4 * i, item.context.littleEndian);
    return { ...readEnds(item), toIndex: invert(toMm), size: [columns, rows, planes], vectors };
  });
}

function broken(why: string): ViewerError {
  return mappingUnavailable(`the deformable registration cannot be used: ${why}`);
}
