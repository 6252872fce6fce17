import { Errors } from 'typebox/value';
import { expect, test } from 'vitest';
import { ENDPOINT_NAMES, ENDPOINTS, type Endpoint, type EndpointName } from '../../src/shared/contract/endpoints.ts';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { writeNpy } from '../support/arrayFiles.ts';
import { DOSE_CENTRE, writeDose } from '../support/fieldFiles.ts';
import { planElements } from '../support/planElements.ts';
import { AXIAL, FRAME_OF_REFERENCE, segmentationElements } from '../support/placedElements.ts';
import { named, stateElements } from '../support/presentationElements.ts';
import { measurementGroup, reportElements, scoord, slideAnnotationElements } from '../support/regionElements.ts';
import { pretendPage } from '../support/pretendPage.ts';
import { ENDPOINT_NAMES, ENDPOINTS, type Endpoint } from '../../src/shared/contract/endpoints.ts';
import {
  EVERY_REQUEST,
  optionsOfRequest,
  writeEveryAttachment,
  writeEveryFile,
  writeFullCt,
} from '../support/everyEndpoint.ts';
import { serve } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';
import { spectroscopyElements, waveformElements, waveformGroup } from '../support/waveformElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

/** A CT image with every property that the endpoints report, and a sequence. */
function writeCt(): Uint8Array {
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
  });
}

/** A segmentation of that image. */
function writeMask(): Uint8Array {
  const source = { uid: '1.2.826.0.1.3680043.10.1.1', preserved: true };
  return writeDicom(
    segmentationElements({ rows: 2, columns: 2, type: 'BINARY', frames: [{ samples: [0, 1, 1, 0], source }] }),
  );
}

/** A segmentation in two planes. */
function writePlacedMask(): Uint8Array {
  const frames = [0, 2].map((z) => ({ samples: [0, 1, 1, 0], plane: { ...AXIAL, position: [0, 3, z] } }));
  const elements = segmentationElements({ rows: 2, columns: 2, type: 'BINARY', frames });
  return writeDicom({ ...elements, SOPInstanceUID: '2.25.603' });
}

/** A presentation state of that image, with a graphic and a text. */
function writeState(): Uint8Array {
  const graphic = { GraphicAnnotationUnits: 'PIXEL', GraphicType: 'CIRCLE', GraphicData: [1, 1, 2, 1] };
  const text = { AnchorPointAnnotationUnits: 'PIXEL', AnchorPoint: [1, 1], UnformattedTextValue: 'here' };
  return writeDicom(
    stateElements([named('1.2.826.0.1.3680043.10.1.1')], {
      GraphicLayerSequence: [{ GraphicLayer: 'L', GraphicLayerOrder: '1' }],
      GraphicAnnotationSequence: [{ GraphicLayer: 'L', GraphicObjectSequence: [graphic], TextObjectSequence: [text] }],
      SoftcopyVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '400' }],
      DisplayedAreaSelectionSequence: [
        { DisplayedAreaTopLeftHandCorner: [1, 1], DisplayedAreaBottomRightHandCorner: [2, 2] },
      ],
    }),
  );
}

/** A file that is not listed but has tags. */
function writeDirectory(): Uint8Array {
  return writeDicom({ SOPClassUID: '1.2.840.10008.1.3.10', SOPInstanceUID: '2.25.7', FileSetID: 'DISC' });
}

/** A structure set in the dose, which also has a histogram of it. */
function writeSphere(): Uint8Array {
  const contours = [-3, 0, 3].map((dz) => ({
    points: circle([DOSE_CENTRE[0], DOSE_CENTRE[1], DOSE_CENTRE[2] + dz], 9),
  }));
  return writeDicom(structureSetElements([{ number: 1, name: 'Target', contours }], { SOPInstanceUID: '2.25.604' }));
}

const STORED_DVH = {
  different: {
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
  },
};

/** Model output that fits the two slices. */
function writeAttachment(): string {
  return writeBelow(createTempFolder(), 'labels.npy', writeNpy([2, 20, 30], new Uint8Array(1200).fill(1)));
}

/** A file in an object; its bytes are of no known format. */
function writeContent(): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.1',
    SOPInstanceUID: '2.25.605',
    EncapsulatedDocument: new TextEncoder().encode('text'),
  });
}

function writeCda(): Uint8Array {
  const section = '<component><section><title>S</title><text>one</text></section></component>';
  const text = `<ClinicalDocument><component><structuredBody>${section}</structuredBody></component></ClinicalDocument>`;
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.2',
    SOPInstanceUID: '2.25.607',
    EncapsulatedDocument: new TextEncoder().encode(text),
  });
}

function writeMesh(): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.4',
    SOPInstanceUID: '2.25.608',
    EncapsulatedDocument: new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'),
  });
}

/** A video of which only the first box is there. */
function writeVideo(): Uint8Array {
  const box = Uint8Array.of(0, 0, 0, 16, ...new TextEncoder().encode('ftypisom'), 0, 0, 2, 0);
  return writeDicom(
    { SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.4.1', SOPInstanceUID: '2.25.606', PixelData: { fragments: [box] } },
    { transferSyntaxUid: '1.2.840.10008.1.2.4.102' },
  );
}

/** Files for the requests below. The two slices are a volume. */
function writeFiles(): Uint8Array[] {
  const slices = [writeSlice({ number: 0 }), writeSlice({ number: 1 })];
  const annotations = writeDicom(slideAnnotationElements([{ type: 'POINT', values: [2, 3] }]));
  const report = writeDicom(reportElements([measurementGroup('Nodule', [scoord('POINT', [1, 1], '2.25.71')], 8)]));
  const waveform = writeDicom(waveformElements([waveformGroup({ leads: ['I', 'II'], samples: 16, value: () => 1 })]));
  const spectra = writeDicom(spectroscopyElements(() => [1, 0]));
  const planned = writeDicom(planElements());
  const documents = [report, waveform, spectra, planned, writeContent(), writeVideo(), writeCda(), writeMesh()];
  const others = [writePlacedMask(), writeState(), writeSphere(), writeDose(STORED_DVH), annotations, ...documents];
  return [writeCt(), writeDicom(slideElements()), writeMask(), writeDirectory(), ...slices, ...others];
}

/** A plane through two slices. */
const PLANE = 'position=0,3,0&orientation=1,0,0,0,0,1&spacing=1,1&rows=3&columns=20';

/** A successful request for each endpoint of the table. */
const REQUESTS: Readonly<Record<EndpointName, string>> = {
  health: '/api/health',
  openapi: '/api/openapi.json',
  files: '/api/files',
  events: '/api/events',
  series: '/api/series',
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
  mesh: '/api/file/17/mesh',
  presentation: '/api/file/6/presentation',
  semanticContext: '/api/file/2/semantic-context',
  valueMapping: '/api/file/0/frame/0/value-mapping',
  segmentationOverlay: '/api/file/2/frame/0/segmentation-overlay',
  segmentation: '/api/file/2/segmentation',
  sourceMasks: '/api/file/2/source-masks?source_file=0&source_frame=0',
  layerPlane: `/api/file/5/layer/plane?${PLANE}&frame_of_reference=${FRAME_OF_REFERENCE}`,
  segmentStatistics: '/api/file/2/segment-statistics',
  layers: '/api/layers?file=0&frame=0',
  layer: '/api/layer/2',
  layerFrame: '/api/layer/2/frame?file=0&frame=0',
  layerOverPlane: `/api/layer/5/plane?${PLANE}&frame_of_reference=${FRAME_OF_REFERENCE}`,
  dvh: '/api/file/7/dvh?dose=8&bins=16',
  layerRegion: '/api/layer/9/region?x=0&y=0&width=25&height=14&pixel=2',
  attachments: '/api/attachments',
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
  skippedTags: '/api/not-shown/0/tags',
  skippedTagSelect: '/api/not-shown/0/tags/select?path=(0004,1130)',
  annotations: '/api/file/0/annotations',
  replaceAnnotations: '/api/file/0/annotations',
  volume: '/api/file/3/volume',
  volumeValue: '/api/file/3/volume/value?at=3,4,1',
  nifti: '/api/file/3/volume/nifti',
  niftiSidecar: '/api/file/3/volume/nifti/sidecar',
  displayPlane: `/api/file/3/plane?${PLANE}&wc=40&ww=400`,
  rawPlane: `/api/file/3/plane/raw?${PLANE}`,
  planeThumbnail: `/api/file/3/plane/thumbnail?${PLANE}&size=64`,
  annotatedFiles: '/api/annotations',
  exportAnnotations: '/api/annotations/export.csv',
  annotationJournal: '/api/annotations/journal',
  recoverAnnotations: '/api/annotations/journal',
  view: '/api/view',
  changeView: '/api/view',
  viewPicture: '/api/view/picture',
  reportPage: '/api/view/page',
  givePicture: '/api/view/picture/0',
  issueTicket: '/api/tickets',
  redeemTicket: '/api/token',
};

/** Bodies for the endpoints that take one. */
const BODIES: Readonly<Partial<Record<EndpointName, object>>> = {
  replaceAnnotations: { num_roi: 0, roi_coords: [], roi_frames: [] },
  recoverAnnotations: { action: 'restore' },
  chooseStack: { file: 3, frame: 0 },
  preferRegistrations: { files: [0] },
  changeView: { file: 0, window: { center: 40, width: 400 }, wait: true },
  viewPicture: { overlays: false },
  reportPage: { page: 'another page', state: 'left', focused_at_ms: 0, answer: null },
};

function requestOf(name: EndpointName, ticket: string): RequestInit {
  const { method } = ENDPOINTS[name];
  const body = name === 'redeemTicket' ? { ticket } : BODIES[name];
  if (body === undefined) return { method };
  return { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
}

test('every endpoint responds with the media type, the headers and exactly the keys of the table', async () => {
  const server = await serve(...writeFiles(), writeAttachment());
  await pretendPage(server);
  let ticket = '';

test('every endpoint responds with the media type, the headers and exactly the keys of the table', async () => {
  const server = await serve(...writeEveryFile(), writeEveryAttachment());

  for (const name of ENDPOINT_NAMES) {
    const endpoint: Endpoint = ENDPOINTS[name];
    const response = await server.request(EVERY_REQUEST[name], optionsOfRequest(name));
    if (name === 'redeemTicket')
      ticket = (await (await server.request('/api/tickets', { method: 'POST' })).json()).ticket;
    const response = await server.request(REQUESTS[name], requestOf(name, ticket));

    const expected = (endpoint.headers ?? []).map((header) => header.toLowerCase());
    expect({
      name,
      status: response.status,
      mediaType: response.headers.get('content-type'),
      caching: response.headers.get('cache-control'),
      instance: response.headers.get('x-server-instance'),
      missingHeaders: expected.filter((header) => !response.headers.has(header)),
      bodyErrors: await checkBody(response, endpoint),
    }).toEqual({
      name,
      status: 200,
      mediaType: endpoint.mediaType,
      caching: 'no-store',
      instance: String(server.server.startedAtMs),
      missingHeaders: [],
      bodyErrors: [],
    });
  }
});

async function checkBody(response: Response, { response: schema }: Endpoint): Promise<object[]> {
  if (schema !== undefined) return Errors(strictSchema(schema), await response.json());
  await response.body?.cancel();
  return [];
}

test('every endpoint that accepts GET responds to HEAD in the same way, without a body', async () => {
  const server = await serve(...writeEveryFile(), writeEveryAttachment());

  for (const name of ENDPOINT_NAMES.filter((each) => ENDPOINTS[each].method === 'GET')) {
    const response = await server.request(EVERY_REQUEST[name], { method: 'HEAD' });

    const mediaType = response.headers.get('content-type');
    expect({ name, status: response.status, mediaType, body: await response.text() }).toEqual({
      name,
      status: 200,
      mediaType: ENDPOINTS[name].mediaType,
      body: '',
    });
  }
});

test('info has the values of the attributes of the file', async () => {
  const server = await serve(writeFullCt());

  const info = await (await server.request('/api/file/0/info')).json();

  expect(info).toEqual({
    frame_count: 1,
    rows: 2,
    columns: 2,
    transfer_syntax_uid: '1.2.840.10008.1.2.1',
    has_pixels: true,
    sop_class_uid: '1.2.840.10008.5.1.4.1.1.2',
    object_kind: 'classic_image',
    support_state: 'renderable',
    support_reason: null,
    default_window: { center: 40, width: 400 },
    samples_per_pixel: 1,
    bits_allocated: 16,
    bits_stored: 12,
    high_bit: 11,
    pixel_representation: 0,
    photometric_interpretation: 'MONOCHROME2',
    planar_configuration: null,
    pixel_aspect_ratio: 1,
    pixel_spacing_mm: [0.5, 0.5],
    rescale: { slope: 1, intercept: -1024, type: 'HU' },
    windows: [
      { center: 40, width: 400, explanation: 'SOFT' },
      { center: 300, width: 1500, explanation: 'BONE' },
    ],
    voi_lut_function: 'LINEAR',
    frame_time_ms: null,
    lossy: false,
    warnings: [],
  });
});

test('the OpenAPI document has every endpoint, and all its references resolve', async () => {
  const server = await serve(writeFullCt());

  const document = await (await server.request('/api/openapi.json')).json();

  const paths: Record<string, Record<string, { operationId: string }>> = document.paths;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(new Set(operations.map((operation) => operation.operationId))).toEqual(new Set(ENDPOINT_NAMES));
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(references).toContain('TagNode');
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(references));
  expect(JSON.stringify(document)).not.toMatch(/"\$(defs|id)"/);
});

test('the OpenAPI document is compressed for clients that accept it, with the same content', async () => {
  const server = await serve(writeFullCt());
  const ask = (encoding: string) => server.request('/api/openapi.json', { headers: { 'Accept-Encoding': encoding } });

  const [plain, compressed] = [await ask('identity'), await ask('gzip')];

  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  for (const { headers } of [plain, compressed]) expect(headers.get('vary')).toBe('Accept-Encoding');
  const text = await plain.text();
  expect(plain.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  expect(await compressed.text()).toBe(text);
});
