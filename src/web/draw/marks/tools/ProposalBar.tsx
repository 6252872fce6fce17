import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { usePage } from '../../../kit/state/page.ts';
import { SegmentedChoice } from '../../../kit/ui/SegmentedChoice.tsx';
import { maskToolOf, type MaskField } from './maskTools.ts';
import { cancelProposal, changeSettings, type Proposal, proposalsOf, takeProposal, useProposal } from './proposals.ts';
import styles from './ProposalBar.module.css';

/** What is about to change in a mask: the settings of the tool, what it would do, and the two ways to end it. */
export function ProposalBar({ cell }: { readonly cell: number }) {
  const page = usePage();
  const proposal = useProposal((one) => (one?.cell === cell ? one : undefined));
  const isThere = useRef(false);

  // The cell has gone, and nobody sees the preview any more.
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
      queueMicrotask(() => {
        if (!isThere.current && proposalsOf(page).getState().proposal?.cell === cell) cancelProposal(page);
      });
    };
  }, [page, cell]);

  if (proposal === undefined) return null;
  // Another tool or mark has settings of its own, which get the focus.
  return <Bar key={`${proposal.tool} ${proposal.mark.uid}`} proposal={proposal} />;
}

function Bar({ proposal }: { readonly proposal: Proposal }) {
  const page = usePage();
  const ref = useRef<HTMLDivElement>(null);
  const { tool, title } = proposal;
  const { fields } = maskToolOf(tool);
  const isClicked = tool === 'region' || tool === 'regionVolume' || tool === 'assistant';

  useEffect(() => {
    const bar = ref.current;
    const figure = bar?.closest('figure');
    // After a click the pointer goes on; a command leads to its settings.
    const first = isClicked ? null : bar?.querySelector<HTMLInputElement | HTMLSelectElement>('input, select');
    first?.focus();
    if (first instanceof HTMLInputElement) first.select();
    return () => {
      const { activeElement } = document;
      if (activeElement === document.body || bar?.contains(activeElement) === true) {
        figure?.focus({ preventScroll: true });
      }
    };
  }, [isClicked]);

  const onKeyDown = (event: KeyboardEvent) => {
    const isButton = event.target instanceof HTMLButtonElement;
    if (event.key === 'Enter' && !isButton) takeProposal(page);
    else if (event.key === 'Escape') cancelProposal(page);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // The keys end the preview wherever the focus in it is.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/prefer-tag-over-role
    <div ref={ref} role="group" aria-label={title} className={styles.bar} data-control onKeyDown={onKeyDown}>
      <span className={styles.title}>{title}</span>
      {fields.map((field) => (
        <Field key={field} field={field} proposal={proposal} />
      ))}
      <Status proposal={proposal} />
      <span className={styles.ends}>
        <button type="button" className={styles.take} onClick={() => takeProposal(page)}>
          Take
        </button>
        <button type="button" className={styles.cancel} onClick={() => cancelProposal(page)}>
          Cancel
        </button>
      </span>
    </div>
  );
}

function Status({ proposal: { problem, planned, state, isTaken } }: { readonly proposal: Proposal }) {
  if (problem !== undefined) {
    return (
      <p className={`${styles.status} ${styles.problem}`} role="alert">
        {problem}
      </p>
    );
  }
  const working = isTaken === true ? 'Taken when it is ready…' : 'Working…';
  return (
    <output className={styles.status} data-state={state}>
      {planned === undefined || isTaken === true ? working : planned.text}
    </output>
  );
}

function Field({ field, proposal }: { readonly field: MaskField; readonly proposal: Proposal }): ReactNode {
  const page = usePage();
  const { settings, unit, others } = proposal;
  switch (field) {
    case 'range':
      return (
        <>
          <ValueSlider label="From" proposal={proposal} end="low" />
          <ValueSlider label="to" proposal={proposal} end="high" />
        </>
      );
    case 'radius':
      return (
        <NumberInput label="By" after={unit} value={settings.radius} least={0} most={1_000} step={0.1}>
          {(radius) => changeSettings(page, { radius })}
        </NumberInput>
      );
    case 'least':
      return (
        <NumberInput label="Smaller than" after="pixels" value={settings.least} least={1} most={1e9} step={1}>
          {(least) => changeSettings(page, { least })}
        </NumberInput>
      );
    case 'other':
      return (
        <label className={styles.field}>
          Other mask
          <select value={settings.other} onChange={({ target }) => changeSettings(page, { other: target.value })}>
            {others.map(({ uid, name }) => (
              <option key={uid} value={uid}>
                {name}
              </option>
            ))}
          </select>
        </label>
      );
    case 'scope':
      return (
        <SegmentedChoice
          label="Where"
          value={settings.scope}
          choices={[
            ['slice', 'This image'],
            ['volume', 'Volume'],
          ]}
          onChange={(scope) => changeSettings(page, { scope })}
        />
      );
  }
}

type SliderProps = { readonly label: string; readonly proposal: Proposal; readonly end: 'low' | 'high' };

function ValueSlider({ label, proposal: { values, settings }, end }: SliderProps) {
  const page = usePage();
  const { least = 0, most = 0, step = 1 } = values ?? {};
  const value = settings[end];
  return (
    <label className={styles.field}>
      {label}
      <input
        type="range"
        aria-label={end === 'low' ? 'Lowest value' : 'Highest value'}
        min={least}
        max={most}
        step={step}
        value={value}
        onChange={({ target }) => changeSettings(page, { [end]: target.valueAsNumber })}
      />
      <output>{formatValue(value, step)}</output>
    </label>
  );
}

/** With as many digits as the step has. */
function formatValue(value: number, step: number): string {
  const digits = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step)));
  return value.toFixed(digits);
}

type NumberProps = {
  readonly label: string;
  readonly after: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly step: number;
  readonly children: (value: number) => void;
};

function NumberInput({ label, after, value, least, most, step, children }: NumberProps) {
  return (
    <label className={styles.field}>
      {label}
      <input
        type="number"
        min={least}
        max={most}
        step={step}
        defaultValue={value}
        onChange={({ target }) => {
          const typed = target.valueAsNumber;
          if (typed >= least && typed <= most) children(typed);
        }}
      />
      {after}
    </label>
  );
}
