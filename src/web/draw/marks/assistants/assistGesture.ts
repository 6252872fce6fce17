import {
  type AssistantAnswer,
  type AssistantPrompt,
  type AssistantQuestion,
  MOST_PROMPT_SAMPLES,
  MOST_PROMPTS,
  type WireAssistant,
} from '../../../../shared/contract/assistants.ts';
import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { askAssistant } from '../../../kit/api/assistants.ts';
import { findFile } from '../../../kit/state/library.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { groupDigits } from '../../../kit/ui/groupDigits.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../../../show/tools/followMarks.ts';
import { type BrushMark, markForStroke } from '../masks/brushes.ts';
import { isSameMask } from '../masks/mergeMasks.ts';
import type { PaintGround, StoredSample } from '../masks/paintGround.ts';
import { findStackOfKey } from '../masks/placeOfMask.ts';
import { frameKey, parseFrameKey } from '../sync/markForm.ts';
import { storedMarksOf } from '../sync/markKind.ts';
import { marksOf } from '../sync/marks.ts';
import { findTarget, masksAt, type MaskTarget } from '../tools/maskTarget.ts';
import { planWork, toKeys } from '../tools/planMask.ts';
import { cancelProposal, type Planned, type PlanMask, propose, proposalsOf } from '../tools/proposals.ts';
import { assistantsOf, chosenAssistant, type DrawnPrompt, NO_ASSISTANT } from './assistants.ts';

type DrawnKind = AssistantPrompt['kind'];

/** A click is a point, a drag a scribble or a box. On release the assistant is asked, with all prompts so far. */
export function beginAssist(page: Page, cell: number, press: MarkPress): MarkGesture | undefined {
  const { shown, at, isOwnTool, isAltDown = false, isShiftDown = false } = press;
  if (!isOwnTool) return undefined;
  const target = findTarget(page, cell);
  if (target === undefined) return undefined;
  const store = assistantsOf(page);
  const assistant = chosenAssistant(store.getState());
  if (assistant === undefined) {
    say(page, NO_ASSISTANT, 'failed');
    return undefined;
  }
  const { drag, isOutside } = store.getState();
  const isPositive = isOutside === isAltDown;
  if (!isPositive && !assistant.takes_negative) {
    say(page, `${assistant.name} takes nothing that is outside`, 'failed');
    return undefined;
  }
  const path: Point[] = [toImagePoint(shown, at)];
  const dragged = kindOfDrag(assistant, drag, isShiftDown);
  const draw = (kind: DrawnKind) => {
    const points = kind === 'scribble' ? [...path] : kind === 'box' ? [path[0]!, path.at(-1)!] : [path.at(-1)!];
    return toPrompt(target.ground, { kind, isPositive, points });
  };
  const end = (kind: DrawnKind) => {
    store.setState({ live: undefined });
    const prompt = draw(kind);
    if (prompt.samples.length === 0) say(page, 'This place is outside of the volume', 'failed');
    else addPrompt(page, target, assistant, prompt);
  };
  return {
    move(point) {
      path.push(point);
      store.setState({ live: draw(dragged) });
    },
    commit(point) {
      path.push(point);
      end(dragged);
    },
    click: () => end(assistant.prompts.includes('point') ? 'point' : dragged),
    cancel: () => store.setState({ live: undefined }),
  };
}

function kindOfDrag({ prompts }: WireAssistant, usual: 'scribble' | 'box', isOther: boolean): DrawnKind {
  const other = usual === 'scribble' ? 'box' : 'scribble';
  const wanted = isOther ? ([other, usual] as const) : ([usual, other] as const);
  return wanted.find((kind) => prompts.includes(kind)) ?? 'point';
}

type Drawn = { readonly kind: DrawnKind; readonly isPositive: boolean; readonly points: readonly Point[] };

function toPrompt(ground: PaintGround, { kind, isPositive, points }: Drawn): DrawnPrompt {
  const samples: number[][] = [];
  const add = ({ x, y }: Point) => {
    const sample = sampleUnder(ground, x, y);
    if (sample === undefined || samples.length >= MOST_PROMPT_SAMPLES) return;
    const found = [sample.frame.fileIndex, sample.frame.frame, sample.row, sample.column];
    if (!found.every((one, n) => one === samples.at(-1)?.[n])) samples.push(found);
  };
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined)
    return { kind, is_positive: isPositive, samples, groundKey: ground.key, points };
  if (kind === 'scribble') visitLine(points, add);
  // On a tilted plane, the box is that around all four corners.
  else for (const point of kind === 'box' ? cornersOf(first, last) : [first]) add(point);
  return { kind, is_positive: isPositive, samples, groundKey: ground.key, points };
}

/** The stored sample that a place of the picture is in. */
function sampleUnder(ground: PaintGround, x: number, y: number): StoredSample | undefined {
  const { rows, columns } = ground.size;
  const [column, row] = [Math.floor(x), Math.floor(y)];
  return column < 0 || row < 0 || column >= columns || row >= rows ? undefined : ground.sampleAt(column, row);
}

function cornersOf(a: Point, b: Point): readonly Point[] {
  return [a, { x: b.x, y: a.y }, b, { x: a.x, y: b.y }];
}

/** In steps that miss no pixel. */
function visitLine(points: readonly Point[], visit: (point: Point) => void): void {
  let [from] = points;
  for (const to of points) {
    if (from === undefined) return;
    const steps = Math.max(1, Math.ceil(2 * Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y))));
    for (let step = 1; step <= steps; step += 1) {
      visit({ x: from.x + ((to.x - from.x) * step) / steps, y: from.y + ((to.y - from.y) * step) / steps });
    }
    from = to;
  }
}

function addPrompt(page: Page, target: MaskTarget, assistant: WireAssistant, prompt: DrawnPrompt): void {
  const store = assistantsOf(page);
  const stackId = findStackOfKey(page, frameKey(target.ground.frame))?.id;
  const before = proposalsOf(page).getState().proposal;
  // What is previewed belongs to another stack or tool, and nothing of it is taken.
  if (before !== undefined && (before.tool !== 'assistant' || store.getState().stackId !== stackId))
    cancelProposal(page);
  const previous = proposalsOf(page).getState().proposal;
  const { prompts: earlier } = store.getState();
  const mark = previous?.mark ?? markForStroke(page, frameKey(target.ground.frame));
  if (mark === undefined) return;
  const prompts = [...earlier, prompt];
  const samples = prompts.reduce((sum, one) => sum + one.samples.length, 0);
  if (prompts.length > MOST_PROMPTS || samples > MOST_PROMPT_SAMPLES) {
    say(page, 'There are too many prompts. Take the mask, or begin anew.', 'failed');
    return;
  }
  store.setState({ prompts, stackId });
  propose(page, {
    tool: 'assistant',
    title: assistant.name,
    cell: target.cell,
    mark,
    settings: { low: 0, high: 0, radius: 1, least: 1, other: undefined, scope: 'volume' },
    unit: 'px',
    others: [],
    isCut: target.ground.isCut,
    plan: planAnswer(page, target, { assistant, mark, prompts }),
    // The answer before is seen until the next one is there.
    planned: previous?.planned,
  });
}

type Asked = {
  readonly assistant: WireAssistant;
  readonly mark: BrushMark;
  readonly prompts: readonly DrawnPrompt[];
};

function planAnswer(page: Page, { ground: { frame } }: MaskTarget, { assistant, mark, prompts }: Asked): PlanMask {
  const initial = findInitial(page, assistant, mark);
  const question: AssistantQuestion = {
    file_index: frame.fileIndex,
    frame_index: frame.frame,
    prompts: prompts.map(({ kind, is_positive, samples }) => ({ kind, is_positive, samples })),
    ...(initial !== undefined && { mark: initial }),
  };
  return async (_, { signal }) => {
    const answer = await askAssistant(assistant.id, question, signal);
    if (signal.aborted) return undefined;
    const found = masksOf(answer);
    if (initial !== undefined) return replaceBy(found, answer.voxels, mark);
    if (found.size === 0) return { changed: new Map(), text: 'Found nothing. Point at more, or press Esc.' };
    const keys = [...found.keys()];
    const file = findFile(page, parseFrameKey(keys[0]!).fileIndex);
    const job = {
      columns: file?.columns ?? 0,
      rows: file?.rows ?? 0,
      spacing: { column: 1, row: 1, positions: keys.map((__, n) => n) },
      masks: masksAt(mark, keys),
      work: { kind: 'unite', others: keys.map((key) => found.get(key)) } as const,
    };
    return planWork(page, job, { signal, noun: 'voxels', toChanges: (changed) => toKeys(changed, keys) });
  };
}

/** The mask that an answer begins from and replaces: the selected one, if the user has said so and the server has it. */
function findInitial(page: Page, { prompts }: WireAssistant, mark: BrushMark): number | undefined {
  const { isRefining } = assistantsOf(page).getState();
  const isWanted =
    isRefining && prompts.includes('mask') && mark.slices.size > 0 && marksOf(page).getState().selected === mark.uid;
  return isWanted ? storedMarksOf(page).get(mark.uid)?.id : undefined;
}

function masksOf({ slices }: AssistantAnswer): ReadonlyMap<string, MarkMask> {
  return new Map(
    slices.flatMap(({ file_index: fileIndex, frame_index: frame, mask }) =>
      mask === undefined ? [] : [[frameKey({ fileIndex, frame }), mask] as const],
    ),
  );
}

function replaceBy(found: ReadonlyMap<string, MarkMask>, voxels: number, { slices }: BrushMark): Planned {
  const keys = [...new Set([...slices.keys(), ...found.keys()])];
  const changed = new Map(
    keys
      .map((key) => [key, found.get(key) ?? null] as const)
      .filter(([key, mask]) => !isSameMask(mask, slices.get(key) ?? null)),
  );
  return { changed, text: `${groupDigits(voxels)} voxels in ${found.size} images, in place of the mask.` };
}
