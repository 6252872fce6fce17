import type { FileRecord } from '../../../shared/contract/files.ts';
import { usePage } from '../../kit/state/page.ts';
import { capitalize } from './describeLayers.ts';
import { useFileAnswer } from './fileAnswers.ts';
import { descriptionsOf } from './layerDescriptions.ts';
import styles from './LayerOffer.module.css';
import type { KnownLayer, LayerWords } from './layerClient.ts';
import { findClient } from './layerClients.ts';
import { openOverTarget, usePlace } from './openOverTarget.ts';
import { useFileAlone } from './stackLayers.ts';

/** Shown over an object with a layer that is displayed by itself: a link to its source, or why there is none. */
export function LayerOffer({ cell }: { readonly cell: number }) {
  const file = useFileAlone(cell);
  const client = file && findClient(file);
  return file && client ? <Offer cell={cell} file={file} words={client.words} /> : null;
}

type Props = { readonly cell: number; readonly file: FileRecord; readonly words: LayerWords };

function Offer({ cell, file, words }: Props) {
  const page = usePage();
  const { value } = useFileAnswer(descriptionsOf(page), file.index);
  const place = usePlace(value);
  if (value === undefined) return null;
  return (
    <div className={styles.offer}>
      <p>{place === undefined ? explain(value, words) : `${capitalize(words.alone)}.`}</p>
      {place !== undefined && (
        <button type="button" onClick={() => void openOverTarget(page, file.index, cell)}>
          Show over source image
        </button>
      )}
    </div>
  );
}

function explain({ isPlaced, reason }: KnownLayer, { alone, layer }: LayerWords): string {
  return isPlaced
    ? `${capitalize(alone)}. ${capitalize(layer)}s are not drawn over such images.`
    : `${capitalize(alone)}: ${reason}.`;
}
