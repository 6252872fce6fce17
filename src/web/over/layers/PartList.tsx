import { useCallback, useMemo, useState } from 'react';
import { usePage } from '../../kit/state/page.ts';
import { useVirtualRows } from '../../kit/ui/useVirtualRows.ts';
import { capitalize } from './describeLayers.ts';
import type { PartStyle } from '../../../shared/partStyle.ts';
import styles from './LayerList.module.css';
import { type ListedPart, PART_ROW_PX, type PartEnd, PartRow } from './PartRow.tsx';
import { setStyle } from './partStyles.ts';

/** Shorter lists need no search. */
const WORTH_SEARCHING = 8;

type Props = {
  readonly layer: number;
  /** What a part is called, in the singular. */
  readonly noun: string;
  readonly parts: readonly ListedPart[];
  readonly hasLook?: boolean;
  readonly onJump: (part: number, end: PartEnd) => void;
};

/** The parts of a layer. Those that cannot be drawn stay in the list, with the reason. */
export function PartList({ layer, noun, parts, hasLook = true, onJump }: Props) {
  const page = usePage();
  const [search, setSearch] = useState('');
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    return parts.filter(
      ({ name, kind }) => name.toLowerCase().includes(wanted) || kind.toLowerCase().split(' · ').includes(wanted),
    );
  }, [parts, search]);
  const rows = useMemo(() => found.map(({ key }) => ({ key, height: PART_ROW_PX })), [found]);
  const { scroller, totalPx, first, end, tops } = useVirtualRows(rows);
  const numbers = useMemo(() => parts.map(({ number }) => number), [parts]);
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
  if (parts.length === 0) return null;
  const changeFound = (next: Partial<PartStyle>) =>
    change(
      found.map(({ number }) => number),
      next,
    );
  return (
    <>
      <div className={styles.all} hidden={!hasLook}>
        {parts.length > WORTH_SEARCHING && (
          <input
            type="search"
            placeholder={`Search ${noun}s`}
            aria-label={`Search ${noun}s`}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        )}
        <button type="button" onClick={() => changeFound({ isVisible: true })}>
          Show all
        </button>
        <button type="button" onClick={() => changeFound({ isVisible: false })}>
          Hide all
        </button>
        <button type="button" onClick={() => changeFound({ isOutline: false })}>
          Fill all
        </button>
        <button type="button" onClick={() => changeFound({ isOutline: true })}>
          Outline all
        </button>
      </div>
      <div
        ref={scroller}
        className={styles.scroller}
        style={{ height: `min(${totalPx}px, var(--parts-height, 420px))` }}
      >
        <ul className={styles.sizer} style={{ height: totalPx }} aria-label={`${capitalize(noun)}s`}>
          {found.slice(first, end).map((part, i) => (
            <PartRow
              key={part.key}
              layer={layer}
              part={part}
              hasLook={hasLook}
              onOnly={showOnly}
              onJump={onJump}
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
