import { type AuditFinding, MOST_FINDINGS } from '../../../shared/contract/audits.ts';
import { addTo } from '../../../shared/addTo.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { type CutFold, saidIn } from './factFold.ts';
import { countWords, type FindingList, listFoundFiles, nameOfSeries, someTexts, toFinding } from './finding.ts';
import { GROUP_KEYWORDS, PROTOCOL_KEYWORDS } from './protocolKeywords.ts';

/** Fewer series have no usual value. */
const LEAST_SERIES = 3;
/** Series of different values are in memory until the audit ends. */
const MOST_SERIES = 100_000;
/** Different values of a parameter within a series. */
const MOST_OF_SERIES = 16;
/** Values of a group that others are compared with, the most frequent ones: only the usual one decides. */
const MOST_COMPARED = 32;
/** Numbers that differ by no more than this part are equal: rounding. */
const TOLERANCE = 0.001;
const MOST_LISTED = 20;

type ComparedSeries = {
  readonly of: DicomFile;
  readonly group: string;
  /** By keyword: the different values in the series. */
  readonly values: Map<string, Set<string>>;
};

/** Compares the parameters of all series of one machine and description with those that most of them have. */
export function createProtocolFold(): CutFold {
  const all = new Map<string, ComparedSeries>();
  const texts = new Map<string, string>();
  /** Series of one protocol share the texts of their values. */
  const share = (text: string) => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  let isCut = false;
  return {
    isCut: () => isCut,
    take(file, facts) {
      const { studyInstanceUid, seriesInstanceUid } = file;
      if (!file.hasPixels || seriesInstanceUid === '') return;
      const id = `${studyInstanceUid}/${seriesInstanceUid}`;
      if (!all.has(id) && all.size >= MOST_SERIES) {
        isCut = true;
        return;
      }
      const known = all.get(id) ?? {
        of: file,
        group: share(GROUP_KEYWORDS.map((keyword) => saidIn(facts, keyword) ?? '').join(SEPARATOR)),
        values: new Map<string, Set<string>>(),
      };
      all.set(id, known);
      for (const { key, value } of facts) {
        if (key.kind !== 'protocol') continue;
        const values = known.values.get(key.keyword) ?? new Set();
        known.values.set(key.keyword, values);
        if (values.size < MOST_OF_SERIES) values.add(share(value));
      }
    },
    findings: (list) => compareAll([...all.values()], list),
  };
}

const SEPARATOR = ' · ';

function* compareAll(all: readonly ComparedSeries[], list: FindingList): WorkInTurns<void> {
  const groups = new Map<string, ComparedSeries[]>();
  // A group without a description is no protocol.
  for (const series of all) if (!series.group.endsWith(SEPARATOR)) addTo(groups, series.group, series);
  const findings: AuditFinding[] = [];
  for (const [group, members] of groups) {
    if (members.length < LEAST_SERIES) continue;
    for (const keyword of PROTOCOL_KEYWORDS) {
      for (const finding of yield* compareParameter(group, members, keyword)) {
        if (findings.length < MOST_FINDINGS) findings.push(finding);
      }
    }
  }
  // What is rarest stands out most.
  for (const finding of findings.toSorted((a, b) => a.count - b.count)) list.add(finding);
}

/** The series that differ from the value that more than half of the series have. */
function* compareParameter(
  group: string,
  members: readonly ComparedSeries[],
  keyword: string,
): WorkInTurns<AuditFinding[]> {
  const byText = new Map<string, ComparedSeries[]>();
  for (const series of members) {
    yield;
    addTo(byText, writeValues(series.values.get(keyword)), series);
  }
  const inOrder = [...byText].toSorted(([, a], [, b]) => b.length - a.length);
  // Of the most frequent text, and of those that are alike but for rounding.
  const byValue = new Map<string, ComparedSeries[]>();
  for (const [text, alike] of inOrder) {
    yield;
    const known = findAlike(byValue, text);
    if (known === undefined) byValue.set(text, alike);
    else for (const series of alike) known[1].push(series);
  }
  const [usual] = [...byValue].toSorted(([, a], [, b]) => b.length - a.length);
  if (usual === undefined || usual[1].length * 2 <= members.length) return [];
  const [usualValue, usualSeries] = usual;
  const others = [...byValue].filter(([value]) => value !== usualValue);
  return others.map(([value, series]) =>
    toFinding({
      code: 'protocol_deviates',
      unit: { kind: 'group', id: `${group}${SEPARATOR}${keyword}`, name: `${group}${SEPARATOR}${keyword}` },
      files: listFoundFiles(series.map(({ of }) => of)),
      count: series.length,
      message: `${keyword} is ${nameValue(value)} in ${countWords(series.length, 'series', 'series')} of ${group}, and ${nameValue(usualValue)} in ${usualSeries.length} of ${members.length}`,
      values: {
        keyword,
        value: value === '' ? null : value,
        usual: usualValue === '' ? null : usualValue,
        usual_series: usualSeries.length,
        all_series: members.length,
        tolerance: TOLERANCE,
        series: series.slice(0, MOST_LISTED).map(({ of }) => ({
          id: `${of.studyInstanceUid}/${of.seriesInstanceUid}`,
          name: nameOfSeries(of),
        })),
      },
    }),
  );
}

/** Among the first values only, or the work would grow with the square of their number. */
function findAlike(
  byValue: ReadonlyMap<string, ComparedSeries[]>,
  text: string,
): readonly [value: string, series: ComparedSeries[]] | undefined {
  let compared = 0;
  for (const entry of byValue) {
    if (isAlike(entry[0], text)) return entry;
    compared += 1;
    if (compared >= MOST_COMPARED) return undefined;
  }
  return undefined;
}

/** The values of a series in order, as one text. */
function writeValues(values: ReadonlySet<string> | undefined): string {
  return values === undefined ? '' : someTexts(values, MOST_OF_SERIES).join(' | ');
}

function nameValue(value: string): string {
  return value === '' ? 'absent' : value;
}

/** Whether two values are the same, or the same but for rounding in each of their numbers. */
function isAlike(a: string, b: string): boolean {
  if (a === b) return true;
  const [ofA, ofB] = [a, b].map((text) => text.split(/ \| |\\/));
  if (ofA === undefined || ofB === undefined || ofA.length !== ofB.length) return false;
  return ofA.every((part, at) => isSame(part, ofB[at] ?? ''));
}

function isSame(a: string, b: string): boolean {
  if (a === b) return true;
  if (a.trim() === '' || b.trim() === '') return false;
  const [x, y] = [Number(a), Number(b)];
  return Math.abs(x - y) <= TOLERANCE * Math.max(Math.abs(x), Math.abs(y));
}
