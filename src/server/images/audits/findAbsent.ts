import { ViewerError } from '../../../shared/contract/errors.ts';
import type { AuditFinding } from '../../../shared/contract/audits.ts';
import type { Relationship } from '../../../shared/contract/referenceTerms.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { isHarmful } from '../../machine/workers/taskErrors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { FileReferences } from '../references/references.ts';
import { type AuditContext, type AuditPart, waitUntilFree, workAhead } from './auditWork.ts';
import { countWords, fileUnit, type FindingList, listFoundFiles, toFinding } from './finding.ts';

/** Missing objects of one file that are counted, and that are named. */
const MOST_COUNTED = 100_000;
const MOST_NAMED = 20;
/** Tasks at a time. */
const AHEAD = 4;
/** What most studies have: at least this share, of at least so many. */
const MOST_STUDIES = 0.75;
const LEAST_STUDIES = 4;

const RT_PLANS: ReadonlySet<string> = new Set(['1.2.840.10008.5.1.4.1.1.481.5', '1.2.840.10008.5.1.4.1.1.481.8']);

/** Objects that name others that are not there, and studies that lack a series that most others have. */
export const findAbsent: AuditPart = async (context, run, found) => {
  const isWhole = await findMissing(context, run, found);
  await doInTurns(findMissingSeries(run.files, found), run.signal);
  return isWhole;
};

const findMissing: AuditPart = async (context, run, found) => {
  const { catalog, references } = context;
  const { signal, onProgress, isChosen, files } = run;
  const pointing = references.instances.pointing.filter(isChosen).flatMap((index) => catalog.files[index] ?? []);
  const plannedDoses = new Set<string>();
  let isWhole = true;
  let done = 0;
  const readOne = (file: DicomFile) => readReferencesOf(context, file, signal);
  for await (const { item: file, result } of workAhead(pointing, AHEAD, readOne)) {
    if (result === undefined) isWhole = false;
    else {
      if (result.truncated) isWhole = false;
      const missing = await doInTurns(listMissing(file, result, plannedDoses), signal);
      if (missing !== undefined) found.add(missing);
    }
    done += 1;
    onProgress({ doing: 'references', done, total: pointing.length });
  }
  for (const plan of files) {
    if (!RT_PLANS.has(plan.sopClassUid) || plannedDoses.has(plan.sopInstanceUid)) continue;
    found.add(
      toFinding({
        code: 'plan_without_dose',
        unit: fileUnit(plan),
        files: listFoundFiles([plan]),
        count: 1,
        message: 'no dose that is there names the plan',
        values: {},
      }),
    );
  }
  return isWhole;
};

/** Undefined if they cannot be read. */
async function readReferencesOf(
  { references }: AuditContext,
  file: DicomFile,
  signal: AbortSignal,
): Promise<FileReferences | undefined> {
  try {
    return await waitUntilFree(signal, () => references.read(file, { signal }));
  } catch (error) {
    if (signal.aborted || !(isHarmful(error) || error instanceof ViewerError)) throw error;
    return undefined;
  }
}

/** Classes that name patients, visits and studies, of which there are no files, such as Detached Study Management. */
const MANAGEMENT = '1.2.840.10008.3.1.2.';

/** Also notes the plans that doses name. */
function* listMissing(
  file: DicomFile,
  declared: FileReferences,
  plannedDoses: Set<string>,
): WorkInTurns<AuditFinding | undefined> {
  const missing = new Set<string>();
  const present = new Set<string>();
  const relationships = new Map<Relationship, number>();
  for (const { relationship, sopClassUid, sopInstanceUid, seriesInstanceUid, matches } of declared) {
    yield;
    const uid = sopInstanceUid ?? seriesInstanceUid;
    if (uid === undefined || sopClassUid?.startsWith(MANAGEMENT) === true) continue;
    if (relationship === 'referenced_rt_plan' && file.modality === 'RTDOSE') plannedDoses.add(uid);
    if (matches.length > 0) present.add(uid);
    else if (!missing.has(uid) && missing.size < MOST_COUNTED) {
      missing.add(uid);
      relationships.set(relationship, (relationships.get(relationship) ?? 0) + 1);
    }
  }
  if (missing.size === 0) return undefined;
  const all = missing.size + present.size;
  const roles = Array.from(relationships, ([role, count]) => `${count} as ${role.replaceAll('_', ' ')}`).join(', ');
  // Images often name those that they were made of, which nobody keeps.
  const isImage = file.objectKind === 'classic_image' || file.objectKind === 'enhanced_image';
  return toFinding({
    code: 'reference_missing',
    ...(isImage && { level: 'info' as const }),
    unit: fileUnit(file),
    files: listFoundFiles([file]),
    count: missing.size,
    message: `${missing.size} of ${countWords(all, 'object')} that the file names ${missing.size === 1 ? 'is' : 'are'} not there: ${roles}`,
    values: {
      missing: [...missing].slice(0, MOST_NAMED),
      named: all,
      relationships: Object.fromEntries(relationships),
    },
  });
}

/** Series are the same in different studies if modality and description are. */
function* findMissingSeries(files: readonly DicomFile[], found: FindingList): WorkInTurns<void> {
  const studies = new Map<string, { readonly of: DicomFile; readonly series: Set<string> }>();
  const counts = new Map<string, number>();
  for (const file of files) {
    yield;
    const { studyInstanceUid, modality, seriesDescription, hasPixels } = file;
    if (studyInstanceUid === '' || seriesDescription === '' || !hasPixels) continue;
    const study = studies.get(studyInstanceUid) ?? { of: file, series: new Set() };
    studies.set(studyInstanceUid, study);
    const name = `${modality} · ${seriesDescription}`;
    if (study.series.has(name)) continue;
    study.series.add(name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (studies.size < LEAST_STUDIES) return;
  for (const [name, count] of counts) {
    yield;
    if (count === studies.size || count < MOST_STUDIES * studies.size) continue;
    const lacking: DicomFile[] = [];
    for (const { of, series } of studies.values()) {
      yield;
      if (!series.has(name)) lacking.push(of);
    }
    found.add(
      toFinding({
        code: 'series_missing',
        unit: { kind: 'group', id: name, name },
        files: listFoundFiles(lacking),
        count: lacking.length,
        message: `${countWords(lacking.length, 'study', 'studies')} of ${studies.size} ${lacking.length === 1 ? 'has' : 'have'} no series ${name}`,
        values: {
          all_studies: studies.size,
          studies: lacking.slice(0, MOST_NAMED).map(({ studyInstanceUid }) => studyInstanceUid),
        },
      }),
    );
  }
}
