import type { DocumentViewName } from '../../../shared/contract/documentTerms.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { isVideoSyntax } from '../../standard/dicom/transferSyntax.ts';
import { listStorageClasses } from '../../standard/dicom/uids.ts';
import type { DocumentKind, DocumentSource } from './documentKind.ts';
import type { DocumentFile } from './documentTasks.ts';
import { bulkAnnotationsKind } from './kinds/bulkAnnotations.ts';
import { cdaKind } from './kinds/cda.ts';
import { colorPaletteKind } from './kinds/colorPalette.ts';
import { fiducialsKind } from './kinds/fiducials.ts';
import { fileKind } from './kinds/file.ts';
import { hangingProtocolKind } from './kinds/hangingProtocol.ts';
import { implantKind } from './kinds/implant.ts';
import { inventoryKind } from './kinds/inventory.ts';
import { keyObjectsKind } from './kinds/keyObjects.ts';
import { materialKind } from './kinds/material.ts';
import { meshKind } from './kinds/mesh.ts';
import { otherKind } from './kinds/other.ts';
import { pdfKind } from './kinds/pdf.ts';
import { planKind } from './kinds/plan.ts';
import { presentationStateKind } from './kinds/presentationState.ts';
import { procedureLogKind } from './kinds/procedureLog.ts';
import { rawKind } from './kinds/raw.ts';
import { recordKind } from './kinds/record.ts';
import { registrationKind } from './kinds/registration.ts';
import { reportKind } from './kinds/report.ts';
import { spectroscopyKind } from './kinds/spectroscopy.ts';
import { valueMappingKind } from './kinds/valueMapping.ts';
import { videoKind } from './kinds/video.ts';
import { waveformKind } from './kinds/waveform.ts';

/** All kinds of documents, in the order of docs/objects.md. */
const KINDS: readonly DocumentKind[] = [
  reportKind,
  keyObjectsKind,
  pdfKind,
  cdaKind,
  meshKind,
  materialKind,
  fileKind,
  waveformKind,
  videoKind,
  planKind,
  recordKind,
  spectroscopyKind,
  presentationStateKind,
  registrationKind,
  fiducialsKind,
  valueMappingKind,
  bulkAnnotationsKind,
  hangingProtocolKind,
  colorPaletteKind,
  implantKind,
  inventoryKind,
  procedureLogKind,
  rawKind,
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
