import { useEffect, useState } from 'react';
import { fetchThumbnail } from '../../api/frames.ts';
import { openInCell } from '../../state/cells.ts';
import { findFile, stackOf } from '../../state/library.ts';
import { usePage } from '../../state/page.ts';
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
  const picture = useThumbnail(fileIndex);
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

/**
 * The API takes its token in a header, so the address of a picture cannot be used as the source of an image element.
 */
function useThumbnail(fileIndex: number): { readonly url?: string; readonly error?: string } {
  const [picture, setPicture] = useState<{ readonly url?: string; readonly error?: string }>({});
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let url: string | undefined;
    const load = async () => {
      try {
        const blob = await fetchThumbnail({ fileIndex, frame: 0 }, SIZE_PX, { signal });
        if (signal.aborted) return;
        url = URL.createObjectURL(blob);
        setPicture({ url });
      } catch (error) {
        if (!signal.aborted) setPicture({ error: error instanceof Error ? error.message : String(error) });
      }
    };
    void load();
    return () => {
      controller.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [fileIndex]);
  return picture;
}
