import type {
  FrameRef,
  SeriesResponse,
  Series as WireSeries,
  Stack as WireStack,
  StackTrait,
} from '../../shared/contract/series.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { parseInstanceNumber } from './imageStacks.ts';
import type { AnswerMoment } from './seriesMessages.ts';
import type { Series, Stack } from './stack.ts';
import { listPlaneRuns, type PlaneSources } from './stackPlanes.ts';
import { tellStacksApart } from './tellStacksApart.ts';

/** Large enough that the messages cost little, and small enough for slow clients. */
const PIECE_LENGTH = 256 * 1024;

/** The response of /series, piece by piece; the last piece is the return value. */
export function* writeSeries(
  list: readonly Series[],
  moment: AnswerMoment,
  sources: PlaneSources,
): Generator<string, string> {
  const { files } = sources;
  let piece = '{"series":[';
  for (const [at, series] of list.entries()) {
    piece += `${at === 0 ? '' : ','}${openObject(toSeriesHead(series))},"stacks":[`;
    const distinctions = tellStacksApart(series.stacks, files);
    for (const [position, stack] of series.stacks.entries()) {
      const head = toStackHead(stack, distinctions[position] ?? []);
      piece += `${position === 0 ? '' : ','}${openObject(head)},"frames":[`;
      for (let frame = 0; frame < stack.frames.length; frame += 1) {
        piece += (frame === 0 ? '' : ',') + JSON.stringify(toFrameRef(stack, frame, files));
        if (piece.length < PIECE_LENGTH) continue;
        yield piece;
        piece = '';
      }
      piece += '],"planes":[';
      for (const [run, { origins_mm, ...plane }] of listPlaneRuns(stack, sources).entries()) {
        piece += `${run === 0 ? '' : ','}${openObject(plane)},"origins_mm":${origins_mm === null ? 'null' : '['}`;
        for (const [place, number] of origins_mm?.entries() ?? []) {
          piece += (place === 0 ? '' : ',') + JSON.stringify(number);
          if (piece.length < PIECE_LENGTH) continue;
          yield piece;
          piece = '';
        }
        piece += origins_mm === null ? '}' : ']}';
        if (piece.length < PIECE_LENGTH) continue;
        yield piece;
        piece = '';
      }
      piece += ']}';
    }
    piece += ']}';
  }
  const around: Omit<SeriesResponse, 'series'> = {
    scan_complete: moment.scanComplete,
    geometry_complete: moment.geometryComplete,
  };
  return `${piece}],${JSON.stringify(around).slice(1)}`;
}

/** A JSON object that is left open, because more members follow. */
function openObject(head: object): string {
  return JSON.stringify(head).slice(0, -1);
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
