import { type TObject, type TSchema, Type } from 'typebox';
import {
  AnnotatedFilesResponse,
  AnnotationBody,
  AnnotationExportQuery,
  AnnotationJournalResponse,
  AnnotationPayload,
  RecoveryBody,
} from './annotations.ts';
import { FilesQuery, FilesResponse } from './files.ts';
import { DisplayFrameQuery, RawFrameQuery, RawPixelQuery, ThumbnailQuery } from './frames.ts';
import { HEADER } from './headers.ts';
import { HealthQuery, HealthResponse } from './health.ts';
import { InfoResponse } from './info.ts';
import { PercentilesResponse } from './percentiles.ts';
import { ReferencedByResponse, ReferencesResponse } from './references.ts';
import { SegmentationResponse, SegmentStatisticsResponse, SourceMasksQuery } from './segmentations.ts';
import { SemanticContextResponse } from './semantics.ts';
import { SeriesResponse } from './series.ts';
import { TagNode, TagSelectQuery, TagTree, TagTreeQuery } from './tags.ts';
import { ValueMappingResponse } from './valueMapping.ts';
import { WsiContextResponse, WsiTilesResponse } from './wsi.ts';

export type Endpoint = {
  readonly method: 'GET' | 'PUT';
  /** Below /api, with `:name` for path parameters, which are all non-negative integers. */
  readonly path: string;
  readonly summary: string;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly mediaType: string;
  /** Alternative media type, if the query requests it. */
  readonly otherMediaType?: string;
  /** Only for JSON responses. */
  readonly response?: TSchema;
  /** Headers of every successful response, in addition to those of all responses. */
  readonly headers?: readonly string[];
  /** Headers of some successful responses. */
  readonly otherHeaders?: readonly string[];
  /** Whether a client can request one byte range, which is answered with 206. */
  readonly takesRange?: boolean;
};

const RAW_HEADERS = [
  HEADER.cache,
  HEADER.rows,
  HEADER.columns,
  HEADER.bitsAllocated,
  HEADER.pixelRepresentation,
  HEADER.samplesPerPixel,
  HEADER.photometricInterpretation,
  HEADER.rescaleSlope,
  HEADER.rescaleIntercept,
  HEADER.sampleKind,
  HEADER.presentation,
] as const;

/** The whole HTTP API. The server registers its routes from it, and OpenAPI is generated from it. */
export const ENDPOINTS = {
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Ready state, build identity, file count and start time',
    query: HealthQuery,
    mediaType: 'application/json',
    response: HealthResponse,
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This API as an OpenAPI 3.1 document',
    mediaType: 'application/json',
    response: Type.Record(Type.String(), Type.Unknown()),
  },
  files: {
    method: 'GET',
    path: '/files',
    summary: 'Progressive file registry, discovery ledger, counters and tunnel state',
    query: FilesQuery,
    mediaType: 'application/json',
    response: FilesResponse,
  },
  events: {
    method: 'GET',
    path: '/events',
    summary: 'Scan progress and registry revisions, pushed as server-sent events',
    mediaType: 'text/event-stream',
  },
  series: {
    method: 'GET',
    path: '/series',
    summary: 'Logical stacks of the images of each series, and which frame of which file each one is',
    mediaType: 'application/json',
    response: SeriesResponse,
  },
  info: {
    method: 'GET',
    path: '/file/:index/info',
    summary: 'Frame, geometry, syntax, kind, support and default window of one file',
    mediaType: 'application/json',
    response: InfoResponse,
  },
  displayFrame: {
    method: 'GET',
    path: '/file/:index/frame/:frame',
    summary: 'One frame as a picture. Gray frames also say in X-Frame-Window-* which window was applied',
    query: DisplayFrameQuery,
    mediaType: 'image/png',
    otherMediaType: 'image/jpeg',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  rawFrame: {
    method: 'GET',
    path: '/file/:index/frame/:frame/raw',
    summary: 'The decoded samples of one frame, little endian, color-by-pixel, and in headers what they mean',
    query: RawFrameQuery,
    mediaType: 'application/octet-stream',
    headers: RAW_HEADERS,
    otherHeaders: [HEADER.damage],
  },
  rawPixel: {
    method: 'GET',
    path: '/file/:index/frame/:frame/raw/pixel',
    summary: 'The decoded samples of one pixel, as a raw frame of one row and one column',
    query: RawPixelQuery,
    mediaType: 'application/octet-stream',
    headers: RAW_HEADERS,
    otherHeaders: [HEADER.damage],
  },
  thumbnail: {
    method: 'GET',
    path: '/file/:index/frame/:frame/thumbnail',
    summary: 'One frame as a small picture with square pixels, through its own window or the one asked for',
    query: ThumbnailQuery,
    mediaType: 'image/png',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  percentiles: {
    method: 'GET',
    path: '/file/:index/frame/:frame/percentiles',
    summary:
      'How the modality values of one gray frame are spread: their percentiles, for a window over several frames',
    mediaType: 'application/json',
    response: PercentilesResponse,
  },
  references: {
    method: 'GET',
    path: '/file/:index/references',
    summary: 'What one file declares that it points to, and which open files that is',
    mediaType: 'application/json',
    response: ReferencesResponse,
  },
  referencedBy: {
    method: 'GET',
    path: '/file/:index/referenced-by',
    summary: 'Which open objects point to one file, and to which of its frames',
    mediaType: 'application/json',
    response: ReferencedByResponse,
  },
  wsiContext: {
    method: 'GET',
    path: '/file/:index/frame/:frame/wsi-context',
    summary: 'Where one tile of a whole slide image lies, and what else there is of the slide',
    mediaType: 'application/json',
    response: WsiContextResponse,
  },
  wsiTiles: {
    method: 'GET',
    path: '/file/:index/wsi-tiles',
    summary: 'How all tiles of one whole slide image are laid out, and its optical paths and focal planes',
    mediaType: 'application/json',
    response: WsiTilesResponse,
  },
  semanticContext: {
    method: 'GET',
    path: '/file/:index/semantic-context',
    summary: 'What the pixel values of a segmentation, parametric map or dose mean',
    mediaType: 'application/json',
    response: SemanticContextResponse,
  },
  valueMapping: {
    method: 'GET',
    path: '/file/:index/frame/:frame/value-mapping',
    summary: 'What the stored values of one frame stand for: modality values, and values of the real world',
    mediaType: 'application/json',
    response: ValueMappingResponse,
  },
  segmentationOverlay: {
    method: 'GET',
    path: '/file/:index/frame/:frame/segmentation-overlay',
    summary: 'One segmentation frame as a transparent mask of the size of its source frame',
    mediaType: 'image/png',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  segmentation: {
    method: 'GET',
    path: '/file/:index/segmentation',
    summary: 'The segments of one segmentation, which open images it lies over, and what of it lies over none',
    mediaType: 'application/json',
    response: SegmentationResponse,
  },
  sourceMasks: {
    method: 'GET',
    path: '/file/:index/source-masks',
    summary: 'The masks of all segments of one segmentation over one frame of its source, cut to where they are',
    query: SourceMasksQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  segmentStatistics: {
    method: 'GET',
    path: '/file/:index/segment-statistics',
    summary: 'How many voxels and cubic millimetres each segment has, and in which frames it begins and ends',
    mediaType: 'application/json',
    response: SegmentStatisticsResponse,
  },
  storedFile: {
    method: 'GET',
    path: '/file/:index/file',
    summary: 'The file as it is stored, to be saved. One range of its bytes can be asked for',
    mediaType: 'application/dicom',
    headers: ['Content-Disposition', 'Accept-Ranges'],
    takesRange: true,
  },
  tags: {
    method: 'GET',
    path: '/file/:index/tags',
    summary: 'Lazy preview of the tag tree',
    query: TagTreeQuery,
    mediaType: 'application/json',
    response: TagTree,
  },
  tagSelect: {
    method: 'GET',
    path: '/file/:index/tags/select',
    summary: 'One element by its path, with pages of sequence items',
    query: TagSelectQuery,
    mediaType: 'application/json',
    response: TagNode,
  },
  skippedTags: {
    method: 'GET',
    path: '/not-shown/:entry/tags',
    summary: 'The same of a DICOM file that is not shown, by the id of its entry in `discovery`',
    query: TagTreeQuery,
    mediaType: 'application/json',
    response: TagTree,
  },
  skippedTagSelect: {
    method: 'GET',
    path: '/not-shown/:entry/tags/select',
    summary: 'One element of a DICOM file that is not shown',
    query: TagSelectQuery,
    mediaType: 'application/json',
    response: TagNode,
  },
  annotations: {
    method: 'GET',
    path: '/file/:index/annotations',
    summary: 'All ROIs of one file',
    mediaType: 'application/json',
    response: AnnotationPayload,
    headers: ['ETag'],
  },
  replaceAnnotations: {
    method: 'PUT',
    path: '/file/:index/annotations',
    summary: 'Replaces all ROIs of one file; with If-Match only if nobody has changed them',
    body: AnnotationBody,
    mediaType: 'application/json',
    response: AnnotationPayload,
    headers: ['ETag', HEADER.annotationDurability],
  },
  annotatedFiles: {
    method: 'GET',
    path: '/annotations',
    summary: 'Which files have ROIs, how many, and the ETag of each',
    mediaType: 'application/json',
    response: AnnotatedFilesResponse,
  },
  exportAnnotations: {
    method: 'GET',
    path: '/annotations/export.csv',
    summary: 'The ROIs of all files as CSV, one row per file that has any',
    query: AnnotationExportQuery,
    mediaType: 'text/csv; charset=utf-8',
    headers: ['Content-Disposition'],
  },
  annotationJournal: {
    method: 'GET',
    path: '/annotations/journal',
    summary: 'Whether edits outlive the server, and which ROIs of these files an earlier run has kept',
    mediaType: 'application/json',
    response: AnnotationJournalResponse,
  },
  recoverAnnotations: {
    method: 'PUT',
    path: '/annotations/journal',
    summary: 'Restores or forgets the ROIs that an earlier run has kept',
    body: RecoveryBody,
    mediaType: 'application/json',
    response: AnnotationJournalResponse,
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
export const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[];
