import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import type { Attachment } from '../../../images/attachments/attachments.ts';
import type { LayerContext } from '../layerContext.ts';
import type { LayerOptions, LayerTarget } from '../layerProvider.ts';
import { type Arrangement, AS_IT_IS } from './arrayOrder.ts';
import { type AttachmentPlaces, countSteps, placeAttachment } from './placeAttachment.ts';
import type { GridFrame, StackGrid } from './stackGrids.ts';

/** Where attachments lie among the open stacks, by themselves and where the user wants them. */
export interface PlacesOfAttachments {
  /** Where it lies, without reading more than its header. */
  readonly places: (attachment: Attachment) => Promise<AttachmentPlaces>;
  /** Lays it over the stack of a frame, or undefined: where it lies by itself. Throws if it does not fit there. */
  choose(attachment: Attachment, target: LayerTarget | undefined, arrangement?: Arrangement): Promise<AttachmentPlaces>;
  /** What the user has chosen. */
  choiceOf(attachment: Attachment): Promise<ChosenPlace | undefined>;
  /** Whether it lies over the stack of a frame, or it is worth telling its user why it does not. */
  concerns(attachment: Attachment, target: LayerTarget, options: LayerOptions): Promise<boolean>;
}

export type ChosenPlace = {
  /** The first frame of the stack. */
  readonly frame: GridFrame;
  readonly arrangement: Arrangement;
};

/** Folders up to here belong together. */
const NEAR_STEPS = 2;

export function createPlacesOfAttachments(
  { registrations }: Pick<LayerContext, 'registrations'>,
  listGrids: () => Promise<readonly StackGrid[]>,
): PlacesOfAttachments {
  /** What users have chosen, by attachment: the key of the stack, and how it lies there. */
  const chosen = new Map<number, { readonly key: string; readonly arrangement: Arrangement }>();
  /** Where the attachments lie among these stacks. */
  const decided = new WeakMap<readonly StackGrid[], Map<number, AttachmentPlaces>>();

  /** The stack of the last target: a list of layers asks about one target for each attachment. */
  const lastFound = new WeakMap<readonly StackGrid[], LayerTarget & { readonly grid: StackGrid | undefined }>();

  function findGrid(grids: readonly StackGrid[], { file, frame }: LayerTarget): StackGrid | undefined {
    const last = lastFound.get(grids);
    if (last !== undefined && last.file.index === file.index && last.frame === frame) return last.grid;
    const grid = grids.find((one) => hasFrame(one, { file, frame }));
    lastFound.set(grids, { file, frame, grid });
    return grid;
  }

  function findChoice({ number }: Attachment, grids: readonly StackGrid[]) {
    const choice = chosen.get(number);
    const grid = choice && grids.find((one) => one.key === choice.key);
    return choice && grid && { grid, arrangement: choice.arrangement };
  }

  async function places(attachment: Attachment): Promise<AttachmentPlaces> {
    const grids = await listGrids();
    const ofGrids = decided.get(grids) ?? new Map<number, AttachmentPlaces>();
    decided.set(grids, ofGrids);
    const found = ofGrids.get(attachment.number) ?? placeAttachment(attachment, grids, findChoice(attachment, grids));
    ofGrids.set(attachment.number, found);
    return found;
  }

  return {
    places,
    async choose(attachment, target, arrangement = AS_IT_IS) {
      requireReadable(attachment);
      const grids = await listGrids();
      const grid = target && findGrid(grids, target);
      const { matches } = await places(attachment);
      const match = matches.find((one) => one.grid === grid);
      if (target !== undefined && match === undefined) throw mappingUnavailable('the file does not fit these images');
      const orders = match?.hasOther === true ? 2 : (match?.orders.length ?? 0);
      if (match !== undefined && arrangement.order > 0 && arrangement.order >= orders) {
        throw mappingUnavailable('the axes of the file do not fit in this order');
      }
      if (grid === undefined) chosen.delete(attachment.number);
      else chosen.set(attachment.number, { key: grid.key, arrangement });
      decided.get(grids)?.delete(attachment.number);
      return places(attachment);
    },
    async choiceOf(attachment) {
      const choice = findChoice(attachment, await listGrids());
      const frame = choice?.grid.frames[0];
      return choice && frame && { frame, arrangement: choice.arrangement };
    },
    async concerns(attachment, target, options) {
      const grid = findGrid(await listGrids(), target);
      if (grid === undefined) return false;
      const { over, matches } = await places(attachment);
      if (over.some((one) => one.grid === grid)) return true;
      const [first] = over;
      if (first !== undefined) {
        const graph = await registrations.load(options);
        const reachable = graph.listReachable(first.grid.frameOfReferenceUid ?? '');
        return grid.frameOfReferenceUid !== undefined && reachable.includes(grid.frameOfReferenceUid);
      }
      if (matches.length > 0) return matches.some((one) => one.grid === grid);
      return countSteps(attachment, grid) <= NEAR_STEPS;
    },
  };
}

export function hasFrame({ frames }: StackGrid, { file, frame }: LayerTarget): boolean {
  return frames.some((one) => one.file.index === file.index && one.frame === frame);
}

export function requireReadable({ content }: Attachment) {
  if (content.kind === 'unreadable') throw new ViewerError('attachment_unreadable', content.reason);
  return content;
}
