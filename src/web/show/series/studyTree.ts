import type { FileRecord } from '../../../shared/contract/files.ts';
import { LAYER_OBJECTS, RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import { isName } from '../../../shared/layerTitle.ts';
import { layerNameOf } from '../../kit/state/layers.ts';
import type { LibraryState } from '../../kit/state/library.ts';
import { stackOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import type { ExplorerOrder } from '../../kit/state/panels.ts';
import { findPicture } from '../pictures/pictureKinds.ts';
import { isMaybeCompanion } from '../../kit/state/isMaybeCompanion.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { runToEnd, type Sliced, sortInSlices, visitInSlices } from '../../kit/ui/runInSlices.ts';
import {
  describeDocument,
  describePatient,
  describeSeries,
  describeStudy,
  fileName,
  formatCount,
  nameLayerOfFile,
  nameObject,
} from './describeFile.ts';
import { compareTexts } from '../../../shared/compareTexts.ts';
import { compareNames } from './compareNames.ts';
import { describeDistinction, nameStack } from './describeStack.ts';
import type { TreeNode } from './treeNode.ts';

type Stacks = Pick<LibraryState, 'stackOfFile' | 'isSeriesComplete'>;

/** Patient, study, series, and the contents of a series that has more than one stack. */
export function* growStudyTree(
  page: Page,
  files: readonly FileRecord[],
  stacks: Stacks,
  order: ExplorerOrder = 'found',
): Sliced<TreeNode[]> {
  const { sortPatients, studies: byStudy } = ORDERS[order];
  const patients: TreeNode[] = [];
  for (const [key, ofPatient] of yield* sortPatients(yield* groupBy(files, patientKey))) {
    const inPatient = yield* groupBy(ofPatient, ({ study_instance_uid }) => study_instance_uid);
    const studies = yield* sortInSlices(inPatient, byStudy);
    const children: TreeNode[] = [];
    for (const [uid, ofStudy] of studies) children.push(yield* growStudy(page, `${key}/${uid}`, ofStudy, stacks));
    const first = firstOf(ofPatient);
    const title = describePatient(first);
    patients.push({
      ...heading('patient', `patient/${key}`, ofPatient),
      title,
      detail: first.patient_id === title ? '' : first.patient_id,
      children,
    });
  }
  return patients;
}

/** As `growStudyTree`, at once. */
export function buildStudyTree(...inputs: Parameters<typeof growStudyTree>): TreeNode[] {
  return runToEnd(growStudyTree(...inputs));
}

function* growStudy(page: Page, key: string, files: readonly FileRecord[], stacks: Stacks): Sliced<TreeNode> {
  const inStudy = yield* groupBy(files, ({ series_instance_uid }) => series_instance_uid);
  const series = yield* sortInSlices(inStudy, bySeriesNumber);
  const first = firstOf(files);
  const modalities = new Set<string>();
  yield* visitInSlices(files, ({ modality }) => modalities.add(modality));
  const children: TreeNode[] = [];
  for (const [uid, ofSeries] of series) {
    if (uid === '') yield* visitInSlices(ofSeries, (one) => children.push(buildObject(page, one)));
    else children.push(yield* growSeries(page, `${key}/${uid}`, ofSeries, stacks));
  }
  return {
    ...heading('study', `study/${key}`, files),
    title: describeStudy(first),
    detail: [...modalities].filter((modality) => modality !== '').join(' '),
    hint: first.study_instance_uid === '' ? '' : 'Double click: show the study',
    children,
    studyUid: first.study_instance_uid || undefined,
  };
}

function* growSeries(
  page: Page,
  key: string,
  files: readonly FileRecord[],
  { stackOfFile, isSeriesComplete }: Stacks,
): Sliced<TreeNode> {
  const first = firstOf(files);
  const stacks = new Map<ViewStack, FileRecord[]>();
  const alone: TreeNode[] = [];
  let frameCount = 0;
  let image: FileRecord | undefined;
  let mainImage: FileRecord | undefined;
  yield* visitInSlices(files, (file) => {
    const stack = stackOfFile.get(file.index);
    if (stack !== undefined) gather(stacks, stack, file);
    // An image that is not in a stack yet will be when the series are complete.
    else if (isSeriesComplete || !isRenderable(file)) alone.push(buildObject(page, file));
    frameCount += file.frame_count;
    if (!isRenderable(file)) return;
    image ??= file;
    if (mainImage === undefined && !isMaybeCompanion(file)) mainImage = file;
  });
  const parts: TreeNode[] = [];
  yield* visitInSlices([...stacks], ([stack, ofStack]) => parts.push(buildStackNode(page, stack, ofStack)));
  yield* visitInSlices(alone, (node) => parts.push(node));
  const likely = mainImage ?? image ?? first;
  const main = chooseMain([...stacks.keys()]) ?? stackOf(page, likely);
  const levels = [...stacks.keys()].filter(({ kind }) => kind === 'wsi_pyramid_level').length;
  const content = image === undefined ? describeDocuments(files) : formatCount(frameCount, 'image');
  return {
    ...heading('series', `series/${key}`, files),
    title: files.length === 1 && isNamedAsLayer(first) ? nameLayerSeries(first) : describeSeries(first),
    detail: levels === 0 ? content : formatCount(levels, 'level'),
    modality: first.modality,
    isOpenAtFirst: false,
    warningCount: [...stacks.keys()].reduce((sum, { warnings }) => sum + warnings.length, 0),
    children: parts.length > 1 ? parts : [],
    stackId: main.id,
    objectKind: image === undefined ? first.object_kind : undefined,
    thumbnail: middleFrame(main, stacks.get(main) ?? [likely]),
  };
}

/** Whether a file is called by what it lays over images, and not by its series. */
function isNamedAsLayer(file: FileRecord): boolean {
  if (file.modality === 'RTPLAN') return true;
  const name = layerNameOf(file);
  if (name === undefined || LAYER_OBJECTS[name].isReadFirst) return false;
  return !LAYER_OBJECTS[name].isImage || file.sop_class_uid === RT_DOSE_STORAGE;
}

/** With its number, as all series. */
function nameLayerSeries(file: FileRecord): string {
  return [file.series_number, nameLayerOfFile(file)].filter((text) => text !== '').join(' · ');
}

/** Of a series without images: the title of its only document, otherwise what the first is. */
function describeDocuments(files: readonly FileRecord[]): string {
  const first = firstOf(files);
  return files.length === 1 ? describeDocument(first) : nameObject(first);
}

/** A slide is opened at its smallest level; its label is not the main image of a series. */
function chooseMain(stacks: readonly ViewStack[]): ViewStack | undefined {
  const levels = stacks.filter(({ kind }) => kind === 'wsi_pyramid_level');
  return levels.toSorted((a, b) => a.frames.length - b.frames.length)[0] ?? stacks[0];
}

function buildStackNode(page: Page, stack: ViewStack, files: readonly FileRecord[]): TreeNode {
  const first = findByIndex(files, stack.fileIndex) ?? firstOf(files);
  const role = {
    ordinary: '',
    file: '',
    concatenation: 'Concatenation',
    wsi_pyramid_level: 'Level',
    wsi_companion: '',
  };
  const { columns, rows } = stack.matrix ?? first;
  const size = `${columns} × ${rows}`;
  const distinction = describeDistinction(stack);
  const isLayer = isNamedAsLayer(first);
  const isTiled = findPicture(page, stack.id)?.traits.frames === 'tiles';
  const count = formatCount(stack.frames.length, isTiled ? 'tile' : 'image');
  return {
    ...heading('stack', `stack/${stack.id}`, files),
    title: isLayer
      ? nameLayerOfFile(first)
      : [role[stack.kind], nameStack(stack) || size].filter((part) => part !== '').join(' '),
    detail: [isLayer ? distinction : '', distinction === '' ? '' : size, count]
      .filter((part) => part !== '')
      .join(' · '),
    hint: [distinction, ...stack.warnings.map(({ message }) => message)].filter((part) => part !== '').join('\n'),
    warningCount: stack.warnings.length,
    stackId: stack.id,
    // A label can contain a name, so it is shown only when it is opened.
    thumbnail: stack.kind === 'wsi_companion' ? undefined : middleFrame(stack, files),
  };
}

/** A file that is in no stack. */
export function buildObject(page: Page, file: FileRecord): TreeNode {
  const stack = stackOf(page, file);
  return {
    ...heading('object', `object/${file.index}`, [file]),
    title: isRenderable(file) ? nameObject(file) : describeDocument(file),
    detail: isName(fileName(file)) ? fileName(file) : '',
    hint: file.path,
    modality: file.modality,
    stackId: stack.id,
    objectKind: isRenderable(file) ? undefined : file.object_kind,
    thumbnail: middleFrame(stack, [file]),
  };
}

function heading(kind: TreeNode['kind'], id: string, files: readonly FileRecord[]): TreeNode {
  return {
    id,
    kind,
    title: '',
    detail: '',
    hint: '',
    modality: '',
    fileCount: files.length,
    warningCount: 0,
    children: [],
    isOpenAtFirst: true,
    stackId: undefined,
    fileIndex: undefined,
    thumbnail: undefined,
  };
}

function isRenderable({ support_state }: FileRecord): boolean {
  return support_state === 'renderable';
}

/** No thumbnail for a file that cannot be decoded, because the request would fail. `files` are those of the stack. */
function middleFrame({ frames }: ViewStack, files: readonly FileRecord[]): TreeNode['thumbnail'] {
  const frame = frames[frames.length >> 1];
  const file = findByIndex(files, frame?.fileIndex) ?? files.find(isRenderable);
  return file !== undefined && isRenderable(file) ? frame : undefined;
}

/** A stack may have 100,000 files. They are ordered by index, as in the library. */
function findByIndex(files: readonly FileRecord[], index = -1): FileRecord | undefined {
  let [low, high] = [0, files.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((files[middle]?.index ?? Infinity) < index) low = middle + 1;
    else high = middle;
  }
  const found = files[low];
  return found?.index === index ? found : undefined;
}

function patientKey({ patient_id, patient_name }: FileRecord): string {
  return patient_id || patient_name;
}

/** Groups in order of first occurrence. */
function* groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Sliced<[string, T[]][]> {
  const groups = new Map<string, T[]>();
  yield* visitInSlices(items, (item) => gather(groups, keyOf(item), item));
  return [...groups];
}

function gather<Key, T>(groups: Map<Key, T[]>, key: Key, item: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

type Group = readonly [string, readonly FileRecord[]];

type Order = {
  readonly sortPatients: (patients: readonly Group[]) => Sliced<readonly Group[]>;
  readonly studies: (a: Group, b: Group) => number;
};

/** Series are sorted by number in every order, because that is the order of acquisition. */
const ORDERS: Readonly<Record<ExplorerOrder, Order>> = {
  found: { sortPatients: keepOrder, studies: byStudyDate },
  name: { sortPatients: (patients) => sortInSlices(patients, byPatientName), studies: byStudyDescription },
  newest: { sortPatients: sortByLatestStudy, studies: (a, b) => byStudyDate(b, a) },
};

function byStudyDate([, a]: Group, [, b]: Group): number {
  return compareTexts(firstOf(a).study_date, firstOf(b).study_date);
}

function byStudyDescription(a: Group, b: Group): number {
  const [one, other] = [firstOf(a[1]).study_description, firstOf(b[1]).study_description];
  return compareNames(one, other) || byStudyDate(a, b);
}

function byPatientName([, a]: Group, [, b]: Group): number {
  return compareNames(describePatient(firstOf(a)), describePatient(firstOf(b)));
}

// oxlint-disable-next-line require-yield -- nothing to do is no work to divide
function* keepOrder(patients: readonly Group[]): Sliced<readonly Group[]> {
  return patients;
}

function* sortByLatestStudy(patients: readonly Group[]): Sliced<readonly Group[]> {
  const dated: { readonly patient: Group; readonly latest: string }[] = [];
  for (const patient of patients) dated.push({ patient, latest: yield* findLatestStudy(patient[1]) });
  return (yield* sortInSlices(dated, (a, b) => compareTexts(b.latest, a.latest))).map(({ patient }) => patient);
}

function* findLatestStudy(files: readonly FileRecord[]): Sliced<string> {
  let latest = '';
  yield* visitInSlices(files, ({ study_date }) => {
    if (study_date > latest) latest = study_date;
  });
  return latest;
}

function bySeriesNumber([, a]: Group, [, b]: Group): number {
  return numberOf(firstOf(a).series_number) - numberOf(firstOf(b).series_number);
}

/** Texts without a number come last. Not Infinity, because the difference of two infinities is not a number. */
function numberOf(text: string): number {
  const number = Number.parseInt(text, 10);
  return Number.isNaN(number) ? Number.MAX_SAFE_INTEGER : number;
}

function firstOf(files: readonly FileRecord[]): FileRecord {
  const first = files[0];
  if (first === undefined) throw new Error('a group has at least one file');
  return first;
}
