import {
  DICOMWEB_NAMES,
  DICOMWEB_RESOURCES,
  DICOMWEB_ROOT,
  type DicomwebName,
} from '../../src/shared/contract/dicomweb.ts';
import { ENDPOINT_NAMES, ENDPOINTS, type Endpoint, type EndpointName } from '../../src/shared/contract/endpoints.ts';
import type { TObject } from '../../src/shared/contract/schema.ts';

/** A file of the catalog that requests are about. */
export type Named = {
  readonly index: number;
  readonly name: string;
  /** Its modality. */
  readonly kind: string;
  /** Its frame of reference. */
  readonly space: string;
  /** Of its study, its series and itself. */
  readonly uids: readonly string[];
};

export type Target = {
  readonly file: Named;
  /** Of requests that concern two files: the layer, the source or the dose. */
  readonly other: Named;
  readonly frame: number;
};

export type SurveyRequest = { readonly method: string; readonly url: string; readonly body: object | undefined };

/** All that the contract has. */
export type SurveyName = EndpointName | DicomwebName;
export const SURVEY_NAMES: readonly SurveyName[] = [...ENDPOINT_NAMES, ...DICOMWEB_NAMES];

export function dicomwebAddress(name: DicomwebName, { uids }: Named, frame: number): string {
  const [study = '', series = '', instance = ''] = uids;
  const path = DICOMWEB_RESOURCES[name]
    .replace(':study', study)
    .replace(':series', series)
    .replace(':instance', instance)
    .replace(':frames', String(frame + 1))
    .replace(':path', '7FE00010');
  return `${DICOMWEB_ROOT}${path}`;
}

/**
 * A request for an endpoint, and others with every choice of its query: each format, each projection, the largest
 * sizes, thick slabs. All come from the contract. Throws if a new endpoint needs a value that is not known here.
 */
export function listSurveyRequests(endpoint: SurveyName, target: Target): SurveyRequest[] {
  if (!isOfApi(endpoint)) {
    return [{ method: 'GET', url: dicomwebAddress(endpoint, target.file, target.frame), body: undefined }];
  }
  const { method, path, query, body }: Endpoint = ENDPOINTS[endpoint];
  // A series is named by one of its files, because files need not have UIDs that fit into an address.
  const named = path.replace(':study/:series', `file/${target.file.index}`);
  const filled = named.replaceAll(/:(\w+)/g, (_, name: string) => pathValueOf(endpoint, name, target));
  const sent = body && bodyOf(endpoint, target);
  if (body !== undefined && sent === undefined) throw new Error(`the survey has no body for ${endpoint}`);
  return listQueries({ endpoint, path, query }, target).map((pairs) => {
    const search = Object.entries(pairs)
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    return { method, url: `/api${filled}${search && `?${search}`}`, body: sent };
  });
}

function isOfApi(name: SurveyName): name is EndpointName {
  return name in ENDPOINTS;
}

function pathValueOf(endpoint: EndpointName, name: string, { file, frame }: Target): string {
  if (name === 'index' || name === 'layer') return String(file.index);
  if (['frame', 'group', 'spectrum', 'medium'].includes(name)) return String(frame);
  if (['entry', 'attachment', 'unit', 'assistant'].includes(name)) return '0';
  if (['mark', 'request'].includes(name)) return '1';
  if (name === 'audit') return 'identifiers';
  throw new Error(`the survey has no value for :${name} of ${endpoint}`);
}

type Pairs = Readonly<Record<string, string>>;
type Property = {
  readonly enum?: readonly string[];
  readonly type?: string;
  readonly maximum?: number;
};

const LARGE_PLANE = { rows: '2048', columns: '2048' };
const THICK = { slab: '1000' };

type Queried = { readonly endpoint: EndpointName; readonly path: string; readonly query: TObject | undefined };

function listQueries({ endpoint, path, query }: Queried, target: Target): Pairs[] {
  if (query === undefined) return [{}];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract is plain JSON Schema
  const properties = query.properties as Readonly<Record<string, Property>>;
  const required = new Set<string>(query.required ?? []);
  const base: Record<string, string> = {};
  const others: Pairs[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const [usual, ...choices] = choicesOf(name, property, path.startsWith('/table') ? TABLE : valuesOf(target));
    if (required.has(name) && usual === undefined) throw new Error(`the survey has no ${name} for ${endpoint}`);
    if (required.has(name)) base[name] = usual!;
    else if (usual !== undefined) others.push({ [name]: usual });
    others.push(...choices.map((choice) => ({ [name]: choice })));
  }
  if ('rows' in base && 'slab' in properties) {
    const projections = properties.projection?.enum ?? [];
    others.push(LARGE_PLANE, { ...LARGE_PLANE, ...THICK });
    others.push(...projections.map((projection) => ({ ...LARGE_PLANE, ...THICK, projection, ...OBLIQUE })));
  }
  return [base, ...others.map((other) => ({ ...base, ...other }))];
}

const OBLIQUE = { orientation: '0.8,0.6,0,0,0,1' };

type Values = Readonly<Partial<Record<string, readonly string[]>>>;

/** Of a table: everything, and what takes the most time. */
const TABLE: Values = {
  columns: ['*'],
  where: [encodeURIComponent("SOPInstanceUID like '%1%' or not Rows = Columns"), encodeURIComponent('Rows = (')],
  sort: ['-SOPInstanceUID,path'],
  group: ['Modality', 'SOPInstanceUID'],
};

/** What a query can have for this name; the first is the usual one. Empty: it is left out. */
function choicesOf(name: string, { enum: choices, type, maximum }: Property, values: Values): readonly string[] {
  const known = values[name];
  if (known !== undefined) return known;
  if (choices !== undefined) return choices;
  if (type === 'boolean') return ['true'];
  return type === 'integer' && maximum !== undefined ? [String(maximum)] : [];
}

function valuesOf({ file, other, frame }: Target): Values {
  return {
    file: [String(other.index)],
    source_file: [String(other.index)],
    dose: [String(other.index)],
    plus: [String(other.index)],
    minus: [String(other.index)],
    layers: [String(other.index)],
    truth: [String(file.index), 'marks'],
    test: [String(other.index), 'marks'],
    tolerance: ['0', '1000'],
    presentation: [String(other.index)],
    frame: [String(frame)],
    source_frame: [String(frame)],
    frame_of_reference: [file.space],
    position: ['0,0,0'],
    orientation: ['1,0,0,0,1,0', OBLIQUE.orientation],
    spacing: ['1,1', '0.1,0.1'],
    rows: ['64'],
    columns: ['64'],
    row: ['0'],
    column: ['0'],
    slab: ['40'],
    sheet: ['0.1'],
    at: ['0,0,0'],
    // A region of the whole volume, and of one sample.
    seed: ['0,0,0'],
    low: ['-1000000', '0'],
    high: ['1000000', '0'],
    path: ['(0028,1050)'],
    x: ['0'],
    y: ['0'],
    width: ['4000'],
    height: ['4000'],
    pixel: ['4'],
    parts: ['0,1,2,3', Array.from({ length: 256 }, (_, part) => part).join()],
    q: ['a', '1'],
    wc: [],
    ww: [],
    window: ['auto', '40,400'],
    slices: ['9', '64'],
    w: ['480'],
    time: ['0'],
    from: ['0'],
    to: ['1000000'],
    depth: ['8'],
    items: ['64'],
  };
}

const BOX = { num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [] };

const FEATURE = {
  type: 'Feature',
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [9, 0],
        [9, 9],
        [0, 0],
      ],
    ],
  },
  properties: { classification: { name: 'nodule' } },
};

/** A body for an endpoint that takes one; undefined if none is known. */
export function bodyOf(endpoint: EndpointName, { file, frame }: Target): object | undefined {
  const mark = {
    kind: 'length',
    place: { type: 'frame', file_index: file.index, frame_index: frame },
    points: [
      [0, 0],
      [1.5, 2],
    ],
  };
  const bodies: Partial<Record<EndpointName, object>> = {
    replaceColumns: { paths: ['EchoTime', 'ReferencedSeriesSequence[*].SeriesInstanceUID', '0019,xx0C@A'] },
    replaceAnnotations: BOX,
    replaceRedactions: BOX,
    recoverAnnotations: { action: 'restore' },
    recoverMarks: { action: 'restore' },
    recoverRedactions: { action: 'restore' },
    chooseStack: { file: file.index, frame },
    preferRegistrations: { files: [file.index] },
    decide: { verdict: 'reject', comment: file.name },
    createMark: mark,
    replaceMark: mark,
    changeMark: { comment: file.name },
    changeMarks: { marks: [{ id: 1 }, { id: 1 + (frame % 99) }], change: { class: 'nodule' } },
    deleteMarks: { marks: [{ id: 1 }, { id: 1 + (frame % 99) }] },
    importMarks: { marks: [mark], type: 'FeatureCollection', features: [FEATURE], annotations: [], images: [] },
    labelMarks: { layers: [file.index] },
    addAssistant: { address: 'http://127.0.0.1:1', secret: 'x'.repeat(32) },
    askAssistant: {
      file_index: file.index,
      frame_index: frame,
      prompts: [{ kind: 'point', is_positive: true, samples: [[file.index, frame, 0, 0]] }],
    },
    replaceLabels: { classes: [{ key: 'nodule', title: file.name, color: '#ff8800', digit: 1 }] },
    changeView: { file: file.index, frame, window: { center: 40, width: 400 } },
    viewPicture: { overlays: false },
    reportPage: { page: file.name, state: 'left', focused_at_ms: 0, answer: null },
    redeemTicket: { ticket: file.name },
  };
  return bodies[endpoint];
}
