import { availableParallelism } from 'node:os';
import { basename, dirname, relative } from 'node:path';
import type { ComparisonResponse } from '../../shared/contract/comparison.ts';
import { ViewerError } from '../../shared/contract/errors.ts';
import { LAYER_OBJECTS } from '../../shared/contract/layers.ts';
import { type LayerRef, numberOfLayer } from '../../shared/layerRef.ts';
import { isRemoteInput } from '../../server/bytes/origins/remote/remoteInput.ts';
import { placeOf, placeOfInput } from '../../server/bytes/origins/origins.ts';
import type { Domains } from '../../server/createDomains.ts';
import { buildIdentity } from '../../server/doors/http/buildIdentity.ts';
import type { Attachment } from '../../server/images/attachments/attachments.ts';
import type { DicomFile } from '../../server/images/catalog/dicomFile.ts';
import { writeTableFile } from '../../server/images/tables/writeTableFile.ts';
import { mapInLanes } from '../../server/machine/workers/mapInLanes.ts';
import { findLayerName } from '../../server/over/layers/layerFiles.ts';
import { waitFor } from '../export/exportJob.ts';
import { openOutputFolder, OutputFailure, type OutputFolder } from '../export/outputFolder.ts';
import type { Surroundings } from '../openFiles.ts';
import { printable } from '../printable.ts';
import { runFileCommand } from '../runFileCommand.ts';
import { toServerLog } from '../serverLog.ts';
import { shellWord } from '../startupLines.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usageError.ts';
import type { CompareArguments } from './compareArguments.ts';
import { type NotCompared, writeComparePage } from './comparePage.ts';
import { type CaseFile, type CasePair, pairCases, stemOf } from './pairCases.ts';
import { type ComparedCase, type ComparedSeries, listScoreRows, SCORE_COLUMNS } from './scoreTable.ts';

/** A file that appears when the command is done. */
type Output = { readonly folder: OutputFolder; readonly stem: string; readonly ending: string };
type Outputs = { readonly scores: Output; readonly report: Output | undefined };

/** Runs `negato compare` and returns the exit code. Throws UsageError. */
export function runCompare(given: CompareArguments, surroundings: Surroundings): Promise<0 | 1> {
  const { terminal } = surroundings;
  return runFileCommand(
    given.settings,
    {
      async open(leftovers) {
        const openOutput = async (path: string): Promise<Output> => {
          const [ending = ''] = /\.[^.]+$/.exec(path) ?? [];
          const output = {
            stem: basename(path, ending),
            ending,
            folder: await openOutputFolder(dirname(path), leftovers),
          };
          const known = await output.folder.findExisting(output.stem, ending, false);
          if (known !== undefined) throw new OutputFailure(`${printable(known)} exists and is not replaced`);
          return output;
        };
        const scores = await openOutput(given.out);
        return { scores, report: given.report === undefined ? undefined : await openOutput(given.report) };
      },
      work(domains, outputs: Outputs, signal) {
        const studyOf = listStudies(domains.catalog.files);
        return compareAll({ given, domains, terminal, signal, studyOf }, outputs);
      },
    },
    surroundings,
  );
}

type Running = {
  readonly given: CompareArguments;
  readonly domains: Domains;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** The studies of the series of images that are open, by Series Instance UID. */
  readonly studyOf: ReadonlyMap<string, string>;
};

async function compareAll(running: Running, { scores, report }: Outputs): Promise<0 | 1> {
  const { given, terminal } = running;
  const sides = await listSides(running);
  const files = { truth: sides.truth.map(({ file }) => file), test: sides.test.map(({ file }) => file) };
  const { pairs, ambiguous, onlyTruth, onlyTest } = pairCases(files);
  const notCompared: NotCompared[] = [
    ...onlyTruth.map((at) => ({ what: sides.truth[at]!.title, reason: 'no file of the test is of this case' })),
    ...onlyTest.map((at) => ({ what: sides.test[at]!.title, reason: 'no file of the truth is of this case' })),
  ];
  const refused = ambiguous.map(({ truth, test }): NotCompared => {
    return {
      what: nameFiles(sides.truth, truth),
      reason: `each could be of the same case as ${nameFiles(sides.test, test)}`,
    };
  });
  const { cases, failed } = await compareCases(pairs, sides, running);
  notCompared.push(...refused, ...failed, ...sides.leftOut);
  terminal.progress(undefined);
  for (const { what, reason } of notCompared) terminal.say(`not compared: ${printable(what)}: ${printable(reason)}`);
  const options = { format: given.format, columns: SCORE_COLUMNS, createdBy: `negato ${buildIdentity().version}` };
  const isWritten = await write(scores, writeTableFile(listScoreRows(cases), options), terminal);
  const text = new TextEncoder();
  const pieces = writeComparePage({ about: describeRun(given, cases), cases, notCompared });
  const encoded = (function* () {
    for (const piece of pieces) yield text.encode(piece);
  })();
  const isReported = report === undefined || (await write(report, encoded, terminal));
  const summary = [`${cases.length} ${cases.length === 1 ? 'case' : 'cases'} compared`];
  if (notCompared.length > 0) summary.push(`${notCompared.length} not compared`);
  terminal.say(summary.join(', '));
  if (isWritten) sayHowToOpen(running, cases);
  const isWhole = cases.length > 0 && refused.length === 0 && failed.length === 0;
  return isWhole && isWritten && isReported ? 0 : 1;
}

/** Scores are columns of the table if it is known which series they are about. */
function sayHowToOpen({ given, terminal }: Running, cases: readonly ComparedCase[]): void {
  const [truth, test, images] = given.inputs;
  if (!cases.some(({ series }) => series !== undefined) || given.settings.mask !== undefined) return;
  const words = ['negato', images ?? truth, '--truth', truth, '--test', test, '--scores', given.out];
  terminal.say(`to look at them, the worst first: ${printable(words.map(shellWord).join(' '))}`);
}

function listStudies(files: readonly DicomFile[]): ReadonlyMap<string, string> {
  const images = files.filter((file) => {
    const name = findLayerName(file);
    return file.hasPixels && (name === undefined || LAYER_OBJECTS[name].isImage);
  });
  return new Map(images.map(({ seriesInstanceUid, studyInstanceUid }) => [seriesInstanceUid, studyInstanceUid]));
}

function nameFiles(side: readonly SideFile[], places: readonly number[]): string {
  return places.map((at) => side[at]!.title).join(', ');
}

async function write(
  { folder, stem, ending }: Output,
  pieces: Iterable<Uint8Array>,
  terminal: Terminal,
): Promise<boolean> {
  const written = await folder.write({ stem, ending, pieces, sidecar: undefined }, () => {});
  if ('exists' in written) terminal.error(`${printable(written.exists)} exists and is not replaced`);
  else terminal.say(`${printable(`${stem}${ending}`)}: ${written.bytes} bytes`);
  return !('exists' in written);
}

/** A file of labels of one side. */
type SideFile = {
  readonly file: CaseFile;
  readonly title: string;
  readonly layer: LayerRef;
  /** That of a DICOM object, which mostly is that of its images; empty for an array. */
  readonly studyInstanceUid: string;
  /** Undefined for a DICOM object. */
  readonly attachment: Attachment | undefined;
};

type SideFiles = {
  readonly truth: readonly SideFile[];
  readonly test: readonly SideFile[];
  readonly leftOut: readonly NotCompared[];
};

/** Objects whose parts may be compared. */
const LABELLED: ReadonlySet<string | undefined> = new Set(['segmentation', 'structureSet']);

async function listSides({ given, domains, signal }: Running): Promise<SideFiles> {
  const { catalog, attachments } = domains;
  const sideOf = await createSideFinder(given.inputs);
  const sides: Record<'truth' | 'test', SideFile[]> = { truth: [], test: [] };
  const leftOut: NotCompared[] = [];
  for (const file of catalog.files) {
    const name = findLayerName(file);
    const found = LABELLED.has(name) ? sideOf(placeOf(file.source)) : undefined;
    if (found === undefined) continue;
    const series = await findSeries(file, domains, signal);
    const place = file.frameOfReferenceUid;
    sides[found.side].push({
      file: { name: found.name, series, place },
      title: file.path,
      layer: { file: file.index },
      studyInstanceUid: file.studyInstanceUid,
      attachment: undefined,
    });
  }
  for (const attachment of await attachments.list({ signal })) {
    const { content, path, number } = attachment;
    const found = content.kind === 'array' ? sideOf(placeOf(content.source)) : undefined;
    if (content.kind === 'unreadable') leftOut.push({ what: path, reason: content.reason });
    if (content.kind !== 'array' || found === undefined) continue;
    const { affine, sizes } = content.header;
    const place = affine && `${sizes.join(' ')} ${affine.map((part) => part.toFixed(2)).join(' ')}`;
    const title = content.member === undefined ? path : `${path} ${content.member}`;
    const layer = { attachment: number };
    const file = { name: found.name, series: [], place };
    sides[found.side].push({ file, title, layer, studyInstanceUid: '', attachment });
  }
  return { ...(await findSeriesOfArrays(sides, domains, signal)), leftOut };
}

/** Arrays that are compared with DICOM objects lie over images, whose series say which case they are of. */
async function findSeriesOfArrays(
  { truth, test }: Pick<SideFiles, 'truth' | 'test'>,
  domains: Domains,
  signal: AbortSignal,
): Promise<Pick<SideFiles, 'truth' | 'test'>> {
  const areArrays = [...truth, ...test].every(({ attachment }) => attachment !== undefined);
  if (areArrays) return { truth, test };
  const addSeries = async (side: SideFile): Promise<SideFile> => {
    if (side.attachment === undefined) return side;
    const series = await findSeriesUnder(side, domains, signal);
    return series === undefined ? side : { ...side, file: { ...side.file, series, place: undefined } };
  };
  return { truth: await mapInLanes(truth, addSeries), test: await mapInLanes(test, addSeries) };
}

/** The series of images that a layer lies over; undefined if that cannot be told. */
async function findSeriesUnder(
  { layer }: SideFile,
  { layers }: Domains,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const { description } = await waitFor(signal, () => layers.describe(layer, { signal }));
    return [...new Set(description.targets.map(({ file }) => file.seriesInstanceUid))];
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}

/** The series that a case is about: that of the truth, or else of the test. None if it could be several. */
async function findSeriesOfCase(
  sides: readonly SideFile[],
  { domains, signal, studyOf }: Running,
): Promise<ComparedSeries | undefined> {
  for (const side of sides) {
    const isOverImages = side.file.series.length === 0 && studyOf.size > 0;
    const found = isOverImages ? await findSeriesUnder(side, domains, signal) : side.file.series;
    const [seriesInstanceUid, ...others] = found ?? [];
    if (seriesInstanceUid === undefined || seriesInstanceUid === '' || others.length > 0) continue;
    const studyInstanceUid = studyOf.get(seriesInstanceUid) ?? side.studyInstanceUid;
    return { studyInstanceUid, seriesInstanceUid };
  }
  return undefined;
}

/** The series that an object names, of the first of its references. */
async function findSeries(file: DicomFile, { references }: Domains, signal: AbortSignal): Promise<readonly string[]> {
  const declared = await waitFor(signal, () => references.read(file, { signal }));
  for (const { seriesInstanceUid, matches } of declared) {
    const uid = seriesInstanceUid ?? matches[0]?.file.seriesInstanceUid;
    if (uid !== undefined) return [uid];
  }
  return [];
}

/** Which side the place of a file is of: that of the longest path that it is below. */
async function createSideFinder(inputs: CompareArguments['inputs']) {
  const names = ['truth', 'test', 'images'] as const;
  const roots = await Promise.all(
    inputs.map(async (path, at) => ({ side: names[at]!, root: (await placeOfInput(path!)).replace(/\/+$/, '') })),
  );
  const [truth, test] = roots;
  if (truth!.root === test!.root) throw new UsageError('TRUTH and TEST are the same');
  const longestFirst = roots.toSorted((a, b) => b.root.length - a.root.length);
  return (place: string): { readonly side: 'truth' | 'test'; readonly name: string } | undefined => {
    const isBelow = (root: string) => place === root || place.startsWith(`${root}/`) || place.startsWith(`${root}\\`);
    const found = longestFirst.find(({ root }) => isBelow(root));
    if (found === undefined || found.side === 'images') return undefined;
    const { root, side } = found;
    if (place === root) return { side, name: basename(place) };
    return { side, name: isRemoteInput(root) ? place.slice(root.length + 1) : relative(root, place) };
  };
}

const DICOM_LANES = 2;

async function compareCases(pairs: readonly CasePair[], sides: SideFiles, running: Running) {
  const { terminal, signal } = running;
  const cases: (ComparedCase | undefined)[] = [];
  const failed: NotCompared[] = [];
  let done = 0;
  const compareOne = async ({ truth: a, test: b, by }: CasePair, at: number) => {
    const [truth, test] = [sides.truth[a]!, sides.test[b]!];
    // In a masked run only the paths of the list are pseudonyms.
    const name = stemOf(running.given.settings.mask === undefined ? truth.file.name : truth.title);
    try {
      signal.throwIfAborted();
      const found = await comparePair(truth, test, running);
      const series = await findSeriesOfCase([truth, test], running);
      cases[at] = { name, truth: truth.title, test: test.title, pairedBy: by, series, found };
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof ViewerError)) toServerLog(terminal).error(`failed: ${name}`, error);
      failed.push({ what: truth.title, reason: error instanceof ViewerError ? error.message : 'an internal error' });
    }
    done += 1;
    terminal.progress(`${done} of ${pairs.length} cases: ${name}`);
  };
  terminal.progress(`0 of ${pairs.length} cases`);
  const areArrays = [...sides.truth, ...sides.test].every(({ attachment }) => attachment !== undefined);
  // Arrays need one thread each, and one more case waits for its files. Layers of DICOM objects are read in many tasks.
  await mapInLanes(pairs, compareOne, areArrays ? availableParallelism() + 1 : DICOM_LANES);
  return { cases: cases.filter((one) => one !== undefined), failed };
}

function comparePair(
  truth: SideFile,
  test: SideFile,
  { domains, given, signal }: Running,
): Promise<ComparisonResponse> {
  const options = { signal, priority: 'interactive' } as const;
  const { query } = given;
  const [a, b] = [truth.attachment, test.attachment];
  if (a !== undefined && b !== undefined) {
    return waitFor(signal, () => domains.comparisons.compareArrays(a, b, query, options));
  }
  const layers = { truth: String(numberOfLayer(truth.layer)), test: String(numberOfLayer(test.layer)) };
  return waitFor(signal, () => domains.comparisons.compare({ ...layers, ...query }, options));
}

function describeRun({ query }: CompareArguments, cases: readonly ComparedCase[]): string[] {
  const [first] = cases;
  const rules =
    first === undefined || query.numbers === 'overlap'
      ? []
      : [
          `tolerance ${first.found.tolerance_mm} mm`,
          `components of ${first.found.connectivity} neighbours`,
          `found if more than ${first.found.overlap * 100} % overlap`,
        ];
  return [
    `${[`${cases.length} ${cases.length === 1 ? 'case' : 'cases'}`, ...rules].join(' · ')}.`,
    `Made by negato ${buildIdentity().version}. Not for clinical use. Point at the head of a column for its definition.`,
  ];
}
