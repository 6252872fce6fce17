import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { PlanResponse } from '../../../../shared/contract/plans.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { openObject } from '../../../machine/workers/jsonPieces.ts';
import { requireView } from '../documentKinds.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import { parseBeams, parseFractionGroups, parsePrescriptions } from './parseBeams.ts';
import { describeDwells, parseBrachyChannels } from './parseBrachyChannels.ts';
import { parseControlPoints } from './parseControlPoints.ts';
import type { PlanInput } from './planTasks.ts';
import { textAt } from './planValues.ts';

/** Things of one kind in an answer: more than any plan has. */
const MOST_LISTED = 2000;

/** Implements `readPlanTask`. */
export function readPlan({ beam, channel, ...file }: PlanInput & DocumentFile): string {
  requireView(file, 'plan', 'the object is neither a treatment plan nor a record of a treatment');
  return withDocument(file, ({ dataSet }) => {
    const beams = parseBeams(dataSet).slice(0, MOST_LISTED);
    const channels = parseBrachyChannels(dataSet).slice(0, MOST_LISTED);
    const answer: Omit<PlanResponse, 'file_index'> = {
      label: textAt(dataSet, Tag.RTPlanLabel),
      prescriptions: parsePrescriptions(dataSet).slice(0, MOST_LISTED),
      fraction_groups: parseFractionGroups(dataSet, beams).slice(0, MOST_LISTED),
      beams: beams.map((one) => one.beam),
      channels: channels.map((one) => one.channel),
      beam: beam === undefined ? null : parseControlPoints(pick(beams, beam, 'beam'), beam),
      channel: channel === undefined ? null : describeDwells(pick(channels, channel, 'channel'), channel),
    };
    return openObject(answer);
  });
}

function pick<Value>(list: readonly Value[], at: number, what: string): Value {
  const found = list[at];
  if (found === undefined)
    throw new ViewerError('item_not_found', `the object has no ${what} ${at}; it has ${list.length}`);
  return found;
}
