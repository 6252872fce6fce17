import { createHash } from 'node:crypto';
import type { DicomFile } from '../../server/images/catalog/dicomFile.ts';
import { nameDownload } from '../../server/doors/http/nameDownload.ts';
import { nameSeries } from '../../server/doors/http/routes/exports.ts';
import type { NameStyle } from './exportArguments.ts';

/** What a file is named after. */
export type NamedExport = {
  /** An image of the series. */
  readonly of: DicomFile;
  /** What lies over the series; undefined for the series itself. */
  readonly title: string | undefined;
  /** The same in every run with the same files, and different for each but copies of one object. */
  readonly key: string;
};

const MOST_CHARACTERS = 40;
const HASH_CHARACTERS = 8;

/**
 * Paths without endings below a folder, each once, also where letters of both cases are the same. Where names would be
 * equal, all of them get a part of a hash, so that a name does not depend on the order of the files. Copies are numbered
 * in that order, because nothing else distinguishes them.
 */
export function nameExports(exports: readonly NamedExport[], style: NameStyle): readonly string[] {
  const nameOne = style === 'bids' ? nameAsBids : nameFlat;
  const stems = exports.map((one) => nameOne(one));
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem.toLowerCase(), (counts.get(stem.toLowerCase()) ?? 0) + 1);
  const copies = new Map<string, number>();
  return exports.map((one, at) => {
    if (counts.get(stems[at]!.toLowerCase()) === 1) return stems[at]!;
    const named = nameOne(one, hashOf(one.key));
    const copy = (copies.get(named.toLowerCase()) ?? 0) + 1;
    copies.set(named.toLowerCase(), copy);
    return copy === 1 ? named : nameOne(one, `${hashOf(one.key)}x${copy}`);
  });
}

type NameOne = (one: NamedExport, hash?: string) => string;

/** As downloads are named: after the series, without the patient. */
const nameFlat: NameOne = ({ of, title }, hash) => {
  const parts = title === undefined ? [] : [plain(title), 'labels'];
  return [nameSeries(of, ''), ...parts, ...(hash === undefined ? [] : [hash])].join('-');
};

/** `sub-42/ses-20240131/ct/sub-42_ses-20240131_acq-Chest_run-3_CT`, and `…_desc-Organs_dseg` for labels. */
const nameAsBids: NameOne = ({ of, title }, hash) => {
  const modality = alphanumeric(of.modality) || 'OT';
  const subject = `sub-${subjectOf(of.patientId)}`;
  const session = `ses-${alphanumeric(of.studyDate) || hashOf(of.studyInstanceUid)}`;
  const description = alphanumeric(of.seriesDescription ?? '').slice(0, MOST_CHARACTERS);
  const number = /^\d{1,9}$/.test(of.seriesNumber ?? '') ? Number(of.seriesNumber) : undefined;
  const name = [
    subject,
    session,
    ...(description === '' ? [] : [`acq-${description}`]),
    ...(number === undefined ? [] : [`run-${number}`]),
    ...(hash === undefined ? [] : [`rec-${hash}`]),
    ...(title === undefined ? [] : [`desc-${alphanumeric(title).slice(0, MOST_CHARACTERS) || 'labels'}`]),
    title === undefined ? modality : 'dseg',
  ];
  return `${subject}/${session}/${modality.toLowerCase()}/${name.join('_')}`;
};

/** Two patients never have one folder, also if their IDs differ only in characters that labels cannot have. */
function subjectOf(patientId: string | undefined): string {
  const id = patientId ?? '';
  const label = alphanumeric(id);
  return label === id && label !== '' ? label : `${label}x${hashOf(id)}`;
}

function alphanumeric(text: string | undefined): string {
  return (text ?? '').replaceAll(/[^0-9A-Za-z]+/g, '');
}

function plain(title: string): string {
  return nameDownload(title.replaceAll(/[/\\]/g, '_'), '').slice(0, MOST_CHARACTERS);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
}
