import type {
  FrameRef,
  SeriesResponse,
  Series as WireSeries,
  Stack as WireStack,
} from '../../../shared/contract/series.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { parseInstanceNumber } from '../../series/imageStacks.ts';
import type { SeriesSnapshot } from '../../series/seriesList.ts';
import type { Series, Stack } from '../../series/stack.ts';
import { sendJsonPieces } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

/** Text that is written at once: about a millisecond of work. */
const PIECE_LENGTH = 64 * 1024;

export function seriesRoutes({ catalog, series: list }: ServerContext) {
  const series: Handler = async (c) => sendJsonPieces(c, writeSeriesList(await list.read(), catalog.files));
  return { series };
}

export function* writeSeriesList(snapshot: SeriesSnapshot, files: readonly DicomFile[]): Generator<string, void> {
  const around: Omit<SeriesResponse, 'series'> = {
    scan_complete: snapshot.scanComplete,
    geometry_complete: snapshot.geometryComplete,
  };
  yield* inPieces(writeAll(snapshot.series, files));
  yield `],${JSON.stringify(around).slice(1)}`;
}

/** Joins short texts until they are worth sending. */
function* inPieces(texts: Iterable<string>): Generator<string, void> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* writeAll(series: readonly Series[], files: readonly DicomFile[]): Generator<string, void> {
  yield '{"series":[';
  for (const [at, one] of series.entries()) {
    const head: Omit<WireSeries, 'stacks'> = {
      id: one.id,
      study_instance_uid: one.studyInstanceUid,
      series_instance_uid: one.seriesInstanceUid,
      frame_of_reference_uids: [...one.frameOfReferenceUids],
    };
    yield `${at === 0 ? '' : ','}${JSON.stringify(head).slice(0, -1)},"stacks":[`;
    for (const [position, stack] of one.stacks.entries()) {
      if (position > 0) yield ',';
      yield* writeStack(stack, files);
    }
    yield ']}';
  }
}

function* writeStack(stack: Stack, files: readonly DicomFile[]): Generator<string, void> {
  const head: Omit<WireStack, 'frames'> = {
    id: stack.id,
    kind: stack.kind,
    concatenation_uid: stack.concatenationUid ?? null,
    pyramid_uid: stack.pyramidUid ?? null,
    image_type_role: stack.imageTypeRole ?? null,
    total_pixel_matrix_rows: stack.totalPixelMatrixRows ?? null,
    total_pixel_matrix_columns: stack.totalPixelMatrixColumns ?? null,
    warnings: stack.warnings.map(({ code, message, fileIndices }) => ({
      code,
      message,
      file_indices: [...fileIndices],
    })),
  };
  yield `${JSON.stringify(head).slice(0, -1)},"frames":[`;
  for (let at = 0; at < stack.frames.length; at += 1) {
    yield (at === 0 ? '' : ',') + JSON.stringify(toFrameRef(stack, at, files));
  }
  yield ']}';
}

function toFrameRef({ frames }: Stack, at: number, files: readonly DicomFile[]): FrameRef {
  const fileIndex = frames.fileIndices[at] ?? 0;
  const file = files[fileIndex];
  const position = frames.positionsMm[at] ?? NaN;
  return {
    virtual_index: at,
    file_index: fileIndex,
    frame_index: frames.frameIndices[at] ?? 0,
    sop_instance_uid: file?.sopInstanceUid ?? '',
    instance_number: parseInstanceNumber(file?.instanceNumber ?? '') ?? null,
    position_along_normal_mm: Number.isNaN(position) ? null : position,
  };
}
