import { useCallback } from 'react';
import { fetchThumbnail } from '../../../kit/api/frames.ts';
import { openInCell } from '../../../kit/state/cells.ts';
import { findFile, stackOf } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import { useObjectUrl } from '../../../kit/ui/useObjectUrl.ts';
import type { SlideCompanion } from './slide.ts';
import styles from './SlideControls.module.css';

const SIZE_PX = 400;

/** Shows the label, the overview and other photographs of the slide. A label can contain a name. */
export function Companions({
  cell,
  companions,
}: {
  readonly cell: number;
  readonly companions: readonly SlideCompanion[];
}) {
  return (
    <div className={styles.companions}>
      {companions.map((companion) => (
        <Companion key={companion.fileIndex} cell={cell} companion={companion} />
      ))}
    </div>
  );
}

function Companion({ cell, companion }: { readonly cell: number; readonly companion: SlideCompanion }) {
  const page = usePage();
  const { fileIndex, role } = companion;
  const load = useCallback(
    (signal: AbortSignal) => fetchThumbnail({ fileIndex, frame: 0 }, SIZE_PX, { signal }),
    [fileIndex],
  );
  const picture = useObjectUrl(load);
  const name = nameOf(role);
  const open = () => {
    const file = findFile(page, fileIndex);
    if (file !== undefined) openInCell(page, cell, stackOf(page, file).id);
  };
  return (
    <figure className={styles.companion}>
      {picture.url !== undefined && <img src={picture.url} alt={name} />}
      <figcaption>
        {picture.error === undefined ? name : `${name} cannot be shown: ${picture.error}`}
        <button type="button" className={styles.button} onClick={open}>
          Open
        </button>
      </figcaption>
    </figure>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  LABEL: 'Label',
  OVERVIEW: 'Overview',
  LOCALIZER: 'Overview',
  THUMBNAIL: 'Thumbnail',
  REGIONLOCALIZER: 'Region localizer',
};

function nameOf(role: string): string {
  return NAMES[role] ?? (role === '' ? 'Other image' : role);
}
