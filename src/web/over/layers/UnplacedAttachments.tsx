import { useState } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { WireAttachment } from '../../../shared/contract/attachments.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { formatCount } from '../../show/series/describeFile.ts';
import { layAttachment } from '../../kit/state/layAttachment.ts';
import type { AttachmentRecord } from '../../kit/state/attachments.ts';
import { setLayerShown } from '../../kit/state/layers.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { descriptionsOf } from './layerDescriptions.ts';
import styles from './LayerList.module.css';

type Props = { readonly cell: number; readonly image: FileRecord };

/** Model output that lies over no images, each with the reason. Where several fit, the user decides. */
export function UnplacedAttachments({ cell, image }: Props) {
  const page = usePage();
  const unplaced = useLibrary((state) => state.unplaced);
  const empty = useEmpty();
  const count = unplaced.length + empty.length;
  if (count === 0) return null;
  return (
    <details className={styles.unplaced}>
      <summary>{formatCount(count, 'attachment')} not shown</summary>
      <ul>
        {unplaced.map((one) => (
          <li key={one.attachment} title={one.path}>
            <b>{one.title}</b>: {one.placement.reason}
            {one.placement.status === 'ambiguous' && <LayOver attachment={one} cell={cell} image={image} />}
          </li>
        ))}
        {empty.map(({ index, title, path }) => (
          <li key={index} title={path}>
            <b>{title}</b>: {descriptionsOf(page).find(index)?.reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Attachments that fit images but have nothing to draw, as far as they are described. */
function useEmpty(): readonly AttachmentRecord[] {
  const page = usePage();
  const attachments = useLibrary((state) => state.attachments);
  const descriptions = descriptionsOf(page);
  return useStore(
    descriptions.changes,
    useShallow(() => attachments.filter(({ index }) => descriptions.find(index)?.isPlaced === false)),
  );
}

function LayOver({ attachment, cell, image }: Props & { readonly attachment: WireAttachment }) {
  const page = usePage();
  const [problem, setProblem] = useState<string>();
  const layOver = async () => {
    try {
      await layAttachment(page, attachment.attachment, { file: image.index, frame: 0, order: 0, flips: [] });
      setLayerShown(page, cell, attachment.layer, true);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      {' '}
      <button type="button" onClick={() => void layOver()}>
        Lay over these images
      </button>
      {problem !== undefined && <span role="alert"> {problem}</span>}
    </>
  );
}
