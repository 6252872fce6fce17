import { useState } from 'react';
import { isLabelledKind, LABELLED_KINDS } from '../../shared/contract/layers.ts';
import { LABEL_FORMATS, type LabelFormat, type LabelPlanResponse } from '../../shared/contract/labels.ts';
import type { LayerSummary } from '../../shared/contract/layerAnswers.ts';
import {
  fetchLabelPlan,
  fetchLabelVolume,
  fetchLayersOver,
  type LabelsWanted,
  makeLabelMarks,
} from '../kit/api/labels.ts';
import { type LabelChoice, labelChoiceOf } from '../kit/state/labelChoice.ts';
import { shownLayersOf } from '../kit/state/layers.ts';
import { say, sayOutcome } from '../kit/state/messages.ts';
import { type Page, usePage } from '../kit/state/page.ts';
import { useAsked } from '../kit/state/useAsked.ts';
import { Dialog } from '../kit/ui/Dialog.tsx';
import { download } from '../kit/ui/download.ts';
import { SelectField } from '../kit/ui/SelectField.tsx';
import { describeImport } from '../draw/marks/panel/ImportMarks.tsx';
import { activeCell } from './activeCell.ts';
import styles from './SaveLabels.module.css';

const FORMATS: Readonly<Record<LabelFormat, string>> = {
  'nii.gz': 'NIfTI (.nii.gz)',
  nii: 'NIfTI, not packed (.nii)',
  nrrd: '3D Slicer (.seg.nrrd)',
  seg: 'DICOM segmentation',
  npz: 'NumPy (.npz)',
};

const GRIDS = [
  ['images', 'of the images'],
  ['own', 'of the layer itself'],
] as const;

type Overlap = LabelsWanted['overlap'] | 'files';
const OVERLAPS: readonly (readonly [Overlap, string])[] = [
  ['volumes', 'in volumes of one file'],
  ['files', 'in several files'],
  ['last', 'the later one counts'],
];

/** Dialog for what lies over a stack as labels, which says before the download which of them overlap. */
export function SaveLabels({ onClose }: { readonly onClose: () => void }) {
  const page = usePage();
  const [choice] = useState(() => labelChoiceOf(page).getState().choice);
  const found = useAsked(choice?.of, { ask: fetchLayersOver });
  const layers = (found.value?.layers ?? []).filter(mayBeLabels);
  if (choice === undefined) return null;
  return (
    <Dialog label="Download labels" onClose={onClose} isAtTop>
      {found.value === undefined ? (
        <p className={styles.wait}>{found.error ?? 'Looking for layers over these images…'}</p>
      ) : (
        <LabelForm choice={choice} layers={layers} onClose={onClose} />
      )}
    </Dialog>
  );
}

function mayBeLabels({ kind, attachment_index: attachment, frame_count: frames }: LayerSummary): boolean {
  // Other volumes have values.
  return frames > 0 && isLabelledKind(kind) && (!LABELLED_KINDS[kind].hasVolumes || attachment !== null);
}

type FormProps = {
  readonly choice: LabelChoice;
  readonly layers: readonly LayerSummary[];
  readonly onClose: () => void;
};

function LabelForm({ choice: { of, layer }, layers, onClose }: FormProps) {
  const page = usePage();
  const [chosen, setChosen] = useState<readonly number[]>(() => chooseFirst(page, layers, layer));
  const [withMarks, setWithMarks] = useState(layers.length === 0);
  const [format, setFormat] = useState<LabelFormat>('nii.gz');
  const [ownGrid, setGrid] = useState<LabelsWanted['grid']>('images');
  const [overlap, setOverlap] = useState<Overlap>('volumes');
  const only = chosen.length === 1 && !withMarks ? layers.find((one) => one.layer === chosen[0]) : undefined;
  const hasOwnGrid = only !== undefined && isLabelledKind(only.kind) && LABELLED_KINDS[only.kind].hasOwnGrid;
  const mayBeOwn = hasOwnGrid && format !== 'seg';
  const grid = mayBeOwn ? ownGrid : 'images';
  const isAsked = chosen.length > 0 || withMarks;
  const wanted: LabelsWanted = {
    of,
    layers: chosen,
    withMarks,
    grid,
    overlap: overlap === 'last' ? 'last' : 'volumes',
  };
  const plan = useAsked(isAsked ? wanted : undefined, { ask: fetchLabelPlan });
  const isReady = isAsked && !plan.isLoading && plan.value !== undefined && plan.error === undefined;
  const overlaps = (plan.value?.overlapping_samples ?? 0) > 0;
  const mayBeFiles = only !== undefined && format !== 'seg';
  const inFiles = overlap === 'files' && mayBeFiles && overlaps;
  const toggle = (number: number, isOn: boolean) =>
    setChosen(isOn ? [...chosen, number] : chosen.filter((one) => one !== number));
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        onClose();
        void downloadLabels(page, wanted, { format, plan: inFiles ? plan.value : undefined });
      }}
    >
      <h2 className={styles.title}>Download labels</h2>
      <fieldset className={styles.choices}>
        <legend>Layers</legend>
        {layers.map(({ layer: number, title, part_count: parts }) => (
          <label key={number} className={styles.choice}>
            <input
              type="checkbox"
              checked={chosen.includes(number)}
              onChange={({ target }) => toggle(number, target.checked)}
            />
            {title} <span className={styles.detail}>{parts === 1 ? '1 part' : `${parts} parts`}</span>
          </label>
        ))}
        <label className={styles.choice}>
          <input type="checkbox" checked={withMarks} onChange={({ target }) => setWithMarks(target.checked)} />
          Marks of these images <span className={styles.detail}>one label for each class</span>
        </label>
      </fieldset>
      <SelectField
        label="Format"
        className={styles.field}
        value={format}
        choices={LABEL_FORMATS.map((name) => [name, FORMATS[name]] as const)}
        onChange={setFormat}
      />
      {mayBeOwn && (
        <SelectField label="Grid" className={styles.field} value={grid} choices={GRIDS} onChange={setGrid} />
      )}
      {overlaps && format !== 'seg' && (
        <SelectField
          label="Overlaps"
          className={styles.field}
          value={overlap === 'files' && !mayBeFiles ? 'volumes' : overlap}
          choices={OVERLAPS.filter(([key]) => key !== 'files' || mayBeFiles)}
          onChange={setOverlap}
        />
      )}
      <Plan plan={isAsked ? plan.value : undefined} problem={isAsked ? plan.error : 'Choose what becomes labels.'} />
      <div className={styles.buttons}>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          disabled={chosen.length === 0}
          title="An editable mask of each part, on these images"
          onClick={() => {
            onClose();
            void makeMarks(page, wanted);
          }}
        >
          Make marks
        </button>
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- Enter downloads */}
        <button type="submit" className={styles.save} disabled={!isReady} autoFocus>
          Download
        </button>
      </div>
    </form>
  );
}

/** The layer that the dialog was opened for, else those that are shown, else all. */
function chooseFirst(page: Page, layers: readonly LayerSummary[], layer: number | undefined): readonly number[] {
  const all = layers.map((one) => one.layer);
  if (layer !== undefined && all.includes(layer)) return [layer];
  const { shown } = shownLayersOf(page, activeCell(page));
  const ofShown = all.filter((number) => shown.includes(number));
  return ofShown.length > 0 ? ofShown : all;
}

/** Labels that are named; the others are counted. */
const MOST_NAMED = 8;

function Plan({
  plan,
  problem,
}: {
  readonly plan: LabelPlanResponse | undefined;
  readonly problem: string | undefined;
}) {
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (plan === undefined) return <p className={styles.detail}>Counting voxels…</p>;
  const { labels, size, overlapping, overlapping_samples: samples, volumes, left_out: leftOut } = plan;
  const nameOf = (value: number) => labels.find((label) => label.value === value)?.name ?? String(value);
  const more = labels.length - MOST_NAMED;
  return (
    <div className={styles.plan}>
      <p>
        {labels.length === 1 ? '1 label' : `${labels.length} labels`} in {size.join(' × ')} voxels
        {volumes > 1 && `, in ${volumes} volumes`}
      </p>
      <ul>
        {labels.slice(0, MOST_NAMED).map(({ value, name, samples: count, color }) => (
          <li key={value}>
            <span className={styles.swatch} style={{ background: `rgb(${color.join()})` }} /> {value} {name}{' '}
            <span className={styles.detail}>{count.toLocaleString('en')} voxels</span>
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
      {samples > 0 && (
        <p className={styles.warning}>
          {samples.toLocaleString('en')} voxels are in more than one label:{' '}
          {overlapping
            .slice(0, 3)
            .map(([a, b]) => `${nameOf(a)} and ${nameOf(b)}`)
            .join(', ')}
          {overlapping.length > 3 && ` and ${overlapping.length - 3} more pairs`}
        </p>
      )}
      {leftOut.map((reason) => (
        <p key={reason} className={styles.warning}>
          Left out: {reason}
        </p>
      ))}
    </div>
  );
}

type DownloadForm = {
  readonly format: LabelFormat;
  /** If each of its volumes is a file. */
  readonly plan: LabelPlanResponse | undefined;
};

async function downloadLabels(page: Page, wanted: LabelsWanted, { format, plan }: DownloadForm): Promise<void> {
  say(page, 'Writing the labels…');
  await sayOutcome(page, async () => {
    const volumes = plan === undefined ? [undefined] : Array.from({ length: plan.volumes }, (_, volume) => volume);
    const leftOut = new Set<string>();
    for (const volume of volumes) {
      const parts = plan?.labels.flatMap((label) =>
        label.volume === volume && label.part !== null ? [label.part] : [],
      );
      const file = await fetchLabelVolume(wanted, format, parts);
      const name = volume === undefined ? file.name : file.name.replace('-labels', `-labels-${volume + 1}`);
      download(file.bytes, name);
      if (file.leftOut !== '') leftOut.add(file.leftOut);
    }
    const saved = volumes.length === 1 ? 'Labels saved' : `Labels saved in ${volumes.length} files`;
    return [saved, ...leftOut].join('; left out: ');
  });
}

async function makeMarks(page: Page, wanted: LabelsWanted): Promise<void> {
  say(page, 'Making marks…');
  await sayOutcome(page, async () => describeImport(await makeLabelMarks(wanted)));
}
