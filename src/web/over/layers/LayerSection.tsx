import type { FileRecord } from '../../../shared/contract/files.ts';
import { isLabelledKind, LAYER_OBJECTS, type LayerKind, type LayerName } from '../../../shared/contract/layers.ts';
import type { LayerRecord } from '../../kit/state/attachments.ts';
import { openAtStart, useStackOfCell } from '../../kit/state/cells.ts';
import { chooseSide, compareChoiceOf, findSide, type SideName } from '../../kit/state/comparedSides.ts';
import { hasDvh, openDvh } from '../../kit/state/dvh.ts';
import { openLabels } from '../../kit/state/labelChoice.ts';
import { layerNameOf, setLayerShown, useShownLayers } from '../../kit/state/layers.ts';
import { stackOf, useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { usePanels } from '../../kit/state/panels.ts';
import { capitalize, nameParts } from './describeLayers.ts';
import { useFileAnswer } from './fileAnswers.ts';
import { LayerContent } from './layerDetails.tsx';
import { descriptionsOf } from './layerDescriptions.ts';
import styles from './LayerList.module.css';
import type { KnownLayer } from './layerClient.ts';
import { findClient } from './layerClients.ts';
import { groupOfCell } from './groupOfCell.ts';
import { openOverTarget, usePlace } from './openOverTarget.ts';
import { useRegistered } from './useRegistered.ts';

type Props = {
  readonly cell: number;
  readonly file: LayerRecord;
  readonly name: string;
  readonly isOpen: boolean;
};

/** One layer: whether it is shown over the picture of a cell, and its details. */
export function LayerSection({ cell, file, name, isOpen }: Props) {
  const page = usePage();
  const descriptions = descriptionsOf(page);
  const { value, error } = useFileAnswer(descriptions, file.index);
  const isShown = useShownLayers(cell, ({ shown }) => shown.includes(file.index));
  const hasHistograms = useLibrary(() => !('attachment' in file) && hasDvh(page, file));
  const layer = layerNameOf(file);
  const parts = nameParts([file]);
  return (
    <section className={styles.layer} aria-label={name}>
      <div className={styles.head}>
        <label className={styles.name}>
          <input
            type="checkbox"
            checked={isShown}
            disabled={value?.isPlaced !== true}
            onChange={({ target }) => setLayerShown(page, cell, file.index, target.checked)}
          />
          <span>
            {name} <Registered cell={cell} file={file} />
          </span>
        </label>
        <div className={styles.actions}>
          {value !== undefined && !('attachment' in file) && <SwitchView cell={cell} file={file} description={value} />}
          {hasHistograms && (
            <button type="button" title="Dose-volume histograms" onClick={() => openDvh(page, file.index)}>
              DVH
            </button>
          )}
          {value?.isPlaced === true && hasAreas(layer, value.kind) && (
            <>
              <CompareAs cell={cell} file={file} side="truth" />
              <CompareAs cell={cell} file={file} side="test" />
              <SaveAsLabels cell={cell} file={file} />
            </>
          )}
        </div>
      </div>
      {value === undefined && error === undefined && <p className={styles.quiet}>Loading {parts}…</p>}
      {error !== undefined && (
        <p className={styles.note} role="alert">
          {capitalize(parts)} cannot be shown: {error.message}{' '}
          <button type="button" onClick={() => descriptions.retry(file.index)}>
            Retry
          </button>
        </p>
      )}
      {value !== undefined && isOpen && layer !== undefined && (
        <LayerContent name={layer} description={value} cell={cell} />
      )}
    </section>
  );
}

/** Whether the parts of a layer are areas. The server decides about values, which may be probabilities. */
export function hasAreas(layer: LayerName | undefined, kind: LayerKind | undefined): boolean {
  if (layer === undefined) return false;
  const { kind: usual, hasVolumes, isImage } = LAYER_OBJECTS[layer];
  return hasVolumes || (!isImage && isLabelledKind(kind ?? usual));
}

const COMPARE_AS: Readonly<Record<SideName, string>> = { truth: 'Truth', test: 'Test' };

/** Compares the layer with another one, or ends that. What is compared is drawn as errors, and not by itself. */
function CompareAs({ cell, file, side }: Pick<Props, 'cell' | 'file'> & { readonly side: SideName }) {
  const page = usePage();
  const name = usePanels(() => compareChoiceOf(page)?.[side]);
  const isOn = useLibrary(() => findSide(page, name) === file.index);
  const [first] = useStackOfCell(cell)?.frames ?? [];
  if (first?.fileIndex === file.index) return null;
  return (
    <button
      type="button"
      aria-pressed={isOn}
      title={side === 'truth' ? 'Compare another layer with this one' : 'Compare this layer with the truth'}
      onClick={() => {
        chooseSide(page, side, isOn ? undefined : file.index);
        if (!isOn) setLayerShown(page, groupOfCell(page, cell), file.index, false);
      }}
    >
      {COMPARE_AS[side]}
    </button>
  );
}

/** Its parts as labels of the images that it is shown over. */
function SaveAsLabels({ cell, file }: Pick<Props, 'cell' | 'file'>) {
  const page = usePage();
  const [first] = useStackOfCell(cell)?.frames ?? [];
  if (first === undefined || first.fileIndex === file.index) return null;
  return (
    <button
      type="button"
      title="Download its parts as labels, or make marks of them"
      onClick={() => openLabels(page, first, file.index)}
    >
      Labels…
    </button>
  );
}

/** A layer that a registration puts here is only as exact as that. */
function Registered({ cell, file }: Pick<Props, 'cell' | 'file'>) {
  const words = useRegistered(cell, [file.index]);
  return words === '' ? null : <span className={styles.registered}>{words}</span>;
}

type SwitchProps = { readonly cell: number; readonly file: FileRecord; readonly description: KnownLayer };

/** Switches between the object by itself and its source. */
function SwitchView({ cell, file, description }: SwitchProps) {
  const page = usePage();
  const isAlone = useStackOfCell(cell)?.fileIndex === file.index;
  const hasPlace = usePlace(description) !== undefined;
  if (!isAlone) {
    if (!file.has_pixels) return null;
    return (
      <button type="button" onClick={() => openAtStart(page, cell, stackOf(page, file))}>
        {capitalize(findClient(file)?.words.alone ?? '')}
      </button>
    );
  }
  if (!hasPlace) return null;
  return (
    <button type="button" onClick={() => void openOverTarget(page, file.index, cell)}>
      Show over source image
    </button>
  );
}
