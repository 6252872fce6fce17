import { ViewerError } from '../../../../shared/contract/errors.ts';
import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../../shared/contract/headers.ts';
import type { VolumeResponse } from '../../../../shared/contract/volumes.ts';
import { listSegments } from '../../../../shared/positionTable.ts';
import { bytesOfSample, isFloatStorage, isSignedStorage } from '../../../images/volumes/sampleView.ts';
import { closeObject, openObject } from '../../../machine/workers/jsonPieces.ts';
import type { PlaneFacts } from '../../../images/volumes/volumeTasks.ts';
import type { PlaneQuery } from '../../../images/volumes/planeQuery.ts';
import type { SliceCrops, VolumeTime } from '../../../images/volumes/volume.ts';
import type { VolumeDescription } from '../../../images/volumes/volumes.ts';
import { bytesOfTime } from '../../../images/volumes/volumeMemory.ts';
import type { HeaderList } from '../answer.ts';
import type { Exchange } from '../exchange.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { createSendBytes } from '../sendBytes.ts';
import { acceptsEncoding, sendJson, sendJsonTexts } from '../sendJson.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';
import { damageHeaders, packedHeaders, rawHeaders, RequestOptions, windowHeaders } from './frames.ts';

export function volumeRoutes({ volumes, memory }: ServerContext) {
  const sendBytes = createSendBytes(memory.answers);

  const sendPicture = async (c: Exchange, query: PictureQuery) => {
    const { frame, ...rest } = query;
    const fileIndex = parsePathNumber(c, 'index');
    const picture = await volumes.picture({ fileIndex, frame }, rest, new RequestOptions(c));
    return sendBytes(c, picture.bytes, [
      ['Content-Type', picture.mediaType],
      [HEADER.cache, picture.cached ? 'HIT' : 'MISS'],
      ...windowHeaders(picture.window),
      ...damageHeaders(picture.damage),
      ...planeHeaders(rest, picture),
    ]);
  };
  return {
    async volume(c) {
      const fileIndex = parsePathNumber(c, 'index');
      const { frame } = parseQuery(ENDPOINTS.volume.query, c);
      return sendJsonTexts(c, writeVolume(await volumes.describe({ fileIndex, frame }, new RequestOptions(c))));
    },
    async volumeValue(c) {
      const fileIndex = parsePathNumber(c, 'index');
      const { frame, ...query } = parseQuery(ENDPOINTS.volumeValue.query, c);
      return sendJson(c, await volumes.value({ fileIndex, frame }, query, new RequestOptions(c)));
    },
    async volumeRegion(c) {
      const fileIndex = parsePathNumber(c, 'index');
      const { frame, ...query } = parseQuery(ENDPOINTS.volumeRegion.query, c);
      const region = await volumes.region({ fileIndex, frame }, query, new RequestOptions(c));
      if (region === undefined) {
        throw new ViewerError('bad_request', 'the region has too many edges; choose another range');
      }
      return sendBytes(c, region, [['Content-Type', 'application/json']]);
    },
    async rawPlane(c) {
      const fileIndex = parsePathNumber(c, 'index');
      const { frame, filter, ...query } = parseQuery(ENDPOINTS.rawPlane.query, c);
      const isPacked = filter === 'predicted' && acceptsEncoding(c.header('accept-encoding'), 'gzip');
      const raw = await volumes.raw({ fileIndex, frame }, { ...query, isPacked, isShown: true }, new RequestOptions(c));
      const { isPredicted } = raw;
      const packed = isPredicted === undefined ? [] : packedHeaders({ ...raw, isPredicted });
      return sendBytes(c, raw.bytes, [...rawHeaders(raw), ...packed, ...planeHeaders(query, raw)]);
    },
    displayPlane: (c) => sendPicture(c, parseQuery(ENDPOINTS.displayPlane.query, c)),
    planeThumbnail(c) {
      const { size = 128, ...query } = parseQuery(ENDPOINTS.planeThumbnail.query, c);
      return sendPicture(c, { ...query, size });
    },
  } satisfies Handlers;
}

type PictureQuery = PlaneQuery & {
  readonly frame?: number | undefined;
  readonly wc?: number | undefined;
  readonly ww?: number | undefined;
  readonly mode?: 'default' | 'full_dynamic' | undefined;
  readonly size?: number | undefined;
};

type AnsweredPlane = PlaneFacts & { readonly places: { readonly used: number; readonly needed: number } };

function planeHeaders(query: PlaneQuery, { how, sheets, places }: AnsweredPlane): HeaderList {
  return [
    [HEADER.planePosition, query.position.join()],
    [HEADER.planeOrientation, query.orientation.join()],
    [HEADER.planeSpacing, query.spacing.join()],
    [HEADER.planeSlab, `${query.slab ?? 0};${query.projection ?? 'max'};${sheets}`],
    [HEADER.planeSampling, how],
    [HEADER.planePlaces, `${places.used}/${places.needed}`],
  ];
}

/** Numbers that are written at a time: much less than a piece of the response. */
const SOME = 512;

function* writeVolume(description: VolumeDescription): Generator<string> {
  const { volume, refusal } = description;
  if (volume === undefined) {
    yield JSON.stringify({ volume: null, refusal, warnings: [] } satisfies VolumeResponse);
    return;
  }
  const { table, sample, times, warnings } = volume;
  type Lists = 'first_points' | 'positions_mm' | 'file_indices' | 'frame_indices' | 'first_rows' | 'first_columns';
  type Head = Omit<NonNullable<VolumeResponse['volume']>, Lists>;
  const { placesLoaded, storage } = description;
  const head: Head = {
    file_index: volume.fileIndices[0]!,
    rows: table.rows,
    columns: table.columns,
    places: table.positionsMm.length,
    space: volume.space,
    frame_of_reference_uid: volume.frameOfReferenceUid ?? null,
    orientation: [...table.rowDirection, ...table.columnDirection],
    pixel_spacing_mm: [table.rowSpacingMm, table.columnSpacingMm],
    spacing_mm: table.spacingMm,
    holes: listHoles(volume),
    tilt_degrees: volume.tiltDegrees,
    times: times.map(toWireTime),
    sample: {
      kind: isFloatStorage(sample.storage) ? 'float' : 'integer',
      bits: bytesOfSample(sample.storage) * 8,
      signed: isSignedStorage(sample.storage) || isFloatStorage(sample.storage),
      rescale:
        sample.rescale === undefined ? null : { slope: sample.rescale.slope, intercept: sample.rescale.intercept },
      unit: sample.unit,
      is_real_world: volume.mappings !== undefined,
    },
    bytes: bytesOfTime(volume),
    storage,
    places_loaded: placesLoaded,
  };
  yield `{"volume":${openObject(head)},"first_points":[`;
  yield* writeNumbers(table.points);
  yield '],"positions_mm":[';
  yield* writeNumbers(table.positionsMm);
  yield '],"file_indices":[';
  yield* writeNumbers(volume.fileIndices);
  yield '],"frame_indices":[';
  yield* writeNumbers(volume.frameIndices);
  yield ']';
  yield* writeCrops(volume.crops);
  const told = warnings.map(({ code, message, fileIndices }) => ({ code, message, file_indices: [...fileIndices] }));
  yield `}${closeObject({ refusal: null, warnings: told })}`;
}

function* writeCrops(crops: SliceCrops | undefined): Generator<string> {
  if (crops === undefined) {
    yield ',"first_rows":null,"first_columns":null';
    return;
  }
  yield ',"first_rows":[';
  yield* writeNumbers(crops.tops);
  yield '],"first_columns":[';
  yield* writeNumbers(crops.lefts);
  yield ']';
}

export function toWireTime({ label, kind, value, unit }: VolumeTime) {
  return { label, kind, value: value ?? null, unit: unit ?? null };
}

export function* writeNumbers(numbers: Float64Array | Uint32Array): Generator<string> {
  for (let at = 0; at < numbers.length; at += SOME) {
    yield (at === 0 ? '' : ',') + numbers.subarray(at, at + SOME).join();
  }
}

/** Ranges between slices in which no slice reaches. */
function listHoles({ table }: NonNullable<VolumeDescription['volume']>): [number, number][] {
  return listSegments(table).flatMap(({ lower, startMm, endMm }) =>
    lower < 0 && Number.isFinite(startMm) && Number.isFinite(endMm) ? [[startMm, endMm] as [number, number]] : [],
  );
}
