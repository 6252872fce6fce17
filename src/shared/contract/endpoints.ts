import { type TObject, type TSchema, Type } from './schema.ts';
import {
  AnnotatedFilesResponse,
  AnnotationBody,
  AnnotationExportQuery,
  AnnotationJournalResponse,
  AnnotationPayload,
  RecoveryBody,
  RedactedSeriesResponse,
  RedactionJournalResponse,
} from './annotations.ts';
import {
  AssistantAnswer,
  AssistantBody,
  AssistantQuestion,
  AssistantsResponse,
  RemovedAssistantResponse,
  WireAssistant,
} from './assistants.ts';
import { AUDIT_NAMES, AuditQuery, AuditResponse } from './audits.ts';
import { ComparisonQuery, ComparisonResponse } from './comparison.ts';
import { ContentQuery } from './content.ts';
import { DocumentResponse } from './documents.ts';
import { DvhQuery, DvhResponse } from './dvh.ts';
import { FilesQuery, FilesResponse, NotShownQuery, NotShownResponse } from './files.ts';
import { DisplayFrameQuery, RawFrameQuery, RawPixelQuery, ThumbnailQuery } from './frames.ts';
import { HangingResponse } from './hanging.ts';
import { HEADER } from './headers.ts';
import { HealthQuery, HealthResponse } from './health.ts';
import { InfoResponse } from './info.ts';
import {
  AttachmentChoice,
  AttachmentMatchesResponse,
  AttachmentsQuery,
  AttachmentsResponse,
  OverlaysResponse,
} from './attachments.ts';
import {
  ChangedMarksResponse,
  DeletedMarkResponse,
  DeletedMarksResponse,
  ImportedMarksResponse,
  LabelScheme,
  MarkBody,
  MarkExportQuery,
  MarkImportQuery,
  MarkJournalResponse,
  MarkPatch,
  MarkStatisticsResponse,
  MarkVolumeQuery,
  MarksDeletion,
  MarksPatch,
  MarksQuery,
  MarksResponse,
  WireMark,
} from './marks.ts';
import { LabelMarksBody, LabelPlanQuery, LabelPlanResponse, LabelVolumeQuery } from './labels.ts';
import { MeshQuery } from './mesh.ts';
import { NarrativeResponse } from './narrative.ts';
import { LayerFrameQuery, LayerRegionQuery, LayerResponse, LayersQuery, LayersResponse } from './layerAnswers.ts';
import { PreferredRegistrations, RegistrationsQuery, RegistrationsResponse } from './registrations.ts';
import { PercentilesResponse } from './percentiles.ts';
import { PlanQuery, PlanResponse } from './plans.ts';
import { PresentationResponse } from './presentation.ts';
import { ReferencedByResponse, ReferencesResponse } from './references.ts';
import { MeasurementsQuery, MeasurementsResponse, ReportQuery, ReportResponse } from './reports.ts';
import { ReviewQuery, ReviewResponse, ReviewUnitResponse, VerdictBody } from './review.ts';
import { ElementSearchQuery } from './search.ts';
import { SegmentationResponse, SegmentStatisticsResponse } from './segmentations.ts';
import { SemanticContextResponse } from './semantics.ts';
import { SeriesResponse } from './series.ts';
import { SheetQuery } from './sheets.ts';
import { SpectraResponse } from './spectra.ts';
import {
  ColumnsBody,
  ColumnsResponse,
  TableFileQuery,
  TableQuery,
  TableResponse,
  TableSummaryQuery,
  TableSummaryResponse,
} from './tables.ts';
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
  VolumeRegionQuery,
  VolumeRegionResponse,
  VolumeResponse,
  VolumeArrayPlanResponse,
  VolumeArrayQuery,
  VolumeValueQuery,
  VolumeValueResponse,
} from './volumes.ts';
import { PageOrders, PageReport, ViewPictureChoice, PictureReceipt, ViewChange, ViewResponse } from './view.ts';
import { WaveformResponse, WaveformSamplesQuery } from './waveforms.ts';
import { VideoQuery } from './video.ts';
import { WsiContextResponse, WsiTilesResponse } from './wsi.ts';

export type Endpoint = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below /api, with `:name` for path parameters: non-negative integers, but for those in `TEXT_PARAMETERS`. */
  readonly path: string;
  readonly summary: string;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Of a body that is no JSON. */
  readonly bodyMediaType?: string;
  readonly mediaType: string;
  /** Of a successful response, if that is not 200. */
  readonly status?: 202;
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

const FRAME_PICTURE = {
  mediaType: 'image/png',
  headers: [HEADER.cache],
  otherHeaders: [HEADER.damage, HEADER.outOfRange],
} as const;

const FRAME_SAMPLES = {
  mediaType: 'application/octet-stream',
  headers: RAW_HEADERS,
  otherHeaders: [HEADER.damage, HEADER.outOfRange],
} as const;

const PLANE_PICTURE = {
  mediaType: 'image/png',
  headers: [HEADER.cache, ...PLANE_HEADERS],
  otherHeaders: [HEADER.damage],
} as const;

const LAYER_PACKET = {
  mediaType: 'application/octet-stream',
  headers: [HEADER.cache],
  otherHeaders: [HEADER.damage],
} as const;

const CHANGED_MARK = { response: WireMark, headers: ['ETag', HEADER.annotationDurability] } as const;

const TABLE_FILE = {
  summary: 'All rows of such a table as a file, written while it is sent',
  query: TableFileQuery,
  headers: ['Content-Disposition'],
} as const;

const REVIEW_FILE = {
  summary: 'What was decided of all units as a file: one row a unit, and columns for each reader',
  headers: ['Content-Disposition'],
} as const;

/** Path parameters that are texts, and the words that they can be; undefined for any text. */
export const TEXT_PARAMETERS: ReadonlyMap<string, readonly string[] | undefined> = new Map([
  ['study', undefined],
  ['series', undefined],
  ['audit', AUDIT_NAMES],
]);

/** An endpoint answers with JSON if it does not say otherwise. */
const endpoint =
  (method: Endpoint['method']) =>
  <const Parts extends Partial<Endpoint> & Pick<Endpoint, 'summary'>>(path: string, parts: Parts) => ({
    method,
    path,
    mediaType: 'application/json',
    ...parts,
  });
const get = endpoint('GET');
const put = endpoint('PUT');
const post = endpoint('POST');
const patch = endpoint('PATCH');
const remove = endpoint('DELETE');

/** The whole HTTP API. The server registers its routes from it, and OpenAPI is generated from it. */
export const ENDPOINTS = {
  health: get('/health', {
    summary: 'Ready state, build identity, file count and start time',
    query: HealthQuery,
    response: HealthResponse,
  }),
  openapi: get('/openapi.json', {
    summary: 'This API as an OpenAPI 3.1 document',
    response: Type.Record(Type.String(), Type.Unknown()),
  }),
  files: get('/files', {
    summary: 'Progressive file registry, discovery ledger, counters and tunnel state',
    query: FilesQuery,
    response: FilesResponse,
  }),
  events: get('/events', {
    summary: 'Scan progress and registry revisions, pushed as server-sent events',
    mediaType: 'text/event-stream',
  }),
  series: get('/series', {
    summary: 'Stacks of images of each series, with the file and frame of each image',
    response: SeriesResponse,
  }),
  sheet: get('/series/:study/:series/sheet', {
    summary: 'Key slices of one series as one picture; the two parts of its path are the id of the series',
    query: SheetQuery,
    mediaType: 'image/png',
    headers: [HEADER.cache, HEADER.sheetColumns, HEADER.sheetTiles],
    otherHeaders: [HEADER.windowCenter, HEADER.windowWidth, HEADER.sheetProblems, HEADER.sheetLeftOut],
  }),
  info: get('/file/:index/info', {
    summary: 'Frame, geometry, syntax, kind, support and default window of one file',
    response: InfoResponse,
  }),
  displayFrame: get('/file/:index/frame/:frame', {
    summary: 'One frame as a picture. For gray frames, X-Frame-Window-* headers give the window that was applied',
    query: DisplayFrameQuery,
    ...FRAME_PICTURE,
    otherMediaType: 'image/jpeg',
  }),
  rawFrame: get('/file/:index/frame/:frame/raw', {
    summary: 'The decoded samples of one frame, little endian, color-by-pixel; headers describe them',
    query: RawFrameQuery,
    ...FRAME_SAMPLES,
  }),
  rawPixel: get('/file/:index/frame/:frame/raw/pixel', {
    summary: 'The decoded samples of one pixel, as a raw frame of one row and one column',
    query: RawPixelQuery,
    ...FRAME_SAMPLES,
  }),
  thumbnail: get('/file/:index/frame/:frame/thumbnail', {
    summary: 'One frame as a small picture with square pixels, with its own window or the requested one',
    query: ThumbnailQuery,
    ...FRAME_PICTURE,
  }),
  percentiles: get('/file/:index/frame/:frame/percentiles', {
    summary: 'Percentiles of the modality values of one gray frame, to compute a window for several frames',
    response: PercentilesResponse,
  }),
  volume: get('/file/:index/volume', {
    summary: 'The volume that the stack of one file fills, its times and holes, or why it is none',
    query: VolumeQuery,
    response: VolumeResponse,
  }),
  volumeValue: get('/file/:index/volume/value', {
    summary: 'The value of a volume at one point of the patient, and the stored sample that the point lies in',
    query: VolumeValueQuery,
    response: VolumeValueResponse,
  }),
  volumeRegion: get('/file/:index/volume/region', {
    summary:
      'The region of a volume that grows from one sample to all that are joined to it and have values in a range',
    query: VolumeRegionQuery,
    response: VolumeRegionResponse,
  }),
  nifti: get('/file/:index/volume/nifti', {
    summary: 'The volume that the stack of one file fills as a NIfTI file, written while it is sent',
    query: NiftiQuery,
    mediaType: 'application/gzip',
    otherMediaType: 'application/octet-stream',
    headers: ['Content-Disposition'],
  }),
  niftiSidecar: get('/file/:index/volume/nifti/sidecar', {
    summary: 'What the headers say about that volume, in the words of BIDS and without the patient',
    query: NiftiSidecarQuery,
    response: NiftiSidecarResponse,
    headers: ['Content-Disposition'],
  }),
  volumeArray: get('/file/:index/volume/array', {
    summary:
      'The volume that the stack of one file fills as a NumPy array, as stored or as values, written while it is sent',
    query: VolumeArrayQuery,
    mediaType: 'application/octet-stream',
    headers: ['Content-Disposition'],
  }),
  volumeArrayPlan: get('/file/:index/volume/array/plan', {
    summary: 'What such an array has: its type, shape, unit and times, and where its samples are',
    query: VolumeArrayQuery,
    response: VolumeArrayPlanResponse,
  }),
  markVolume: get('/file/:index/volume/marks', {
    summary: 'The areas among the marks of the stack of one file as a label volume, or as a DICOM segmentation',
    query: MarkVolumeQuery,
    mediaType: 'application/gzip',
    otherMediaType: ['application/octet-stream', 'application/dicom'],
    headers: ['Content-Disposition'],
    otherHeaders: [HEADER.marksLeftOut],
  }),
  labelVolume: get('/file/:index/volume/labels', {
    summary: 'Parts of layers over the stack of one file, and its marks, as labels: NIfTI, NRRD, NumPy or DICOM SEG',
    query: LabelVolumeQuery,
    mediaType: 'application/gzip',
    otherMediaType: ['application/octet-stream', 'application/dicom', 'application/zip'],
    headers: ['Content-Disposition'],
    otherHeaders: [HEADER.labelsLeftOut],
  }),
  labelPlan: get('/file/:index/volume/labels/plan', {
    summary: 'What such a label volume has: its labels, their samples, and which of them overlap',
    query: LabelPlanQuery,
    response: LabelPlanResponse,
  }),
  labelMarks: post('/file/:index/volume/labels/marks', {
    summary: 'Makes an editable mask of each part of layers, on the images of the stack of one file',
    body: LabelMarksBody,
    response: ImportedMarksResponse,
    headers: [HEADER.annotationDurability],
  }),
  compare: get('/compare', {
    summary: 'How far two layers over one stack, or its marks, agree: truth and test, part by part',
    query: ComparisonQuery,
    response: ComparisonResponse,
  }),
  displayPlane: get('/file/:index/plane', {
    summary: 'Any plane or slab of a volume as a picture',
    query: DisplayPlaneQuery,
    ...PLANE_PICTURE,
  }),
  rawPlane: get('/file/:index/plane/raw', {
    summary: 'The samples of any plane or slab of a volume, as those of a raw frame',
    query: RawPlaneQuery,
    mediaType: 'application/octet-stream',
    headers: [...RAW_HEADERS, ...PLANE_HEADERS],
    otherHeaders: [HEADER.damage],
  }),
  planeThumbnail: get('/file/:index/plane/thumbnail', {
    summary: 'Any plane or slab of a volume as a small picture with square pixels',
    query: PlaneThumbnailQuery,
    ...PLANE_PICTURE,
  }),
  references: get('/file/:index/references', {
    summary: 'The references that one file declares, and the open files that they match',
    response: ReferencesResponse,
  }),
  referencedBy: get('/file/:index/referenced-by', {
    summary: 'The open objects that reference one file, and the frames that they reference',
    response: ReferencedByResponse,
  }),
  document: get('/file/:index/document', {
    summary: 'What an object is, whatever its SOP class: title, status, facts, tables, links and warnings',
    response: DocumentResponse,
  }),
  report: get('/file/:index/report', {
    summary: 'The content tree of a structured report or key object selection, in pages',
    query: ReportQuery,
    response: ReportResponse,
  }),
  reportMeasurements: get('/file/:index/report/measurements', {
    summary: 'The measurements of a structured report in groups, whatever its template',
    query: MeasurementsQuery,
    otherMediaType: 'text/csv',
    response: MeasurementsResponse,
  }),
  waveform: get('/file/:index/waveform', {
    summary: 'Multiplex groups, channels and annotations of a waveform, such as an ECG',
    response: WaveformResponse,
  }),
  waveformSamples: get('/file/:index/waveform/:group/samples', {
    summary: 'Values of one multiplex group in physical units, float32, channel after channel; NaN where there is none',
    query: WaveformSamplesQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.waveformFrom, HEADER.waveformTo, HEADER.waveformValues, HEADER.waveformForm],
  }),
  spectra: get('/file/:index/spectra', {
    summary: 'Number, grid and frequency axis of the spectra of an MR spectroscopy object',
    response: SpectraResponse,
  }),
  spectrum: get('/file/:index/spectra/:spectrum', {
    summary: 'One spectrum or free induction decay as stored: complex float32, real part first',
    mediaType: 'application/octet-stream',
  }),
  plan: get('/file/:index/plan', {
    summary:
      'A treatment plan or a record of a treatment: prescriptions, fractions, beams and channels, and the control points of one of them',
    query: PlanQuery,
    response: PlanResponse,
  }),
  content: get('/file/:index/content', {
    summary:
      'The file that an object encapsulates, as a download. Its media type is what its bytes show, whatever the object declares',
    query: ContentQuery,
    mediaType: 'application/octet-stream',
    otherMediaType: ['application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'model/stl'],
    headers: ['Content-Disposition', 'Accept-Ranges'],
    takesRange: true,
    isUnmaskable: true,
  }),
  narrative: get('/file/:index/narrative', {
    summary: 'The text of a CDA document as parts that can be shown; nothing of it is HTML',
    response: NarrativeResponse,
    isUnmaskable: true,
  }),
  narrativeMedium: get('/file/:index/narrative/medium/:medium', {
    summary: 'A picture or PDF that a CDA document holds. Its media type is what its bytes show; SVG is refused',
    mediaType: 'image/png',
    otherMediaType: ['image/jpeg', 'image/gif', 'application/pdf'],
    headers: ['Content-Disposition'],
    isUnmaskable: true,
  }),
  mesh: get('/file/:index/mesh', {
    summary: 'The points of an STL or OBJ model as 32-bit floats, then three 32-bit indices for each triangle',
    query: MeshQuery,
    mediaType: 'application/octet-stream',
    headers: [HEADER.meshPoints, HEADER.meshTriangles],
    isUnmaskable: true,
  }),
  video: get('/file/:index/video', {
    summary: 'The video of an object as an MP4 file, or its stream as it is stored',
    query: VideoQuery,
    mediaType: 'video/mp4',
    otherMediaType: 'application/octet-stream',
    headers: ['Accept-Ranges'],
    otherHeaders: [HEADER.videoCodec, HEADER.videoFrames, HEADER.videoFrameTime, 'Content-Disposition'],
    takesRange: true,
    isUnmaskable: true,
  }),
  presentation: get('/file/:index/presentation', {
    summary:
      'What a presentation state or key object selection says, the open images that it names, and the missing ones',
    response: PresentationResponse,
  }),
  wsiContext: get('/file/:index/frame/:frame/wsi-context', {
    summary: 'Position of one tile of a whole slide image, and the other images of the slide',
    response: WsiContextResponse,
  }),
  wsiTiles: get('/file/:index/wsi-tiles', {
    summary: 'Layout of all tiles of one whole slide image, its optical paths and its focal planes',
    response: WsiTilesResponse,
  }),
  semanticContext: get('/file/:index/semantic-context', {
    summary: 'Meaning of the pixel values of a segmentation, parametric map or dose',
    response: SemanticContextResponse,
  }),
  valueMapping: get('/file/:index/frame/:frame/value-mapping', {
    summary: 'Mapping of the stored values of one frame to modality values and real world values',
    response: ValueMappingResponse,
  }),
  segmentationOverlay: get('/file/:index/frame/:frame/segmentation-overlay', {
    summary: 'One segmentation frame as a transparent mask of the size of its source frame',
    mediaType: 'image/png',
    headers: [HEADER.cache],
    otherHeaders: [HEADER.damage],
  }),
  segmentation: get('/file/:index/segmentation', {
    summary: 'The segments of one segmentation, the open images that it covers, and its frames that cover none',
    response: SegmentationResponse,
  }),
  segmentStatistics: get('/file/:index/segment-statistics', {
    summary: 'Voxel count and volume in cubic millimetres of each segment, with its first and last frame',
    response: SegmentStatisticsResponse,
  }),
  layers: get('/layers', {
    summary: 'The layers over the stack of one frame, and those of its study that cannot lie there, with the reason',
    query: LayersQuery,
    response: LayersResponse,
  }),
  layer: get('/layer/:layer', {
    summary: 'The parts of one layer, the open images that it lies over, and what lies over none',
    response: LayerResponse,
  }),
  layerFrame: get('/layer/:layer/frame', {
    summary: 'What one layer puts over one frame of an image: values and coordinates in pixels of that frame',
    query: LayerFrameQuery,
    ...LAYER_PACKET,
  }),
  layerOverPlane: get('/layer/:layer/plane', {
    summary: 'What one layer has in any plane or slab of the patient',
    query: LayerPlaneQuery,
    ...LAYER_PACKET,
  }),
  dvh: get('/file/:index/dvh', {
    summary: 'Dose-volume histograms of the ROIs of a structure set, or of the segments of a segmentation, in one dose',
    query: DvhQuery,
    response: DvhResponse,
  }),
  layerRegion: get('/layer/:layer/region', {
    summary: 'What one layer has on a part of a slide: annotations or clusters of them, graphics, or masks',
    query: LayerRegionQuery,
    ...LAYER_PACKET,
  }),
  registrations: get('/registrations', {
    summary: 'Registrations that connect images with others in different ways, with the angle and shift of each way',
    query: RegistrationsQuery,
    response: RegistrationsResponse,
  }),
  attachments: get('/attachments', {
    summary: 'Model output that is no DICOM file: NIfTI, NRRD, NPY, NPZ and PNG, and the images that it lies over',
    query: AttachmentsQuery,
    response: AttachmentsResponse,
  }),
  overlays: get('/overlays', {
    summary: 'What was named with `--overlay`, `--truth` and `--test`, by number of layer',
    response: OverlaysResponse,
  }),
  attachmentMatches: get('/attachment/:attachment/matches', {
    summary: 'The stacks of images that one attachment fits, the best first, with the way it does',
    response: AttachmentMatchesResponse,
  }),
  storedFile: get('/file/:index/file', {
    summary: 'The file as it is stored, as a download. Supports a request for one byte range',
    mediaType: 'application/dicom',
    headers: ['Content-Disposition', 'Accept-Ranges'],
    takesRange: true,
    isUnmaskable: true,
  }),
  tags: get('/file/:index/tags', {
    summary: 'Lazy preview of the tag tree',
    query: TagTreeQuery,
    response: TagNodes,
  }),
  tagSelect: get('/file/:index/tags/select', {
    summary: 'One element by its path, with pages of sequence items',
    query: TagSelectQuery,
    response: TagNode,
  }),
  tagTable: get('/file/:index/tags/table', {
    summary: 'The elements of one file, or of all files of its series, as CSV',
    query: TagTableQuery,
    mediaType: 'text/csv; charset=utf-8',
    headers: ['Content-Disposition'],
  }),
  notShown: get('/not-shown', {
    summary: 'All files that exist and are not shown, with the reason',
    query: NotShownQuery,
    response: NotShownResponse,
  }),
  skippedTags: get('/not-shown/:entry/tags', {
    summary: 'Preview of the tag tree of a DICOM file that is not shown, by the id of its entry',
    query: TagTreeQuery,
    response: TagNodes,
  }),
  skippedTagSelect: get('/not-shown/:entry/tags/select', {
    summary: 'One element of a DICOM file that is not shown',
    query: TagSelectQuery,
    response: TagNode,
  }),
  annotations: get('/file/:index/annotations', {
    summary: 'All ROIs of one file',
    response: AnnotationPayload,
    headers: ['ETag'],
  }),
  replaceAnnotations: put('/file/:index/annotations', {
    summary: 'Replaces all ROIs of one file; with If-Match, only if they have not changed',
    body: AnnotationBody,
    response: AnnotationPayload,
    headers: ['ETag', HEADER.annotationDurability],
  }),
  redactions: get('/file/:index/redactions', {
    summary: 'Boxes of one file that are filled in all its pictures and samples',
    response: AnnotationPayload,
    headers: ['ETag'],
  }),
  replaceRedactions: put('/file/:index/redactions', {
    summary: 'Replaces all redactions of one file; with If-Match, only if they have not changed',
    body: AnnotationBody,
    response: AnnotationPayload,
    headers: ['ETag', HEADER.annotationDurability],
  }),
  redactSeries: put('/file/:index/redactions/series', {
    summary: 'Gives the redactions of one file to all files of its series with as many rows and columns',
    response: RedactedSeriesResponse,
  }),
  redactionJournal: get('/redactions/journal', {
    summary: 'Which redactions of an earlier run or of another server are in effect, and which could not be read',
    response: RedactionJournalResponse,
  }),
  recoverRedactions: put('/redactions/journal', {
    summary: 'Confirms or removes the redactions of an earlier run, or goes on without those that could not be read',
    body: RecoveryBody,
    response: RedactionJournalResponse,
  }),
  annotatedFiles: get('/annotations', {
    summary: 'The files that have ROIs, with the number of ROIs and the ETag of each',
    response: AnnotatedFilesResponse,
  }),
  exportAnnotations: get('/annotations/export.csv', {
    summary: 'The ROIs of all files as CSV, one row per file that has any',
    query: AnnotationExportQuery,
    mediaType: 'text/csv; charset=utf-8',
    headers: ['Content-Disposition'],
  }),
  annotationJournal: get('/annotations/journal', {
    summary: 'Whether edits are stored on disk, and which ROIs of the open files were kept by an earlier run',
    response: AnnotationJournalResponse,
  }),
  recoverAnnotations: put('/annotations/journal', {
    summary: 'Restores or forgets the ROIs that an earlier run has kept',
    body: RecoveryBody,
    response: AnnotationJournalResponse,
  }),
  marks: get('/marks', {
    summary: 'Marks of all files that pass the filters, and the ROIs of the specification as marks of kind roi',
    query: MarksQuery,
    response: MarksResponse,
  }),
  createMark: post('/marks', {
    summary: 'Makes a mark: box, ellipse, polygon, line, mask, point, arrow or measurement',
    body: MarkBody,
    ...CHANGED_MARK,
  }),
  changeMarks: patch('/marks', {
    summary: 'Changes label, class, comment, author or lock of many marks at once: of all of them, or of none',
    body: MarksPatch,
    response: ChangedMarksResponse,
    headers: [HEADER.annotationDurability],
  }),
  deleteMarks: remove('/marks', {
    summary: 'Deletes many marks at once: all of them, or none; with their ETags, only if none has changed',
    body: MarksDeletion,
    response: DeletedMarksResponse,
    headers: [HEADER.annotationDurability],
  }),
  mark: get('/mark/:mark', {
    summary: 'One mark',
    response: WireMark,
    headers: ['ETag'],
  }),
  markStatistics: get('/mark/:mark/statistics', {
    summary: 'Number, range, mean, standard deviation, area and volume of the pixels inside of one mark',
    response: MarkStatisticsResponse,
    headers: ['ETag'],
  }),
  replaceMark: put('/mark/:mark', {
    summary: 'Replaces one mark; with If-Match, only if it has not changed',
    body: MarkBody,
    ...CHANGED_MARK,
  }),
  changeMark: patch('/mark/:mark', {
    summary: 'Changes what the body names of one mark; with If-Match, only if it has not changed',
    body: MarkPatch,
    ...CHANGED_MARK,
  }),
  deleteMark: remove('/mark/:mark', {
    summary: 'Deletes one mark; with If-Match, only if it has not changed',
    response: DeletedMarkResponse,
    headers: [HEADER.annotationDurability],
  }),
  exportMarks: get('/marks/export.json', {
    summary: 'All marks with the files that they name, and the label scheme. What was exported is no longer journalled',
    headers: ['Content-Disposition'],
  }),
  convertMarks: get('/marks/export', {
    summary: 'Marks that pass the filters in a format of other programs. X-Marks-Left-Out says what it cannot hold',
    query: MarkExportQuery,
    mediaType: 'text/csv; charset=utf-8',
    otherMediaType: ['application/json', 'application/geo+json', 'application/dicom'],
    headers: ['Content-Disposition'],
    otherHeaders: [HEADER.marksLeftOut],
  }),
  importMarks: post('/marks/import', {
    summary: 'Makes the marks of a file that negato or another program has written. What cannot be made is listed',
    query: MarkImportQuery,
    body: Type.Unknown(),
    response: ImportedMarksResponse,
    headers: [HEADER.annotationDurability],
  }),
  markJournal: get('/marks/journal', {
    summary: 'Whether marks are stored on disk, and which marks on the open files were kept by an earlier run',
    response: MarkJournalResponse,
  }),
  recoverMarks: put('/marks/journal', {
    summary: 'Restores or forgets the marks that an earlier run has kept',
    body: RecoveryBody,
    response: MarkJournalResponse,
  }),
  columns: get('/columns', {
    summary: 'The columns of the table of all files: what the list tells, what was read for it, what users have made',
    response: ColumnsResponse,
  }),
  replaceColumns: put('/columns', {
    summary: 'Replaces the columns that are read from the files, in the background',
    body: ColumnsBody,
    status: 202,
    response: ColumnsResponse,
  }),
  table: get('/table', {
    summary: 'Rows of the table of all files: files, series or studies that a condition chooses, sorted and grouped',
    query: TableQuery,
    response: TableResponse,
  }),
  tableSummary: get('/table/summary', {
    summary: 'How often each value of some columns is in the chosen rows, or how numbers are distributed',
    query: TableSummaryQuery,
    response: TableSummaryResponse,
  }),
  search: get('/search', {
    summary: 'All elements of all files in which a text is found, a line of JSON for each, as they are found',
    query: ElementSearchQuery,
    mediaType: 'application/x-ndjson',
  }),
  tableCsv: get('/table.csv', { ...TABLE_FILE, mediaType: 'text/csv; charset=utf-8' }),
  tableJsonl: get('/table.jsonl', { ...TABLE_FILE, mediaType: 'application/x-ndjson' }),
  tableParquet: get('/table.parquet', { ...TABLE_FILE, mediaType: 'application/vnd.apache.parquet' }),
  audit: get('/audit/:audit', {
    summary: 'Looks at all files together: gaps, copies, deviations, what is not there, what identifies people',
    query: AuditQuery,
    response: AuditResponse,
  }),
  review: get('/review', {
    summary: 'The review of `--review`: what can be decided, how far it is, and its units in their order',
    query: ReviewQuery,
    response: ReviewResponse,
  }),
  reviewUnit: get('/review/:unit', {
    summary: 'One unit of the review, and what was decided of it',
    response: ReviewUnitResponse,
    headers: ['ETag'],
  }),
  decide: put('/review/:unit', {
    summary: 'Writes a decision, which is on the disk when this responds; with If-Match, only if it has not changed',
    body: VerdictBody,
    response: ReviewUnitResponse,
    headers: ['ETag'],
  }),
  reviewCsv: get('/review.csv', { ...REVIEW_FILE, mediaType: 'text/csv; charset=utf-8' }),
  reviewJsonl: get('/review.jsonl', { ...REVIEW_FILE, mediaType: 'application/x-ndjson' }),
  reviewParquet: get('/review.parquet', { ...REVIEW_FILE, mediaType: 'application/vnd.apache.parquet' }),
  hanging: get('/hanging', {
    summary: 'The rules for what a study shows when it is opened, of `--hanging`',
    response: HangingResponse,
  }),
  labels: get('/labels', {
    summary: 'The classes that marks can have',
    response: LabelScheme,
    headers: ['ETag'],
  }),
  replaceLabels: put('/labels', {
    summary: 'Replaces the classes that marks can have; with If-Match, only if they have not changed',
    body: LabelScheme,
    response: LabelScheme,
    headers: ['ETag'],
  }),
  assistants: get('/assistants', {
    summary: 'Programs of the user that answer prompts with masks, and which of them can be asked now',
    response: AssistantsResponse,
  }),
  addAssistant: post('/assistants', {
    summary: 'For programs of this machine: adds one that answers prompts. Pages are refused',
    body: AssistantBody,
    response: WireAssistant,
  }),
  removeAssistant: remove('/assistants/:assistant', {
    summary: 'For programs of this machine: removes one that was added. Pages are refused',
    response: RemovedAssistantResponse,
  }),
  askAssistant: post('/assistants/:assistant/answer', {
    summary: 'What one assistant makes of prompts, as masks of stored frames. Nothing is changed by it',
    body: AssistantQuestion,
    response: AssistantAnswer,
  }),
  preferRegistrations: put('/registrations/preferred', {
    summary: 'Decides between registrations that lead to different places, until negato ends',
    body: PreferredRegistrations,
    response: PreferredRegistrations,
  }),
  chooseStack: put('/attachment/:attachment/stack', {
    summary: 'Lays an attachment over one of the stacks that it fits, until negato ends',
    body: AttachmentChoice,
    response: AttachmentMatchesResponse,
  }),
  view: get('/view', {
    summary: 'What the page that was used last shows',
    response: ViewResponse,
  }),
  changeView: put('/view', {
    summary: 'Makes the page that was used last show something; if none is open, the next one that opens',
    body: ViewChange,
    response: ViewResponse,
  }),
  viewPicture: post('/view/picture', {
    summary: 'A picture of what the page that was used last shows',
    body: ViewPictureChoice,
    mediaType: 'image/png',
  }),
  reportPage: put('/view/page', {
    summary: 'For pages: what a page says of itself; the answer is what it is to do next',
    body: PageReport,
    response: PageOrders,
  }),
  givePicture: put('/view/picture/:request', {
    summary: 'For pages: the picture that a page was asked for',
    bodyMediaType: 'image/png',
    response: PictureReceipt,
  }),
  issueTicket: post('/tickets', {
    summary: 'A ticket that the page trades for the token, once, if it is opened with #ticket=TICKET',
    response: TicketResponse,
  }),
  redeemTicket: post('/token', {
    summary: 'The token for a ticket. The only endpoint that needs no token',
    body: TicketBody,
    response: TokenResponse,
  }),
} satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
export const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[];
