import { ENDPOINTS, type EndpointName } from '../../src/shared/contract/endpoints.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeNpy } from './arrayFiles.ts';
import { DOSE_CENTRE, writeDose } from './fieldFiles.ts';
import { planElements } from './planElements.ts';
import { AXIAL, FRAME_OF_REFERENCE, segmentationElements } from './placedElements.ts';
import { named, stateElements } from './presentationElements.ts';
import { measurementGroup, reportElements, scoord, slideAnnotationElements } from './regionElements.ts';
import { writeSlice } from './sliceFiles.ts';
import { slideElements } from './slideElements.ts';
import { circle, structureSetElements } from './structureSetElements.ts';
import { spectroscopyElements, waveformElements, waveformGroup } from './waveformElements.ts';
import { createTempFolder, writeBelow } from './tempFolder.ts';

/** A CT image with every property that the endpoints report, and a sequence. */
export function writeFullCt(planted: DataSetInput = {}): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
    SOPInstanceUID: '1.2.826.0.1.3680043.10.1.1',
    StudyInstanceUID: '1.2.826.0.1.3680043.10.1.2',
    SeriesInstanceUID: '1.2.826.0.1.3680043.10.1.3',
    FrameOfReferenceUID: '1.2.826.0.1.3680043.10.1.4',
    Modality: 'CT',
    PatientID: 'P1',
    PatientName: 'Doe^Jane',
    StudyDate: '20240131',
    InstanceNumber: 7,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 2,
    Columns: 2,
    BitsAllocated: 16,
    BitsStored: 12,
    HighBit: 11,
    PixelRepresentation: 0,
    PixelSpacing: ['0.5', '0.5'],
    WindowCenter: ['40', '300'],
    WindowWidth: ['400', '1500'],
    WindowCenterWidthExplanation: ['SOFT', 'BONE'],
    RescaleIntercept: '-1024',
    RescaleSlope: '1',
    RescaleType: 'HU',
    ReferencedStudySequence: [
      { ReferencedSOPClassUID: '1.2.840.10008.3.1.2.3.1', ReferencedSOPInstanceUID: '1.2.826.0.1.3680043.10.1.5' },
    ],
    PixelData: Uint16Array.of(0, 1000, 2000, 4095),
    ...planted,
  });
}

/** A segmentation of that image. */
function writeMask(planted: DataSetInput): Uint8Array {
  const source = { uid: '1.2.826.0.1.3680043.10.1.1', preserved: true };
  const frames = [{ samples: [0, 1, 1, 0], source }];
  return writeDicom({ ...segmentationElements({ rows: 2, columns: 2, type: 'BINARY', frames }), ...planted });
}

/** A segmentation in two planes. */
function writePlacedMask(planted: DataSetInput): Uint8Array {
  const frames = [0, 2].map((z) => ({ samples: [0, 1, 1, 0], plane: { ...AXIAL, position: [0, 3, z] } }));
  const elements = segmentationElements({ rows: 2, columns: 2, type: 'BINARY', frames });
  return writeDicom({ ...elements, SOPInstanceUID: '2.25.603', ...planted });
}

/** A presentation state of that image, with a graphic and a text. */
function writeState(planted: DataSetInput): Uint8Array {
  const graphic = { GraphicAnnotationUnits: 'PIXEL', GraphicType: 'CIRCLE', GraphicData: [1, 1, 2, 1] };
  const text = { AnchorPointAnnotationUnits: 'PIXEL', AnchorPoint: [1, 1], UnformattedTextValue: 'here' };
  return writeDicom({
    ...stateElements([named('1.2.826.0.1.3680043.10.1.1')], {
      GraphicLayerSequence: [{ GraphicLayer: 'L', GraphicLayerOrder: '1' }],
      GraphicAnnotationSequence: [{ GraphicLayer: 'L', GraphicObjectSequence: [graphic], TextObjectSequence: [text] }],
      SoftcopyVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '400' }],
      DisplayedAreaSelectionSequence: [
        { DisplayedAreaTopLeftHandCorner: [1, 1], DisplayedAreaBottomRightHandCorner: [2, 2] },
      ],
    }),
    ...planted,
  });
}

/** A file that is not listed but has tags. */
function writeDirectory(planted: DataSetInput): Uint8Array {
  return writeDicom({ SOPClassUID: '1.2.840.10008.1.3.10', SOPInstanceUID: '2.25.7', FileSetID: 'DISC', ...planted });
}

/** A structure set in the dose, which also has a histogram of it. */
function writeSphere(planted: DataSetInput): Uint8Array {
  const contours = [-3, 0, 3].map((dz) => ({
    points: circle([DOSE_CENTRE[0], DOSE_CENTRE[1], DOSE_CENTRE[2] + dz], 9),
  }));
  return writeDicom(
    structureSetElements([{ number: 1, name: 'Target', contours }], { SOPInstanceUID: '2.25.604', ...planted }),
  );
}

const STORED_DVH = {
  ReferencedStructureSetSequence: [{ ReferencedSOPInstanceUID: '2.25.604' }],
  DVHSequence: [
    {
      DVHType: 'CUMULATIVE',
      DoseUnits: 'GY',
      DVHDoseScaling: '1',
      DVHVolumeUnits: 'PERCENT',
      DVHNumberOfBins: '2',
      DVHData: ['60', '100', '6', '50'],
      DVHReferencedROISequence: [{ ReferencedROINumber: '1', DVHROIContributionType: 'INCLUDED' }],
    },
  ],
};

/** Model output that fits the two slices. */
export function writeEveryAttachment(): string {
  return writeBelow(createTempFolder(), 'labels.npy', writeNpy([2, 20, 30], new Uint8Array(1200).fill(1)));
}

/** A file in an object; its bytes are of no known format. */
function writeContent(planted: DataSetInput): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.1',
    SOPInstanceUID: '2.25.605',
    EncapsulatedDocument: new TextEncoder().encode('text'),
    ...planted,
  });
}

function writeCda(planted: DataSetInput): Uint8Array {
  // Of a PNG file only what is looked at: the signature, then length, name, width and height of its header.
  const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000200000001', 'hex').toString('base64');
  const media = `<entry><observationMedia ID="m"><value representation="B64">${png}</value></observationMedia></entry>`;
  const text = '<text>one<renderMultiMedia referencedObject="m"/></text>';
  const section = `<component><section><title>S</title>${text}${media}</section></component>`;
  const xml = `<ClinicalDocument><component><structuredBody>${section}</structuredBody></component></ClinicalDocument>`;
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.2',
    SOPInstanceUID: '2.25.607',
    EncapsulatedDocument: new TextEncoder().encode(xml),
    ...planted,
  });
}

function writeMesh(planted: DataSetInput): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.4',
    SOPInstanceUID: '2.25.608',
    EncapsulatedDocument: new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'),
    ...planted,
  });
}

/** A video of which only the first box is there. */
function writeVideo(planted: DataSetInput): Uint8Array {
  const box = Uint8Array.of(0, 0, 0, 16, ...new TextEncoder().encode('ftypisom'), 0, 0, 2, 0);
  return writeDicom(
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.4.1',
      SOPInstanceUID: '2.25.606',
      PixelData: { fragments: [box] },
      ...planted,
    },
    { transferSyntaxUid: '1.2.840.10008.1.2.4.102' },
  );
}

/** Files for the requests below, each with the planted elements. The two slices are a volume. */
export function writeEveryFile(planted: DataSetInput = {}): Uint8Array[] {
  const write = (elements: DataSetInput) => writeDicom({ ...elements, ...planted });
  const slices = [writeSlice({ number: 0 }, planted), writeSlice({ number: 1 }, planted)];
  const annotations = write(slideAnnotationElements([{ type: 'POINT', values: [2, 3] }]));
  const report = write(reportElements([measurementGroup('Nodule', [scoord('POINT', [1, 1], '2.25.71')], 8)]));
  const waveform = write(waveformElements([waveformGroup({ leads: ['I', 'II'], samples: 16, value: () => 1 })]));
  const spectra = write(spectroscopyElements(() => [1, 0]));
  const planned = write(planElements());
  const documents = [
    report,
    waveform,
    spectra,
    planned,
    writeContent(planted),
    writeVideo(planted),
    writeCda(planted),
    writeMesh(planted),
  ];
  const dose = writeDose({ different: { ...STORED_DVH, ...planted } });
  const others = [writePlacedMask(planted), writeState(planted), writeSphere(planted), dose, annotations, ...documents];
  const [slide, directory] = [write(slideElements()), writeDirectory(planted)];
  return [writeFullCt(planted), slide, writeMask(planted), directory, ...slices, ...others];
}

/** A plane through two slices. */
const PLANE = 'position=0,3,0&orientation=1,0,0,0,0,1&spacing=1,1&rows=3&columns=20';

/** A successful request for each endpoint of the table. */
export const EVERY_REQUEST: Readonly<Record<EndpointName, string>> = {
  health: '/api/health',
  openapi: '/api/openapi.json',
  files: '/api/files',
  events: '/api/events',
  columns: '/api/columns',
  replaceColumns: '/api/columns',
  table: '/api/table?columns=*&partial=1&sort=-PatientID&group=Modality',
  tableSummary: '/api/table/summary?columns=*&partial=1',
  search: '/api/search?q=a&in=both&private=1',
  tableCsv: '/api/table.csv?columns=*&partial=1',
  tableJsonl: '/api/table.jsonl?columns=*&partial=1',
  tableParquet: '/api/table.parquet?columns=*&partial=1',
  audit: '/api/audit/identifiers?values=1',
  series: '/api/series',
  sheet: '/api/series/file/3/sheet?slices=1&w=64&layers=1',
  info: '/api/file/0/info',
  displayFrame: '/api/file/0/frame/0?wc=40&ww=400',
  rawFrame: '/api/file/0/frame/0/raw',
  rawPixel: '/api/file/0/frame/0/raw/pixel?row=1&column=0',
  thumbnail: '/api/file/0/frame/0/thumbnail?size=64',
  percentiles: '/api/file/0/frame/0/percentiles',
  references: '/api/file/0/references',
  referencedBy: '/api/file/0/referenced-by',
  document: '/api/file/6/document',
  report: '/api/file/10/report?depth=2',
  reportMeasurements: '/api/file/10/report/measurements',
  waveform: '/api/file/11/waveform',
  waveformSamples: '/api/file/11/waveform/0/samples?from=2&to=8&most=4',
  spectra: '/api/file/12/spectra',
  spectrum: '/api/file/12/spectra/0',
  plan: '/api/file/13/plan?beam=0',
  content: '/api/file/14/content',
  video: '/api/file/15/video',
  narrative: '/api/file/16/narrative',
  narrativeMedium: '/api/file/16/narrative/medium/0',
  mesh: '/api/file/17/mesh',
  presentation: '/api/file/6/presentation',
  semanticContext: '/api/file/2/semantic-context',
  valueMapping: '/api/file/0/frame/0/value-mapping',
  segmentationOverlay: '/api/file/2/frame/0/segmentation-overlay',
  segmentation: '/api/file/2/segmentation',
  segmentStatistics: '/api/file/2/segment-statistics',
  layers: '/api/layers?file=0&frame=0',
  layer: '/api/layer/2',
  layerFrame: '/api/layer/2/frame?file=0&frame=0',
  layerOverPlane: `/api/layer/5/plane?${PLANE}&frame_of_reference=${FRAME_OF_REFERENCE}`,
  dvh: '/api/file/7/dvh?dose=8&bins=16',
  layerRegion: '/api/layer/9/region?x=0&y=0&width=25&height=14&pixel=2',
  attachments: '/api/attachments',
  assistants: '/api/assistants',
  addAssistant: '/api/assistants',
  removeAssistant: '/api/assistants/1',
  askAssistant: '/api/assistants/0/answer',
  attachmentMatches: '/api/attachment/0/matches',
  chooseStack: '/api/attachment/0/stack',
  registrations: `/api/registrations?frame_of_reference=${FRAME_OF_REFERENCE}`,
  preferRegistrations: '/api/registrations/preferred',
  wsiContext: '/api/file/1/frame/0/wsi-context',
  wsiTiles: '/api/file/1/wsi-tiles',
  storedFile: '/api/file/0/file',
  tags: '/api/file/0/tags?depth=2&items=3',
  tagSelect: '/api/file/0/tags/select?path=(0008,1110)/0/(0008,1155)',
  tagTable: '/api/file/0/tags/table',
  notShown: '/api/not-shown',
  skippedTags: '/api/not-shown/0/tags',
  skippedTagSelect: '/api/not-shown/0/tags/select?path=(0004,1130)',
  annotations: '/api/file/0/annotations',
  replaceAnnotations: '/api/file/0/annotations',
  volume: '/api/file/3/volume',
  volumeValue: '/api/file/3/volume/value?at=3,4,1',
  volumeRegion: '/api/file/3/volume/region?seed=0,0,0&low=-100000&high=100000',
  nifti: '/api/file/3/volume/nifti',
  niftiSidecar: '/api/file/3/volume/nifti/sidecar',
  volumeArray: '/api/file/3/volume/array',
  volumeArrayPlan: '/api/file/3/volume/array/plan',
  markVolume: '/api/file/3/volume/marks',
  labelVolume: '/api/file/3/volume/labels?layers=1000000',
  labelPlan: '/api/file/3/volume/labels/plan?layers=1000000',
  labelMarks: '/api/file/3/volume/labels/marks',
  compare: '/api/compare?truth=1000000&test=1000000',
  displayPlane: `/api/file/3/plane?${PLANE}&wc=40&ww=400`,
  rawPlane: `/api/file/3/plane/raw?${PLANE}`,
  planeThumbnail: `/api/file/3/plane/thumbnail?${PLANE}&size=64`,
  redactions: '/api/file/0/redactions',
  replaceRedactions: '/api/file/0/redactions',
  redactSeries: '/api/file/0/redactions/series',
  redactionJournal: '/api/redactions/journal',
  recoverRedactions: '/api/redactions/journal',
  annotatedFiles: '/api/annotations',
  exportAnnotations: '/api/annotations/export.csv',
  annotationJournal: '/api/annotations/journal',
  recoverAnnotations: '/api/annotations/journal',
  marks: '/api/marks',
  createMark: '/api/marks',
  changeMarks: '/api/marks',
  deleteMarks: '/api/marks',
  mark: '/api/mark/1',
  markStatistics: '/api/mark/1/statistics',
  replaceMark: '/api/mark/1',
  changeMark: '/api/mark/1',
  deleteMark: '/api/mark/1',
  exportMarks: '/api/marks/export.json',
  convertMarks: '/api/marks/export?format=csv',
  importMarks: '/api/marks/import?format=coco',
  markJournal: '/api/marks/journal',
  recoverMarks: '/api/marks/journal',
  review: '/api/review',
  reviewUnit: '/api/review/0',
  decide: '/api/review/0',
  reviewCsv: '/api/review.csv',
  reviewJsonl: '/api/review.jsonl',
  reviewParquet: '/api/review.parquet',
  hanging: '/api/hanging',
  overlays: '/api/overlays',
  labels: '/api/labels',
  replaceLabels: '/api/labels',
  view: '/api/view',
  changeView: '/api/view',
  viewPicture: '/api/view/picture',
  reportPage: '/api/view/page',
  givePicture: '/api/view/picture/0',
  issueTicket: '/api/tickets',
  redeemTicket: '/api/token',
};

const MARK = {
  kind: 'box',
  place: { type: 'frame', file_index: 0, frame_index: 0 },
  points: [
    [0, 0],
    [1.5, 2],
  ],
};

/** Bodies for the endpoints that take one. */
const BODIES: Readonly<Partial<Record<EndpointName, object>>> = {
  replaceColumns: {
    paths: [
      'InstitutionName',
      'PatientBirthDate',
      'AcquisitionDateTime',
      'ImageComments',
      'IrradiationEventUID',
      'ImagesInAcquisition',
      '(0009,0010)',
      '(0009,1001)',
      '(0008,0FF0)',
      'MediaStorageSOPInstanceUID',
      'RequestAttributesSequence[0].ScheduledProcedureStepDescription',
      'OriginalAttributesSequence[*].ModifiedAttributesSequence[*].PatientName',
    ],
  },
  replaceAnnotations: { num_roi: 0, roi_coords: [], roi_frames: [] },
  replaceRedactions: { num_roi: 0, roi_coords: [], roi_frames: [] },
  recoverAnnotations: { action: 'restore' },
  chooseStack: { file: 3, frame: 0 },
  preferRegistrations: { files: [0] },
  decide: { verdict: 'accept', comment: 'seen twice', shown_ms: 1500 },
  createMark: MARK,
  labelMarks: { layers: [1_000_000] },
  changeMarks: { marks: [{ id: 1 }], change: { class: 'nodule' } },
  deleteMarks: { marks: [{ id: 2 }] },
  replaceMark: MARK,
  changeMark: { comment: 'seen twice' },
  importMarks: { images: [], annotations: [], categories: [] },
  askAssistant: {
    file_index: 3,
    frame_index: 0,
    prompts: [{ kind: 'point', is_positive: true, samples: [[3, 0, 1, 1]] }],
  },
  recoverMarks: { action: 'restore' },
  recoverRedactions: { action: 'restore' },
  replaceLabels: { classes: [{ key: 'nodule', title: 'Nodule', color: '#ff8800', digit: 1 }] },
  changeView: { file: 0, window: { center: 40, width: 400 }, wait: true },
  viewPicture: { overlays: false },
  reportPage: { page: 'another page', state: 'left', focused_at_ms: 0, answer: null },
};

/** What an assistant needs to add itself; without one, it is refused. */
type Program = { readonly address: string; readonly secret: string };
const NO_PROGRAM: Program = { address: 'http://127.0.0.1:1', secret: 'x'.repeat(32) };

/** The endpoints of the view need a page (`pretendPage`), a ticket is valid once, and assistant 0 is one of `--assist`. */
export function optionsOfRequest(name: EndpointName, ticket = '', { address, secret } = NO_PROGRAM): RequestInit {
  const { method } = ENDPOINTS[name];
  const bodies: typeof BODIES = { ...BODIES, redeemTicket: { ticket }, addAssistant: { address, secret } };
  const body = bodies[name];
  if (body === undefined) return { method };
  return { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
}
