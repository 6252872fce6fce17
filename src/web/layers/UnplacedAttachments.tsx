import { useState } from 'react';
import type { WireAttachment } from '../../shared/contract/attachments.ts';
import type { FileRecord } from '../../shared/contract/files.ts';
import { chooseStack } from '../api/files.ts';
import { formatCount } from '../series/describeFile.ts';
import { setLayerShown } from '../state/layers.ts';
import { useLibrary } from '../state/library.ts';
import { usePage } from '../state/page.ts';
import { reloadAttachments } from '../state/watchLibrary.ts';
import styles from './LayerList.module.css';

type Props = { readonly cell: number; readonly image: FileRecord };

/** Model output that lies over no images, each with the reason. Where several fit, the user decides. */
export function UnplacedAttachments({ cell, image }: Props) {
  const unplaced = useLibrary((state) => state.unplaced);
  if (unplaced.length === 0) return null;
  return (
    <details className={styles.unplaced}>
      <summary>{formatCount(unplaced.length, 'attachment')} not shown</summary>
      <ul>
        {unplaced.map((one) => (
          <li key={one.attachment} title={one.path}>
            <b>{one.title}</b>: {one.placement.reason}
            {one.placement.status === 'ambiguous' && <LayOver attachment={one} cell={cell} image={image} />}
          </li>
        ))}
      </ul>
    </details>
  );
}

function LayOver({ attachment, cell, image }: Props & { readonly attachment: WireAttachment }) {
  const page = usePage();
  const [problem, setProblem] = useState<string>();
  const layOver = async () => {
    try {
      await chooseStack(attachment.attachment, image.index, 0);
      await reloadAttachments(page);
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
