import { useCallback, useMemo } from 'react';
import type { WireLayerPart } from '../../../../shared/contract/layerAnswers.ts';
import { activateCell, stackOfCell } from '../../../kit/state/cells.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { findPosition } from '../../../kit/state/stacks.ts';
import { showFrame } from '../../../show/pictures/shownFrame.ts';
import { capitalize } from '../describeLayers.ts';
import { formatVolume } from '../formatVolume.ts';
import styles from '../LayerList.module.css';
import { PartList } from '../PartList.tsx';
import type { ListedPart, PartEnd } from '../PartRow.tsx';
import { describeStructure, type StructureSetDescription } from './describeStructure.ts';

type Props = { readonly description: StructureSetDescription; readonly noun: string; readonly cell: number };

/** The structures of a structure set, and what must be said about it. */
export function StructureDetails({ description: { response, reason, parts }, noun, cell }: Props) {
  const page = usePage();
  const rois = response.parts;
  const listed = useMemo(() => {
    const colors = new Map(parts.map((part) => [part.number, part] as const));
    return rois.map((roi): ListedPart => {
      const { part: number, ends, volume_mm3: volume } = roi;
      const part = colors.get(number) ?? { number, name: String(number), color: roi.color };
      return {
        ...part,
        key: String(number),
        kind: describeStructure(roi),
        description: roi.description ?? part.name,
        size: volume === null ? '' : formatVolume(volume),
        reason: roi.reason,
        ends: roi.reason === null && ends.length > 0 ? ['first', 'last'] : [],
        isNested: roi.nested === true,
      };
    });
  }, [rois, parts]);
  const jump = useCallback(
    (part: number, end: PartEnd) => {
      const roi = rois.find((one) => one.part === part);
      if (roi !== undefined) goTo(page, cell, roi, end);
    },
    [page, cell, rois],
  );
  return (
    <>
      <PartList layer={response.layer} noun={noun} parts={listed} onJump={jump} />
      <p className={styles.quiet}>{capitalize(reason)}</p>
      {response.spaces.map(({ frame_of_reference_uid: uid, placement: { via_file_indices, reason: words } }) =>
        via_file_indices.length === 0 ? null : (
          <p key={uid} className={styles.note}>
            Over images of another frame of reference, {words}
          </p>
        ),
      )}
      {response.warnings.map(({ code, message }) => (
        <p key={code} className={styles.note}>
          {capitalize(message)}
        </p>
      ))}
    </>
  );
}

/** In the stack of the cell if the structure lies over it. A stack may run opposite to the order of the server. */
function goTo(page: Page, cell: number, { ends }: WireLayerPart, end: PartEnd): void {
  activateCell(page, cell);
  const stack = stackOfCell(page, cell);
  const positionOf = ({ file_index, frame_index }: (typeof ends)[number]['first']) =>
    stack && findPosition(stack, file_index, frame_index);
  const all = ends.flatMap((one) => [one.first, one.last]);
  const here = all.filter((one) => positionOf(one) !== undefined);
  const sorted = here.toSorted((a, b) => (positionOf(a) ?? 0) - (positionOf(b) ?? 0));
  const place = here.length === 0 ? all.at(end === 'first' ? 0 : 1) : sorted.at(end === 'first' ? 0 : -1);
  if (place !== undefined) showFrame(page, place.file_index, place.frame_index);
}
