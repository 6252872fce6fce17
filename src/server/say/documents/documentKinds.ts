import type { DocumentViewName } from '../../../shared/contract/documentTerms.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { listSopClasses } from '../../images/catalog/sopClassKinds.ts';
import { isVideoSyntax } from '../../standard/dicom/transferSyntax.ts';
import { listStorageClasses } from '../../standard/dicom/uids.ts';
import { buildDeepSummary } from './buildDeepSummary.ts';
import { buildSummary } from './buildSummary.ts';
import { ENCAPSULATED_DOCUMENT } from './content/locateContent.ts';
import type { DocumentKind, DocumentSource } from './documentKind.ts';
import type { DocumentFile } from './documentTasks.ts';
import { bulkAnnotationsKind } from './kinds/bulkAnnotations.ts';
import { colorPaletteKind } from './kinds/colorPalette.ts';
import { fiducialsKind } from './kinds/fiducials.ts';
import { hangingProtocolKind } from './kinds/hangingProtocol.ts';
import { meshKind } from './kinds/mesh.ts';
import { otherKind } from './kinds/other.ts';
import { presentationStateKind } from './kinds/presentationState.ts';
import { registrationKind } from './kinds/registration.ts';
import { valueMappingKind } from './kinds/valueMapping.ts';
import { waveformKind } from './kinds/waveform.ts';
import { buildPlanDocument } from './plan/buildPlanDocument.ts';
import { buildKeyObjects } from './report/buildKeyObjects.ts';
import { buildReportDocument, REPORT_READING } from './report/buildReportDocument.ts';

const videoKind: DocumentKind = {
  name: 'video',
  sopClasses: listSopClasses('4.1.1.77.1.1.1 4.1.1.77.1.2.1 4.1.1.77.1.4.1'),
  recognizes: ({ transferSyntaxUid }) => isVideoSyntax(transferSyntaxUid),
  views: ['video'],
  shows: 'its frames as pictures, or a player; a stream that no browser plays can be saved',
  build: buildSummary,
};

/** All kinds of documents, in the order of docs/objects.md. */
const KINDS: readonly DocumentKind[] = [
  {
    name: 'report',
    sopClasses: listSopClasses(
      '4.1.1.88.1-4 4.1.1.88.11 4.1.1.88.22 4.1.1.88.33-35 4.1.1.88.50 4.1.1.88.65 4.1.1.88.67-77 4.1.1.79.1',
    ),
    views: ['report', 'report/measurements'],
    shows: 'the content of the report to read or as a tree, its measurements, and the images that it names',
    firstReading: REPORT_READING,
    build: buildReportDocument,
  },
  {
    name: 'key_objects',
    sopClasses: listSopClasses('4.1.1.88.59'),
    views: ['report', 'presentation'],
    shows: 'the selected images in their order, with title and description',
    build: buildKeyObjects,
  },
  {
    name: 'pdf',
    sopClasses: listSopClasses('4.1.1.104.1'),
    views: ['content'],
    shows: 'its pages, with search and text that can be selected; it can be saved',
    build: buildSummary,
  },
  {
    name: 'cda',
    sopClasses: listSopClasses('4.1.1.104.2'),
    views: ['narrative', 'content'],
    shows:
      'the narrative of its sections with its pictures and PDFs, and patient, author and time of its header; it can be saved',
    build: buildSummary,
  },
  meshKind,
  {
    name: 'material',
    sopClasses: listSopClasses('4.1.1.104.5'),
    views: ['content'],
    shows: 'title, source and size of the material library; it can be saved',
    build: buildSummary,
  },
  {
    name: 'file',
    sopClasses: [],
    recognizes: ({ dataSet, className }) => className === undefined && dataSet.has(ENCAPSULATED_DOCUMENT),
    views: ['content'],
    shows: 'title, type and size of an encapsulated file of another class; it can be saved',
    build: buildSummary,
  },
  waveformKind,
  videoKind,
  {
    name: 'plan',
    sopClasses: listSopClasses(
      '4.1.1.481.5 4.1.1.481.8 4.1.1.481.10 4.1.1.481.12-15 4.1.1.481.21 4.1.1.481.22 4.1.1.481.25 4.34.1 4.34.7 4.34.10',
    ),
    views: ['plan'],
    shows:
      'prescriptions, fractions, beams with the field at each control point, spots of ion beams, dwell positions of brachytherapy, setup and tolerances',
    build: buildPlanDocument,
  },
  {
    name: 'record',
    sopClasses: listSopClasses('4.1.1.481.4 4.1.1.481.6 4.1.1.481.7 4.1.1.481.9 4.1.1.481.16-20'),
    views: ['plan'],
    shows: 'what was delivered against what was planned, by fraction and beam, with the field at each control point',
    build: buildPlanDocument,
  },
  {
    name: 'spectroscopy',
    sopClasses: listSopClasses('4.1.1.4.2'),
    views: ['spectra', 'spectra/:spectrum'],
    shows:
      'the spectra over a ppm axis, with phase, apodization and a grid of voxels; how they were acquired; their volume over images',
    build: buildSummary,
  },
  presentationStateKind,
  registrationKind,
  fiducialsKind,
  valueMappingKind,
  bulkAnnotationsKind,
  hangingProtocolKind,
  colorPaletteKind,
  {
    name: 'implant',
    sopClasses: listSopClasses('4.43.1 4.44.1 4.45.1'),
    views: [],
    shows: 'name, manufacturer, parts, sizes and how they fit together',
    build: (source) => buildDeepSummary(source),
  },
  {
    name: 'inventory',
    sopClasses: listSopClasses('4.1.1.201.1'),
    views: [],
    shows: 'the studies that it lists, with their series and instances',
    build: (source) => buildDeepSummary(source),
  },
  {
    name: 'procedure_log',
    sopClasses: listSopClasses('4.1.1.88.40'),
    views: ['report', 'report/measurements'],
    shows: 'the entries of the log in their order',
    firstReading: REPORT_READING,
    build: buildReportDocument,
  },
  {
    name: 'raw',
    sopClasses: listSopClasses('4.1.1.66'),
    views: [],
    shows: 'how the data was acquired, and its tables',
    build: (source) => buildDeepSummary(source),
  },
];

/** The kind of an object: by its content if a kind recognizes it, else by its class. */
export function chooseKind(source: DocumentSource): DocumentKind {
  return KINDS.find((kind) => kind.recognizes?.(source) === true) ?? kindOfClass(source.sopClassUid);
}

/**
 * Refuses an object whose kind does not have this view, before it is read: only encapsulated files, which have none of
 * these views, are recognized by what they contain.
 */
export function requireView(
  { sopClassUid, transferSyntaxUid }: DocumentFile,
  view: Extract<DocumentViewName, 'report' | 'waveform' | 'plan' | 'spectra'>,
  message: string,
): void {
  const kind = isVideoSyntax(transferSyntaxUid) ? videoKind : kindOfClass(sopClassUid);
  if (!kind.views.includes(view)) throw new ViewerError('bad_request', message);
}

/** How an object is read for its document before all of it is, if its class says that this may be enough. */
export function findFirstReading({ sopClassUid }: DocumentFile): DocumentKind['firstReading'] {
  return kindOfClass(sopClassUid).firstReading;
}

/** The kind of the objects of a class. */
function kindOfClass(sopClassUid: string): DocumentKind {
  return KINDS.find(({ sopClasses }) => sopClasses.includes(sopClassUid)) ?? otherKind;
}

/** docs/objects.md: each kind with what is shown of it, and all storage classes of the standard. */
export function writeObjectsPage(): string {
  const classes = listStorageClasses().map((entry) => ({ ...entry, kind: kindOfClass(entry.uid) }));
  const sections = [...KINDS, otherKind].map(({ name, shows, views }) => {
    const own = classes.filter(({ kind }) => kind.name === name);
    const answers = views.map((view) => `\`/file/:index/${view}\``).join(', ');
    return [
      `## ${name}`,
      '',
      `Shown: ${shows}.${answers === '' ? '' : ` Endpoints: ${answers}.`}`,
      ...(own.length === 0 ? [] : ['', ...own.map(({ name: title, uid }) => `- ${title} (${uid})`)]),
      '',
    ].join('\n');
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

const INTRODUCTION = `# Objects

Written by \`node scripts/runBundled.mjs test/documents/writeObjects.ts\` from the registry of documents; do not edit it. Every object opens: images as
pictures, all others as documents. \`GET /api/file/:index/document\` answers for every object, images included. The
headings are the values of \`kind\`; private and unknown classes are \`other\`, and objects in a video transfer syntax are
\`video\`.
`;
