import { type TObject, type TSchema, Type } from './schema.ts';
import {
  AnnotatedFilesResponse,
  AnnotationBody,
  AnnotationExportQuery,
  AnnotationJournalResponse,
  AnnotationPayload,
  RecoveryBody,
  RedactedSeriesResponse,
} from './annotations.ts';
import { ContentQuery } from './content.ts';
import { DocumentResponse } from './documents.ts';
import { DvhQuery, DvhResponse } from './dvh.ts';
import { FilesQuery, FilesResponse } from './files.ts';
import { DisplayFrameQuery, RawFrameQuery, RawPixelQuery, ThumbnailQuery } from './frames.ts';
import { HEADER } from './headers.ts';
import { HealthQuery, HealthResponse } from './health.ts';
import { InfoResponse } from './info.ts';
import { AttachmentChoice, AttachmentMatchesResponse, AttachmentsQuery, AttachmentsResponse } from './attachments.ts';
import {
  ChangedMarksResponse,
  DeletedMarkResponse,
  LabelScheme,
  MarkBody,
  MarkJournalResponse,
  MarkPatch,
  MarksPatch,
  MarksQuery,
  MarksResponse,
  WireMark,
} from './marks.ts';
import { MeshQuery } from './mesh.ts';
import { NarrativeResponse } from './narrative.ts';
import { LayerFrameQuery, LayerRegionQuery, LayerResponse, LayersQuery, LayersResponse } from './layerAnswers.ts';
import { PreferredRegistrations, RegistrationsQuery, RegistrationsResponse } from './registrations.ts';
import { PercentilesResponse } from './percentiles.ts';
import { PlanQuery, PlanResponse } from './plans.ts';
import { PresentationResponse } from './presentation.ts';
import { ReferencedByResponse, ReferencesResponse } from './references.ts';
import { MeasurementsQuery, MeasurementsResponse, ReportQuery, ReportResponse } from './reports.ts';
import { SegmentationResponse, SegmentStatisticsResponse, SourceMasksQuery } from './segmentations.ts';
import { SemanticContextResponse } from './semantics.ts';
import { SeriesResponse } from './series.ts';
import { SpectraResponse } from './spectra.ts';
import { TagNode, TagSelectQuery, TagNodes, TagTableQuery, TagTreeQuery } from './tags.ts';
import { TicketBody, TicketResponse, TokenResponse } from './tickets.ts';
import { ValueMappingResponse } from './valueMapping.ts';
import {
  DisplayPlaneQuery,
  PlaneThumbnailQuery,
  LayerPlaneQuery,
  NiftiQuery,
  NiftiSidecarQuery,
  NiftiSidecarResponse,
  RawPlaneQuery,
  VolumeQuery,
  VolumeResponse,
  VolumeValueQuery,
  VolumeValueResponse,
} from './volumes.ts';
import { PageOrders, PageReport, ViewPictureChoice, PictureReceipt, ViewChange, ViewResponse } from './view.ts';
import { WaveformResponse, WaveformSamplesQuery } from './waveforms.ts';
import { VideoQuery } from './video.ts';
import { WsiContextResponse, WsiTilesResponse } from './wsi.ts';

export type Endpoint = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below /api, with `:name` for path parameters, which are all non-negative integers. */
  readonly path: string;
  readonly summary: string;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Of a body that is no JSON. */
  readonly bodyMediaType?: string;
  readonly mediaType: string;
  /** Alternative media types, if the query requests them or the content of the file has them. */
  readonly otherMediaType?: string | readonly string[];
  /** Only for JSON responses. */
  readonly response?: TSchema;
  /** Headers of every successful response, in addition to those of all responses. */
  readonly headers?: readonly string[];
  /** Headers of some successful responses. */
  readonly otherHeaders?: readonly string[];
  /** Whether a client can request one byte range, which is answered with 206. */
  readonly takesRange?: boolean;
  /** Whether it sends content of the file as it is stored, which cannot be masked: refused in a masked run. */
  readonly isUnmaskable?: boolean;
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

const PLANE_HEADERS = [
  HEADER.planePosition,
  HEADER.planeOrientation,
  HEADER.planeSpacing,
  HEADER.planeSlab,
  HEADER.planeSampling,
  HEADER.planePlaces,
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
    summary: 'Stacks of images of each series, with the file and frame of each image',
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
    summary: 'One frame as a picture. For gray frames, X-Frame-Window-* headers give the window that was applied',
    query: DisplayFrameQuery,
    mediaType: 'image/png',
    otherMediaType: 'image/jpeg',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  rawFrame: {
    method: 'GET',
    path: '/file/:index/frame/:frame/raw',
    summary: 'The decoded samples of one frame, little endian, color-by-pixel; headers describe them',
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
    summary: 'One frame as a small picture with square pixels, with its own window or the requested one',
    query: ThumbnailQuery,
    mediaType: 'image/png',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  percentiles: {
    method: 'GET',
    path: '/file/:index/frame/:frame/percentiles',
    summary: 'Percentiles of the modality values of one gray frame, to compute a window for several frames',
    mediaType: 'application/json',
    response: PercentilesResponse,
  },
  volume: {
    method: 'GET',
    path: '/file/:index/volume',
    summary: 'The volume that the stack of one file fills, its times and holes, or why it is none',
    query: VolumeQuery,
    mediaType: 'application/json',
    response: VolumeResponse,
  },
  volumeValue: {
    method: 'GET',
    path: '/file/:index/volume/value',
    summary: 'The value of a volume at one point of the patient, and the stored sample that the point lies in',
    query: VolumeValueQuery,
    mediaType: 'application/json',
    response: VolumeValueResponse,
  },
  nifti: {
    method: 'GET',
    path: '/file/:index/volume/nifti',
    summary: 'The volume that the stack of one file fills as a NIfTI file, written while it is sent',
    query: NiftiQuery,
    mediaType: 'application/gzip',
    otherMediaType: 'application/octet-stream',
    headers: ['Content-Disposition'],
  },
  niftiSidecar: {
    method: 'GET',
    path: '/file/:index/volume/nifti/sidecar',
    summary: 'What the headers say about that volume, in the words of BIDS and without the patient',
    query: NiftiSidecarQuery,
    mediaType: 'application/json',
    response: NiftiSidecarResponse,
    headers: ['Content-Disposition'],
  },
  displayPlane: {
    method: 'GET',
    path: '/file/:index/plane',
    summary: 'Any plane or slab of a volume as a picture',
    query: DisplayPlaneQuery,
    mediaType: 'image/png',
    headers: [HEADER.cache, ...PLANE_HEADERS],
    otherHeaders: [HEADER.damage],
  },
  rawPlane: {
    method: 'GET',
    path: '/file/:index/plane/raw',
    summary: 'The samples of any plane or slab of a volume, as those of a raw frame',
    query: RawPlaneQuery,
    mediaType: 'application/octet-stream',
    headers: [...RAW_HEADERS, ...PLANE_HEADERS],
    otherHeaders: [HEADER.damage],
  },
  planeThumbnail: {
    method: 'GET',
    path: '/file/:index/plane/thumbnail',
    summary: 'Any plane or slab of a volume as a small picture with square pixels',
    query: PlaneThumbnailQuery,
    mediaType: 'image/png',
    headers: [HEADER.cache, ...PLANE_HEADERS],
    otherHeaders: [HEADER.damage],
  },
  references: {
    method: 'GET',
    path: '/file/:index/references',
    summary: 'The references that one file declares, and the open files that they match',
    mediaType: 'application/json',
    response: ReferencesResponse,
  },
  referencedBy: {
    method: 'GET',
    path: '/file/:index/referenced-by',
    summary: 'The open objects that reference one file, and the frames that they reference',
    mediaType: 'application/json',
    response: ReferencedByResponse,
  },
  document: {
    method: 'GET',
    path: '/file/:index/document',
    summary: 'What an object is, whatever its SOP class: title, status, facts, tables, links and warnings',
    mediaType: 'application/json',
    response: DocumentResponse,
  },
  report: {
    method: 'GET',
    path: '/file/:index/report',
    summary: 'The content tree of a structured report or key object selection, in pages',
    query: ReportQuery,
    mediaType: 'application/json',
    response: ReportResponse,
  },
  reportMeasurements: {
    method: 'GET',
    path: '/file/:index/report/measurements',
    summary: 'The measurements of a structured report in groups, whatever its template',
    query: MeasurementsQuery,
    mediaType: 'application/json',
    otherMediaType: 'text/csv',
    response: MeasurementsResponse,
  },
  waveform: {
    method: 'GET',
    path: '/file/:index/waveform',
    summary: 'Multiplex groups, channels and annotations of a waveform, such as an ECG',
    mediaType: 'application/json',
    response: WaveformResponse,
  },
  waveformSamples: {
    method: 'GET',
    path: '/file/:index/waveform/:group/samples',
    summary: 'Values of one multiplex group in physical units, float32, channel after channel; NaN where there is none',
    query: WaveformSamplesQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.waveformFrom, HEADER.waveformTo, HEADER.waveformValues, HEADER.waveformForm],
  },
  spectra: {
    method: 'GET',
    path: '/file/:index/spectra',
    summary: 'Number, grid and frequency axis of the spectra of an MR spectroscopy object',
    mediaType: 'application/json',
    response: SpectraResponse,
  },
  spectrum: {
    method: 'GET',
    path: '/file/:index/spectra/:spectrum',
    summary: 'One spectrum or free induction decay as stored: complex float32, real part first',
    mediaType: 'application/octet-stream',
  },
  plan: {
    method: 'GET',
    path: '/file/:index/plan',
    summary:
      'A treatment plan or a record of a treatment: prescriptions, fractions, beams and channels, and the control points of one of them',
    query: PlanQuery,
    mediaType: 'application/json',
    response: PlanResponse,
  },
  content: {
    method: 'GET',
    path: '/file/:index/content',
    summary:
      'The file that an object encapsulates, as a download. Its media type is what its bytes show, whatever the object declares',
    query: ContentQuery,
    mediaType: 'application/octet-stream',
    otherMediaType: ['application/pdf', 'image/png', 'image/jpeg', 'model/stl'],
    headers: ['Content-Disposition', 'Accept-Ranges'],
    takesRange: true,
    isUnmaskable: true,
  },
  narrative: {
    method: 'GET',
    path: '/file/:index/narrative',
    summary: 'The text of a CDA document as parts that can be shown; nothing of it is HTML',
    mediaType: 'application/json',
    response: NarrativeResponse,
    isUnmaskable: true,
  },
  mesh: {
    method: 'GET',
    path: '/file/:index/mesh',
    summary: 'The points of an STL or OBJ model as 32-bit floats, then three 32-bit indices for each triangle',
    query: MeshQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.meshPoints, HEADER.meshTriangles],
    isUnmaskable: true,
  },
  video: {
    method: 'GET',
    path: '/file/:index/video',
    summary: 'The video of an object as an MP4 file, or its stream as it is stored',
    query: VideoQuery,
    mediaType: 'video/mp4',
    otherMediaType: 'application/octet-stream',
    headers: ['Accept-Ranges'],
    otherHeaders: [HEADER.videoCodec, HEADER.videoFrames, HEADER.videoFrameTime, 'Content-Disposition'],
    takesRange: true,
    isUnmaskable: true,
  },
  presentation: {
    method: 'GET',
    path: '/file/:index/presentation',
    summary:
      'What a presentation state or key object selection says, the open images that it names, and the missing ones',
    mediaType: 'application/json',
    response: PresentationResponse,
  },
  wsiContext: {
    method: 'GET',
    path: '/file/:index/frame/:frame/wsi-context',
    summary: 'Position of one tile of a whole slide image, and the other images of the slide',
    mediaType: 'application/json',
    response: WsiContextResponse,
  },
  wsiTiles: {
    method: 'GET',
    path: '/file/:index/wsi-tiles',
    summary: 'Layout of all tiles of one whole slide image, its optical paths and its focal planes',
    mediaType: 'application/json',
    response: WsiTilesResponse,
  },
  semanticContext: {
    method: 'GET',
    path: '/file/:index/semantic-context',
    summary: 'Meaning of the pixel values of a segmentation, parametric map or dose',
    mediaType: 'application/json',
    response: SemanticContextResponse,
  },
  valueMapping: {
    method: 'GET',
    path: '/file/:index/frame/:frame/value-mapping',
    summary: 'Mapping of the stored values of one frame to modality values and real world values',
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
    summary: 'The segments of one segmentation, the open images that it covers, and its frames that cover none',
    mediaType: 'application/json',
    response: SegmentationResponse,
  },
  sourceMasks: {
    method: 'GET',
    path: '/file/:index/source-masks',
    summary: 'The masks of all segments of one segmentation over one frame of its source, cropped to their extent',
    query: SourceMasksQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  layerPlane: {
    method: 'GET',
    path: '/file/:index/layer/plane',
    summary: 'What the layer of one file, such as the masks of a segmentation, has in any plane or slab of the patient',
    query: LayerPlaneQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  segmentStatistics: {
    method: 'GET',
    path: '/file/:index/segment-statistics',
    summary: 'Voxel count and volume in cubic millimetres of each segment, with its first and last frame',
    mediaType: 'application/json',
    response: SegmentStatisticsResponse,
  },
  layers: {
    method: 'GET',
    path: '/layers',
    summary: 'The layers over the stack of one frame, and those of its study that cannot lie there, with the reason',
    query: LayersQuery,
    mediaType: 'application/json',
    response: LayersResponse,
  },
  layer: {
    method: 'GET',
    path: '/layer/:layer',
    summary: 'The parts of one layer, the open images that it lies over, and what lies over none',
    mediaType: 'application/json',
    response: LayerResponse,
  },
  layerFrame: {
    method: 'GET',
    path: '/layer/:layer/frame',
    summary: 'What one layer puts over one frame of an image: values and coordinates in pixels of that frame',
    query: LayerFrameQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  layerOverPlane: {
    method: 'GET',
    path: '/layer/:layer/plane',
    summary: 'What one layer has in any plane or slab of the patient',
    query: LayerPlaneQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  dvh: {
    method: 'GET',
    path: '/file/:index/dvh',
    summary: 'Dose-volume histograms of the ROIs of a structure set, or of the segments of a segmentation, in one dose',
    query: DvhQuery,
    mediaType: 'application/json',
    response: DvhResponse,
  },
  layerRegion: {
    method: 'GET',
    path: '/layer/:layer/region',
    summary: 'What one layer has on a part of a slide: annotations or clusters of them, graphics, or masks',
    query: LayerRegionQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  },
  registrations: {
    method: 'GET',
    path: '/registrations',
    summary: 'Registrations that connect images with others in different ways, with the angle and shift of each way',
    query: RegistrationsQuery,
    mediaType: 'application/json',
    response: RegistrationsResponse,
  },
  attachments: {
    method: 'GET',
    path: '/attachments',
    summary: 'Model output that is no DICOM file: NIfTI, NRRD, NPY, NPZ and PNG, and the images that it lies over',
    query: AttachmentsQuery,
    mediaType: 'application/json',
    response: AttachmentsResponse,
  },
  attachmentMatches: {
    method: 'GET',
    path: '/attachment/:attachment/matches',
    summary: 'The stacks of images that one attachment fits, the best first, with the way it does',
    mediaType: 'application/json',
    response: AttachmentMatchesResponse,
  },
  storedFile: {
    method: 'GET',
    path: '/file/:index/file',
    summary: 'The file as it is stored, as a download. Supports a request for one byte range',
    mediaType: 'application/dicom',
    headers: ['Content-Disposition', 'Accept-Ranges'],
    takesRange: true,
    isUnmaskable: true,
  },
  tags: {
    method: 'GET',
    path: '/file/:index/tags',
    summary: 'Lazy preview of the tag tree',
    query: TagTreeQuery,
    mediaType: 'application/json',
    response: TagNodes,
  },
  tagSelect: {
    method: 'GET',
    path: '/file/:index/tags/select',
    summary: 'One element by its path, with pages of sequence items',
    query: TagSelectQuery,
    mediaType: 'application/json',
    response: TagNode,
  },
  tagTable: {
    method: 'GET',
    path: '/file/:index/tags/table',
    summary: 'The elements of one file, or of all files of its series, as CSV',
    query: TagTableQuery,
    mediaType: 'text/csv; charset=utf-8',
    headers: ['Content-Disposition'],
  },
  skippedTags: {
    method: 'GET',
    path: '/not-shown/:entry/tags',
    summary: 'Preview of the tag tree of a DICOM file that is not shown, by the id of its entry in `discovery`',
    query: TagTreeQuery,
    mediaType: 'application/json',
    response: TagNodes,
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
    summary: 'Replaces all ROIs of one file; with If-Match, only if they have not changed',
    body: AnnotationBody,
    mediaType: 'application/json',
    response: AnnotationPayload,
    headers: ['ETag', HEADER.annotationDurability],
  },
  redactions: {
    method: 'GET',
    path: '/file/:index/redactions',
    summary: 'Boxes of one file that are filled in all its pictures and samples',
    mediaType: 'application/json',
    response: AnnotationPayload,
    headers: ['ETag'],
  },
  replaceRedactions: {
    method: 'PUT',
    path: '/file/:index/redactions',
    summary: 'Replaces all redactions of one file; with If-Match, only if they have not changed',
    body: AnnotationBody,
    mediaType: 'application/json',
    response: AnnotationPayload,
    headers: ['ETag', HEADER.annotationDurability],
  },
  redactSeries: {
    method: 'PUT',
    path: '/file/:index/redactions/series',
    summary: 'Gives the redactions of one file to all files of its series with as many rows and columns',
    mediaType: 'application/json',
    response: RedactedSeriesResponse,
  },
  annotatedFiles: {
    method: 'GET',
    path: '/annotations',
    summary: 'The files that have ROIs, with the number of ROIs and the ETag of each',
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
    summary: 'Whether edits are stored on disk, and which ROIs of the open files were kept by an earlier run',
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
  marks: {
    method: 'GET',
    path: '/marks',
    summary: 'Marks of all files that pass the filters, and the ROIs of the specification as marks of kind roi',
    query: MarksQuery,
    mediaType: 'application/json',
    response: MarksResponse,
  },
  createMark: {
    method: 'POST',
    path: '/marks',
    summary: 'Makes a mark: box, ellipse, polygon, line, mask, point, arrow or measurement',
    body: MarkBody,
    mediaType: 'application/json',
    response: WireMark,
    headers: ['ETag', HEADER.annotationDurability],
  },
  changeMarks: {
    method: 'PATCH',
    path: '/marks',
    summary: 'Changes label, class, comment, author or lock of many marks at once: of all of them, or of none',
    body: MarksPatch,
    mediaType: 'application/json',
    response: ChangedMarksResponse,
    headers: [HEADER.annotationDurability],
  },
  mark: {
    method: 'GET',
    path: '/mark/:mark',
    summary: 'One mark',
    mediaType: 'application/json',
    response: WireMark,
    headers: ['ETag'],
  },
  replaceMark: {
    method: 'PUT',
    path: '/mark/:mark',
    summary: 'Replaces one mark; with If-Match, only if it has not changed',
    body: MarkBody,
    mediaType: 'application/json',
    response: WireMark,
    headers: ['ETag', HEADER.annotationDurability],
  },
  changeMark: {
    method: 'PATCH',
    path: '/mark/:mark',
    summary: 'Changes what the body names of one mark; with If-Match, only if it has not changed',
    body: MarkPatch,
    mediaType: 'application/json',
    response: WireMark,
    headers: ['ETag', HEADER.annotationDurability],
  },
  deleteMark: {
    method: 'DELETE',
    path: '/mark/:mark',
    summary: 'Deletes one mark; with If-Match, only if it has not changed',
    mediaType: 'application/json',
    response: DeletedMarkResponse,
    headers: [HEADER.annotationDurability],
  },
  exportMarks: {
    method: 'GET',
    path: '/marks/export.json',
    summary: 'All marks with the files that they name, and the label scheme. What was exported is no longer journalled',
    mediaType: 'application/json',
    headers: ['Content-Disposition'],
  },
  markJournal: {
    method: 'GET',
    path: '/marks/journal',
    summary: 'Whether marks are stored on disk, and which marks on the open files were kept by an earlier run',
    mediaType: 'application/json',
    response: MarkJournalResponse,
  },
  recoverMarks: {
    method: 'PUT',
    path: '/marks/journal',
    summary: 'Restores or forgets the marks that an earlier run has kept',
    body: RecoveryBody,
    mediaType: 'application/json',
    response: MarkJournalResponse,
  },
  labels: {
    method: 'GET',
    path: '/labels',
    summary: 'The classes that marks can have',
    mediaType: 'application/json',
    response: LabelScheme,
    headers: ['ETag'],
  },
  replaceLabels: {
    method: 'PUT',
    path: '/labels',
    summary: 'Replaces the classes that marks can have; with If-Match, only if they have not changed',
    body: LabelScheme,
    mediaType: 'application/json',
    response: LabelScheme,
    headers: ['ETag'],
  },
  preferRegistrations: {
    method: 'PUT',
    path: '/registrations/preferred',
    summary: 'Decides between registrations that lead to different places, until negato ends',
    body: PreferredRegistrations,
    mediaType: 'application/json',
    response: PreferredRegistrations,
  },
  chooseStack: {
    method: 'PUT',
    path: '/attachment/:attachment/stack',
    summary: 'Lays an attachment over one of the stacks that it fits, until negato ends',
    body: AttachmentChoice,
    mediaType: 'application/json',
    response: AttachmentMatchesResponse,
  },
  view: {
    method: 'GET',
    path: '/view',
    summary: 'What the page that was used last shows',
    mediaType: 'application/json',
    response: ViewResponse,
  },
  changeView: {
    method: 'PUT',
    path: '/view',
    summary: 'Makes the page that was used last show something; if none is open, the next one that opens',
    body: ViewChange,
    mediaType: 'application/json',
    response: ViewResponse,
  },
  viewPicture: {
    method: 'POST',
    path: '/view/picture',
    summary: 'A picture of what the page that was used last shows',
    body: ViewPictureChoice,
    mediaType: 'image/png',
  },
  reportPage: {
    method: 'PUT',
    path: '/view/page',
    summary: 'For pages: what a page says of itself; the answer is what it is to do next',
    body: PageReport,
    mediaType: 'application/json',
    response: PageOrders,
  },
  givePicture: {
    method: 'PUT',
    path: '/view/picture/:request',
    summary: 'For pages: the picture that a page was asked for',
    bodyMediaType: 'image/png',
    mediaType: 'application/json',
    response: PictureReceipt,
  },
  issueTicket: {
    method: 'POST',
    path: '/tickets',
    summary: 'A ticket that the page trades for the token, once, if it is opened with #ticket=TICKET',
    mediaType: 'application/json',
    response: TicketResponse,
  },
  redeemTicket: {
    method: 'POST',
    path: '/token',
    summary: 'The token for a ticket. The only endpoint that needs no token',
    body: TicketBody,
    mediaType: 'application/json',
    response: TokenResponse,
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
export const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[];
