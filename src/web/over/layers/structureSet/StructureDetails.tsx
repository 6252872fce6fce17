import { useCallback, useMemo, useState } from 'react';
import { usePage } from '../../../kit/state/page.ts';
import { useVirtualRows } from '../../../kit/ui/useVirtualRows.ts';
import { capitalize } from '../describeLayers.ts';
import styles from '../LayerList.module.css';
import type { PartStyle } from '../firstStyle.ts';
import { setStyle } from '../partStyles.ts';
import { nameStructure, type StructureSetDescription } from './describeStructure.ts';
import { STRUCTURE_ROW_HEIGHT_PX, StructureRow } from './StructureRow.tsx';

const MOST_LIST_PX = 420;
/** Shorter lists need no search. */
const WORTH_SEARCHING = 8;

/** The structures of a structure set: those that cannot be drawn stay in the list, with the reason. */
export function StructureDetails({
  description: { response, reason },
  noun,
}: {
  readonly description: StructureSetDescription;
  readonly noun: string;
}) {
  const page = usePage();
  const { layer, parts } = response;
  const [search, setSearch] = useState('');
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    return parts.filter(
      (part) => nameStructure(part).toLowerCase().includes(wanted) || part.interpreted_type?.toLowerCase() === wanted,
    );
  }, [parts, search]);
  const rows = useMemo(
    () => found.map(({ part }) => ({ key: String(part), height: STRUCTURE_ROW_HEIGHT_PX })),
    [found],
  );
  const { scroller, totalPx, first, end, tops } = useVirtualRows(rows);
  const numbers = useMemo(() => parts.map(({ part }) => part), [parts]);
  const change = useCallback(
    (of: readonly number[], next: Partial<PartStyle>) => setStyle(page, layer, { parts: of, change: next }),
    [page, layer],
  );
  const showOnly = useCallback(
    (part: number) => {
      change(numbers, { isVisible: false });
      change([part], { isVisible: true });
    },
    [change, numbers],
  );
  const ofFound = found.map(({ part }) => part);
  return (
    <>
      <p className={styles.quiet}>{reason}</p>
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
      <div className={styles.all} hidden={parts.length === 0}>
        {parts.length > WORTH_SEARCHING && (
          <input
            type="search"
            placeholder={`Search ${noun}s`}
            aria-label={`Search ${noun}s`}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        )}
        <button type="button" onClick={() => change(ofFound, { isVisible: true })}>
          All
        </button>
        <button type="button" onClick={() => change(ofFound, { isVisible: false })}>
          None
        </button>
        <button type="button" onClick={() => change(ofFound, { isOutline: true })}>
          Lines
        </button>
        <button type="button" onClick={() => change(ofFound, { isOutline: false })}>
          Fill
        </button>
      </div>
      <div ref={scroller} className={styles.scroller} style={{ height: Math.min(totalPx, MOST_LIST_PX) }}>
        <ul className={styles.sizer} style={{ height: totalPx }} aria-label={`${capitalize(noun)}s`}>
          {found.slice(first, end).map((roi, i) => (
            <StructureRow
              key={roi.part}
              layer={layer}
              roi={roi}
              showOnly={showOnly}
              topPx={tops[first + i] ?? 0}
              place={first + i + 1}
              total={found.length}
            />
          ))}
        </ul>
      </div>
    </>
  );
}
