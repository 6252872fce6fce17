import { mappingUnavailable } from '../../../../shared/contract/errors.ts';
import { titleOfModelOutput } from '../../../../shared/layerTitle.ts';
import { type PositionTable, planeOfPlace } from '../../../../shared/positionTable.ts';
import type { Attachment } from '../../../images/attachments/attachments.ts';
import { stateOf } from '../../../bytes/origins/origins.ts';
import { checkFrame } from '../../../images/pixels/frames.ts';
import type { Wanted } from '../../../images/pixels/keptWork.ts';
import { checkPlaneWork } from '../../../images/volumes/planeQuery.ts';
import { doInTurns } from '../../../machine/workers/doInTurns.ts';
import { checkPart } from '../field/fieldLayers.ts';
import { sampleField } from '../field/sampleField.ts';
import type { LayerContext } from '../layerContext.ts';
import type { LayerOptions, LayerProvider, LayerWarning, WrittenPacket } from '../layerProvider.ts';
import { createPlacement, isPlaced, placeInFrameOfReference, planeInLayer } from '../placement.ts';
import { countVolumes, placesWithoutPosition, toVolume } from './arrayVolume.ts';
import { createMasksOfAttachments, keyOfElements, type MaskPlane } from './attachmentMasks.ts';
import { createPlacesOfAttachments, hasFrame, type PlacesOfAttachments, requireReadable } from './attachmentPlaces.ts';
import type { AttachmentMasks } from './attachmentTasks.ts';
import { describeMasks, findFullestFrame, listTouchedFrames } from './describeAttachment.ts';
import type { PlacedOver } from './placeAttachment.ts';

/** Model output over the stacks that it fits. */
export interface AttachmentLayers extends PlacesOfAttachments, LayerProvider<Attachment> {
  list(options: LayerOptions): Promise<readonly Attachment[]>;
  /** What a list calls it. */
  nameOf(attachment: Attachment): string;
}

export function createAttachmentLayers(context: LayerContext): AttachmentLayers {
  const { attachments, tasks, volumes, registrations, imagePlanes, reach } = context;
  const masksOf = createMasksOfAttachments(context);
  const placesOf = createPlacesOfAttachments(context, masksOf.listGrids);
  const { places } = placesOf;

  /** Where it lies as wanted; the first place of all if it lies so nowhere. */
  async function findOver(attachment: Attachment, isWanted: (one: PlacedOver) => boolean) {
    requireReadable(attachment);
    const { over, placement } = await places(attachment);
    const [first] = over;
    if (first === undefined) throw mappingUnavailable(placement.reason);
    return over.find(isWanted) ?? { first };
  }

  async function placeElsewhere({ grid }: PlacedOver, target: string | undefined, options: LayerOptions) {
    const graph = await registrations.load(options);
    if (target === undefined || !graph.listReachable(grid.frameOfReferenceUid ?? '').includes(target)) {
      throw mappingUnavailable('the file lies over other images');
    }
    const placement = placeInFrameOfReference(grid.frameOfReferenceUid, target, graph);
    if (!isPlaced(placement)) throw mappingUnavailable(placement.reason);
    return placement;
  }

  /** The values of an array over a plane, sampled as those of any volume. */
  async function sampleValues(
    attachment: Attachment,
    over: PlacedOver,
    { grid, slabMm, placement, parts }: MaskPlane,
    wanted: Wanted,
  ): Promise<WrittenPacket> {
    const { content, number } = attachment;
    const { match } = over;
    if (content.kind !== 'array' || !('order' in match)) throw new Error('pictures hold labels');
    const { data, header } = content;
    const channel = checkPart(parts, countVolumes(header, match.order));
    const table = tableOf(over) ?? placesWithoutPosition(over.grid);
    const { frameOfReferenceUid } = over.grid;
    const key = await keyOfElements(attachment, over);
    const source = toVolume(tasks, { key, data, header, order: match.order, channel, table, frameOfReferenceUid });
    const sampled = { layer: { attachment: number }, source, table, time: 0 };
    const placed = await sampleField(volumes, sampled, { grid, slabMm, placement });
    return placed.packet(wanted);
  }

  /** What it has in a plane, as masks or as values. */
  async function packetIn(
    attachment: Attachment,
    over: PlacedOver,
    plane: MaskPlane,
    wanted: Wanted,
  ): Promise<WrittenPacket> {
    const { masks, cached } = await masksOf.read(attachment, over, wanted);
    if (masks.content !== 'labels') return sampleValues(attachment, over, plane, wanted);
    const table = tableOf(over);
    if (table === undefined) throw mappingUnavailable(over.grid.problem ?? 'the images have no position');
    return { ...(await masksOf.cut(masks, table, plane, wanted)), cached };
  }

  /** Over the stacks that it lies over by itself, and over all that registrations connect with them. */
  async function listImages(over: readonly PlacedOver[], masks: AttachmentMasks, options: LayerOptions) {
    const [first] = over;
    const own = first?.grid.frameOfReferenceUid;
    const table = first && tableOf(first);
    const near = await doInTurns(listTouchedFrames(over, masks), options.signal);
    const spaces = [...new Set(over.flatMap(({ grid }) => grid.frameOfReferenceUid ?? []))];
    const direct = spaces.map((uid) => ({ frameOfReferenceUid: uid, placement: placeInFrameOfReference(uid, uid) }));
    if (own === undefined || table === undefined) return { targets: near, spaces: direct, warnings: [] };
    const far = await reach({ own, tables: [table] }, { ...options, isElsewhere: true });
    return { targets: [...near, ...far.targets], spaces: [...direct, ...far.spaces], warnings: far.warnings };
  }

  return {
    async ownSlices(attachment) {
      requireReadable(attachment);
      const { over, placement } = await places(attachment);
      const [first] = over;
      if (first === undefined) throw mappingUnavailable(placement.reason);
      const table = tableOf(first);
      const { frameOfReferenceUid, problem } = first.grid;
      if (table === undefined || frameOfReferenceUid === undefined) {
        throw mappingUnavailable(problem ?? 'the images that it lies over have no Frame of Reference UID (0020,0052)');
      }
      return { frameOfReferenceUid, table, places: Array.from(table.positionsMm, (_, place) => place) };
    },
    list: (options) => attachments.list(options),
    nameOf: nameAttachment,
    ...placesOf,
    async describe(attachment, options) {
      requireReadable(attachment);
      const { over, placement } = await places(attachment);
      const [first] = over;
      const warnings: LayerWarning[] =
        attachment.content.kind === 'array' ? [...attachment.content.header.warnings] : [];
      if (first === undefined) return { ...NOTHING, placement, warnings };
      if (first.match.warning !== undefined) warnings.push(first.match.warning);
      const { masks } = await masksOf.read(attachment, first, options);
      const images = await listImages(over, masks, options);
      return {
        ...describeMasks(attachment, over, masks),
        targets: images.targets,
        fullest: findFullestFrame(over, masks),
        placement,
        frameOfReferenceUids: [...new Set(over.flatMap(({ grid }) => grid.frameOfReferenceUid ?? []))],
        spaces: images.spaces,
        warnings: [...warnings, ...masks.warnings, ...images.warnings],
      };
    },
    async place(attachment, target, options) {
      checkFrame(target.file, target.frame);
      const found = await findOver(attachment, ({ grid }) => hasFrame(grid, target));
      await stateOf(target.file.source);
      const { rows, columns } = target.file;
      const { parts } = target;
      if ('first' in found) {
        const under = await imagePlanes.findPlane(target, options);
        const placement = await placeElsewhere(found.first, under?.frameOfReferenceUid, options);
        const grid = { ...under!.plane, rows, columns };
        return { packet: (wanted) => packetIn(attachment, found.first, { grid, slabMm: 0, placement, parts }, wanted) };
      }
      const { grid: stack, match } = found;
      const { place } = stack.frames.find(
        ({ file, frame }) => file.index === target.file.index && frame === target.frame,
      )!;
      const plane = planeOfPlace(stack.table ?? placesWithoutPosition(stack), place);
      const under = { grid: { ...plane, rows, columns }, slabMm: 0, placement: HERE, parts };
      return {
        async packet(wanted) {
          const { masks, cached } = await masksOf.read(attachment, found, wanted);
          const isSlice = !('order' in match) || match.table === undefined;
          if (masks.content !== 'labels' || !isSlice) return packetIn(attachment, found, under, wanted);
          return { ...(await masksOf.packSlice(masks, { place, rows, columns }, wanted)), cached };
        },
      };
    },
    async placeOnPlane(attachment, { frameOfReferenceUid, grid, slabMm, parts }, options) {
      const found = await findOver(attachment, (one) => one.grid.frameOfReferenceUid === frameOfReferenceUid);
      const isElsewhere = 'first' in found;
      const over = isElsewhere ? found.first : found;
      const placement = isElsewhere ? await placeElsewhere(over, frameOfReferenceUid, options) : HERE;
      const table = tableOf(over);
      if (table === undefined) throw mappingUnavailable(over.grid.problem ?? 'the images have no position');
      const inLayer = planeInLayer(grid, placement);
      checkPlaneWork(table, inLayer ?? grid, { slabMm }, inLayer === undefined);
      return { packet: (wanted) => packetIn(attachment, over, { grid, slabMm, placement, parts }, wanted) };
    },
  };
}

/** Of an attachment in the frame of reference of the images that it lies over. */
const HERE = createPlacement('direct', '');

/** Its slices in space: its own, or those of the stack that they are. */
function tableOf({ grid, match }: PlacedOver): PositionTable | undefined {
  return ('order' in match ? match.table : undefined) ?? grid.table;
}

const NOTHING = { parts: [], targets: [], frameOfReferenceUids: [], unplaced: [] };

export function nameAttachment({ path, content }: Attachment): string {
  return titleOfModelOutput(path, content.kind === 'array' ? content.member : undefined);
}
