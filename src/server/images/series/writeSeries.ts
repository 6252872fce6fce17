import type {
  FrameRef,
  PlaneRun,
  SeriesResponse,
  WireSeries,
  WireStack,
  StackTrait,
} from '../../../shared/contract/series.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { closeObject, openObject, writeArray } from '../../machine/workers/jsonPieces.ts';
import { parseInstanceNumber } from './imageStacks.ts';
import type { AnswerMoment } from './seriesMessages.ts';
import type { Series, Stack } from './stack.ts';
import { listPlaneRuns, type PlaneSources } from './stackPlanes.ts';
import { tellStacksApart } from './tellStacksApart.ts';

/** The response of /series. */
export function* writeSeries(
  list: readonly Series[],
  moment: AnswerMoment,
  sources: PlaneSources,
): Generator<string, void> {
  yield '{"series":';
  yield* writeArray(list, (series) => writeOne(series, sources));
  yield closeObject({
    scan_complete: moment.scanComplete,
    geometry_complete: moment.geometryComplete,
  } satisfies Omit<SeriesResponse, 'series'>);
}

function* writeOne(series: Series, sources: PlaneSources): Generator<string> {
  const distinctions = tellStacksApart(series.stacks, sources.files);
  yield `${openObject(toSeriesHead(series))},"stacks":`;
  yield* writeArray(series.stacks, (stack, position) => writeStack(stack, distinctions[position] ?? [], sources));
  yield '}';
}

function* writeStack(stack: Stack, distinction: readonly StackTrait[], sources: PlaneSources): Generator<string> {
  yield `${openObject(toStackHead(stack, distinction))},"frames":`;
  yield* writeArray(stack.frames.fileIndices, (_, frame) => JSON.stringify(toFrameRef(stack, frame, sources.files)));
  yield ',"planes":';
  yield* writeArray(listPlaneRuns(stack, sources), writeRun);
  yield '}';
}

function* writeRun({ origins_mm, ...plane }: PlaneRun): Generator<string> {
  yield `${openObject(plane)},"origins_mm":`;
  if (origins_mm === null) yield 'null';
  else yield* writeArray(origins_mm, (number) => JSON.stringify(number));
  yield '}';
}

function toSeriesHead(series: Series): Omit<WireSeries, 'stacks'> {
  return {
    id: series.id,
    study_instance_uid: series.studyInstanceUid,
    series_instance_uid: series.seriesInstanceUid,
    frame_of_reference_uids: [...series.frameOfReferenceUids],
  };
}

function toStackHead(stack: Stack, distinction: readonly StackTrait[]): Omit<WireStack, 'frames' | 'planes'> {
  return {
    id: stack.id,
    kind: stack.kind,
    concatenation_uid: stack.concatenationUid ?? null,
    pyramid_uid: stack.pyramidUid ?? null,
    image_type_role: stack.imageTypeRole ?? null,
    total_pixel_matrix_rows: stack.totalPixelMatrixRows ?? null,
    total_pixel_matrix_columns: stack.totalPixelMatrixColumns ?? null,
    distinction: [...distinction],
    warnings: stack.warnings.map(({ code, message, fileIndices }) => ({
      code,
      message,
      file_indices: [...fileIndices],
    })),
  };
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
