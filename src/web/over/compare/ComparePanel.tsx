import { ArrowLeftRight, ChevronDown, ChevronUp, Maximize2, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { ComparisonResponse } from '../../../shared/contract/comparison.ts';
import { LAYER_OBJECTS } from '../../../shared/contract/layers.ts';
import { cellsOf, useCells } from '../../kit/state/cells.ts';
import { commandFinderOf } from '../../kit/state/commands.ts';
import { layerNameOf } from '../../kit/state/layers.ts';
import { findLayer, useLibrary } from '../../kit/state/library.ts';
import { markNewsOf } from '../../kit/state/markNews.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { setPanels, usePanels } from '../../kit/state/panels.ts';
import { CopyButton } from '../../kit/ui/CopyButton.tsx';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { usePicture } from '../../show/pictures/pictureKinds.ts';
import { nameLayer } from '../layers/describeLayers.ts';
import { descriptionsOf } from '../layers/layerDescriptions.ts';
import { hasAreas } from '../layers/LayerSection.tsx';
import { useLayersOver } from '../layers/stackLayers.ts';
import {
  ERROR_KINDS,
  ERROR_LOOKS,
  type ErrorKind,
  type ErrorLook,
  MOST_OVERLAP,
  NO_CHOICE,
} from '../../kit/state/compareChoice.ts';
import {
  changeComparison,
  chooseSide,
  COMPARED_MARKS,
  compareChoiceOf,
  type ComparedSide,
  findSide,
  type SideName,
  swapSides,
} from '../../kit/state/comparedSides.ts';
import { comparisonsOf, type ComparisonQuestion, findComparison, findQuestion } from './comparison.ts';
import styles from './ComparePanel.module.css';
import { ComparisonTable } from './ComparisonTable.tsx';
import { formatComparison } from './compareTexts.ts';
import { ERROR_TITLES } from './errorMasks.ts';

/** How far two layers over the images of the active cell agree, as a table beside the images. */
export function ComparePanel() {
  const page = usePage();
  const choice = usePanels(() => compareChoiceOf(page)) ?? NO_CHOICE;
  const state = useComparison(page);
  useFirstPair(page, state.value);
  const close = () => {
    setPanels(page, { compareText: undefined });
    document.querySelector<HTMLElement>(`[data-cell="${cellsOf(page).getState().activeCell}"]`)?.focus();
  };
  const { value } = state;
  return (
    // Esc closes the panel wherever the focus is inside it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      className={styles.panel}
      aria-label="Comparison"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        close();
      }}
    >
      <div className={styles.choices}>
        <Sides />
        <Select
          label="Errors"
          value={choice.look}
          options={ERROR_LOOKS.map((look) => [look, LOOK_TITLES[look]])}
          onChange={(look) => changeComparison(page, { look: ERROR_LOOKS.find((one) => one === look) ?? 'filled' })}
        />
        <Kinds only={choice.only} />
        <NumberField
          label="Tolerance"
          unit="mm"
          value={choice.toleranceMm}
          most={1_000}
          onChange={(toleranceMm) => changeComparison(page, { toleranceMm })}
        />
        <NumberField
          label="Overlap"
          unit=""
          value={choice.overlap}
          most={MOST_OVERLAP}
          onChange={(overlap) => changeComparison(page, { overlap })}
        />
        <span className={styles.buttons}>
          <VisitButton id="compare.previous">
            <ChevronUp size={16} aria-hidden="true" />
          </VisitButton>
          <VisitButton id="compare.next">
            <ChevronDown size={16} aria-hidden="true" />
          </VisitButton>
          <VisitButton id="compare.worst">
            <TriangleAlert size={16} aria-hidden="true" />
          </VisitButton>
          <VisitButton id="compare.largestFalse">
            <Maximize2 size={16} aria-hidden="true" />
          </VisitButton>
        </span>
        <span className={styles.close}>
          <ToolButton label="Close comparison" keyHint="Esc" onClick={close}>
            <X size={16} aria-hidden="true" />
          </ToolButton>
        </span>
      </div>
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className={styles.body} tabIndex={0} aria-label="Numbers of the comparison">
        <Progress state={state} />
        {value !== undefined && <ComparisonTable answer={value} choice={choice} isLoading={state.isLoading} />}
        {value !== undefined && (
          <div className={styles.foot}>
            <Notes answer={value} />
            {choice.pairs !== undefined && choice.truth !== choice.test && (
              <button type="button" onClick={() => changeComparison(page, { pairs: undefined, pair: undefined })}>
                Pair by code, label and number
              </button>
            )}
            <CopyButton label="Copy table" text={formatComparison(value)} />
          </div>
        )}
      </section>
    </section>
  );
}

const LOOK_TITLES: Readonly<Record<ErrorLook, string>> = {
  filled: 'Filled',
  outline: 'Outlines',
  hatched: 'Hatched',
};

type ComparisonState = {
  readonly question: ComparisonQuestion | undefined;
  readonly value: ComparisonResponse | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly isCancelled: boolean;
  readonly cancel: () => void;
  readonly retry: () => void;
};

/** Asks for the current comparison, and again when marks that are compared have changed. */
function useComparison(page: Page): ComparisonState {
  const answers = comparisonsOf(page);
  usePanels(({ compareText }) => compareText);
  const cell = useCells(({ activeCell }) => activeCell);
  usePicture(cell);
  const key = useLibrary(() => JSON.stringify(findQuestion(page)));
  const marks = useStore(markNewsOf(page), ({ count }) => count);
  useStore(answers.changes);
  const [told, setTold] = useState<string>();
  const [cancelled, setCancelled] = useState<string>();
  const [tries, setTries] = useState(0);
  /** The same question is asked again about other marks. */
  const asked = key === undefined ? undefined : `${tries} ${marks} ${key}`;
  useEffect(() => {
    if (key === undefined || key === cancelled) return undefined;
    const ending = new AbortController();
    const question: ComparisonQuestion = JSON.parse(key);
    void answers.load(question, ending.signal).then(() => ending.signal.aborted || setTold(asked));
    return () => ending.abort();
  }, [answers, key, asked, cancelled]);
  const question: ComparisonQuestion | undefined = key === undefined ? undefined : JSON.parse(key);
  return {
    question,
    value: findComparison(page),
    error: question && answers.findError(question),
    isLoading: key !== undefined && told !== asked && cancelled !== key,
    isCancelled: key !== undefined && cancelled === key,
    cancel: () => setCancelled(key),
    retry() {
      if (question !== undefined && answers.findError(question) !== undefined) answers.retry(question);
      setCancelled(undefined);
      setTries((count) => count + 1);
    },
  };
}

/** Parts of one layer are compared with each other, and none with itself: the first two that have samples. */
function useFirstPair(page: Page, answer: ComparisonResponse | undefined): void {
  useEffect(() => {
    const choice = compareChoiceOf(page);
    if (answer === undefined || choice?.pairs !== undefined || choice?.truth !== choice?.test) return;
    const [truth, test] = answer.pairs.flatMap(({ truth: part }) => (part.samples > 0 ? [part.part] : []));
    if (truth !== undefined && test !== undefined) changeComparison(page, { pairs: [[truth, test]] });
  }, [page, answer]);
}

/** Which two are compared. */
function Sides() {
  const page = usePage();
  const cell = useCells(({ activeCell }) => activeCell);
  const over = useLayersOver(usePicture(cell), cell);
  const choice = usePanels(() => compareChoiceOf(page)) ?? NO_CHOICE;
  const sides = useLibrary(useShallow(() => [findSide(page, choice.truth), findSide(page, choice.test)] as const));
  useStore(descriptionsOf(page).changes);
  const files = [...new Set([...over, ...sides.filter((side) => typeof side === 'number')])].flatMap((index) => {
    const file = findLayer(page, index);
    const name = file && layerNameOf(file);
    const kind = descriptionsOf(page).find(index)?.kind ?? (name && LAYER_OBJECTS[name].kind);
    return file !== undefined && hasAreas(name, kind) ? [file] : [];
  });
  const options = [
    ...files.map((file) => [String(file.index), nameLayer(file, files)] as const),
    [COMPARED_MARKS, 'Marks'] as const,
  ];
  const side = (name: SideName, label: string, value: ComparedSide | undefined) => (
    <Select
      label={label}
      value={value === undefined ? '' : String(value)}
      options={value === undefined ? [['', 'Choose…'], ...options] : options}
      onChange={(text) =>
        chooseSide(page, name, text === COMPARED_MARKS ? COMPARED_MARKS : text === '' ? undefined : Number(text))
      }
    />
  );
  return (
    <>
      {side('truth', 'Truth', sides[0])}
      <ToolButton label="Swap truth and test" onClick={() => swapSides(page)}>
        <ArrowLeftRight size={16} aria-hidden="true" />
      </ToolButton>
      {side('test', 'Test', sides[1])}
    </>
  );
}

type SelectProps = {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, title: string])[];
  readonly onChange: (value: string) => void;
};

function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The three kinds with their colors, each of which can be shown alone. */
function Kinds({ only }: { readonly only: ErrorKind | undefined }) {
  const page = usePage();
  return (
    <fieldset className={styles.kinds} aria-label="Only one kind">
      {ERROR_KINDS.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={only === kind}
          data-dim={only !== undefined && only !== kind}
          onClick={() => changeComparison(page, { only: only === kind ? undefined : kind })}
        >
          <span className={styles.swatch} data-kind={kind} aria-hidden="true" />
          {ERROR_TITLES[kind]}
        </button>
      ))}
    </fieldset>
  );
}

type NumberProps = {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly most: number;
  readonly onChange: (value: number) => void;
};

/** Measures when the number is complete, because each value is a request. */
function NumberField({ label, unit, value, most, onChange }: NumberProps) {
  const [text, setText] = useState<string>();
  const keep = () => {
    const number = text === undefined || text.trim() === '' ? NaN : Number(text);
    if (number >= 0 && number <= most) onChange(number);
    setText(undefined);
  };
  return (
    <label>
      <span>{label}</span>
      <input
        className={styles.number}
        type="text"
        inputMode="decimal"
        value={text ?? String(value)}
        onChange={({ target }) => setText(target.value)}
        onBlur={keep}
        onKeyDown={({ key }) => key === 'Enter' && keep()}
      />
      {unit !== '' && <span>{unit}</span>}
    </label>
  );
}

function VisitButton({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  const page = usePage();
  const command = commandFinderOf(page).find(id);
  if (command === undefined) return null;
  return (
    <ToolButton label={command.title} keyHint={command.keys[0]} onClick={() => command.run(page)}>
      {children}
    </ToolButton>
  );
}

function Progress({ state }: { readonly state: ComparisonState }) {
  const { question, value, error, isLoading, isCancelled, cancel, retry } = state;
  if (question === undefined) {
    return (
      <p className={styles.quiet}>Choose two layers over these images, or marks: the truth, and what is tested.</p>
    );
  }
  if (error !== undefined) {
    return (
      <p className={styles.problem} role="alert">
        These cannot be compared: {error.message}{' '}
        <button type="button" onClick={retry}>
          Retry
        </button>
      </p>
    );
  }
  if (!isLoading && !isCancelled) return null;
  return (
    <div className={styles.progress}>
      <output>
        {isCancelled
          ? 'The comparison was cancelled.'
          : value === undefined
            ? 'Comparing…'
            : 'Distances and components are being measured…'}
      </output>
      <button type="button" onClick={isCancelled ? retry : cancel}>
        {isCancelled ? 'Compare' : 'Cancel'}
      </button>
    </div>
  );
}

/** What has no partner, and what a reader of the numbers must know. */
function Notes({ answer: { only_test: onlyTest, notes } }: { readonly answer: ComparisonResponse }) {
  const names = onlyTest.filter(({ samples }) => samples > 0).map(({ name }) => name);
  return (
    <div className={styles.notes}>
      {names.length > 0 && <p>Only in the test, without a partner: {names.join(', ')}.</p>}
      {notes.map((note) => (
        <p key={note}>{note.charAt(0).toUpperCase() + note.slice(1)}.</p>
      ))}
      <p className={styles.quiet}>For research and inspection, not for clinical use</p>
    </div>
  );
}
