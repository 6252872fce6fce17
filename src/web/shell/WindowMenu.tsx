import { ChevronDown } from 'lucide-react';
import { useEffect, useId } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import { type CellWindow, setWindow, useCells, useStackOfCell } from '../kit/state/cells.ts';
import { loadInfo, useFileInfo } from '../kit/state/fileInfo.ts';
import { usePage } from '../kit/state/page.ts';
import { isInReview } from '../kit/state/reviewNews.ts';
import { CT_PRESETS, type WindowPreset } from '../../shared/windowPresets.ts';
import { usePicture } from '../show/pictures/pictureKinds.ts';
import { windowUnitOf } from '../show/readouts/cornerTexts.ts';
import type { WindowUnit } from '../show/readouts/typedWindow.ts';
import { readingsOf } from '../show/values/reading.ts';
import { isShownAsStack, isWindowUndeclared, stackWindowsOf } from '../kit/state/stackWindows.ts';
import { formatValue } from '../kit/ui/formatNumbers.ts';
import { Menu } from '../kit/ui/Menu.tsx';
import { activeCell, useActiveFile } from './activeCell.ts';
import { CommandLine } from './CommandLine.tsx';
import styles from './Toolbar.module.css';
import { useOfPage } from './useCommand.ts';
import { whyNotGray } from './windowCommands.ts';

type Values = { readonly center: number; readonly width: number };

type Choice = {
  readonly title: string;
  readonly detail: string;
  readonly key: string;
  readonly window: CellWindow;
  /** A usual window that is the same. */
  readonly same?: WindowPreset | undefined;
  readonly tooltip?: string | undefined;
};

/** Widths of its button in the toolbar, where there is little room and otherwise. */
export const WINDOW_MENU_WIDTHS = { iconPx: 58, namedPx: 140 };

/** The windows declared in the file, those computed from the values, and the usual ones for CT. */
export function WindowMenu({ isNarrow }: { readonly isNarrow: boolean }) {
  const page = usePage();
  const current = useCells(({ cells, activeCell: cell }) => cells[cell]?.window);
  const { file, stack, isStack, isDeclared } = useActiveStack();
  const isForStack = current !== undefined && isStack && isShownAsStack(page, current, { file, stack });
  const reason = useOfPage(whyNotGray);
  const name =
    current === undefined || reason !== undefined
      ? 'No window'
      : isForStack
        ? 'Whole stack'
        : nameWindow(current, isDeclared);
  return (
    <Menu
      label={`Window: ${name} (window presets)`}
      face={
        <>
          <span className={styles.windowName} data-narrow={isNarrow}>
            {name}
          </span>
          <ChevronDown size={14} aria-hidden="true" />
        </>
      }
    >
      {(close) =>
        reason === undefined ? (
          <Choices current={current} onChosen={close} />
        ) : (
          <p className={styles.note}>{reason} Windows apply only to gray images.</p>
        )
      }
    </Menu>
  );
}

/** The stack of the active cell, whether one window can apply to all of it, and whether its file declares one. */
function useActiveStack() {
  const page = usePage();
  const file = useActiveFile();
  const cell = useCells((state) => state.activeCell);
  const stack = useStackOfCell(cell);
  const known = useStore(stackWindowsOf(page), ({ windows }) => windows.get(stack?.id ?? ''));
  const picture = usePicture(cell);
  const canShare = picture?.traits.sharesWindow === true;
  // A picture that is in no file, such as a plane, has only the default window of the files that it is made of.
  const isStored = picture?.headerOf === undefined;
  const common = { file, known, isStored, isDeclared: isStored && file !== undefined && file.default_window !== null };
  if (file === undefined || stack === undefined) return { ...common, stack: undefined, isStack: false as const };
  const isStack = canShare && isShownAsStack(page, { kind: 'stack' }, { file, stack });
  return isStack ? { ...common, file, stack, isStack } : { ...common, stack: undefined, isStack };
}

function Choices({ current, onChosen }: { readonly current: CellWindow | undefined; readonly onChosen: () => void }) {
  const page = usePage();
  const { file, stack, known, isStack, isStored, isDeclared } = useActiveStack();
  const cell = useCells((state) => state.activeCell);
  // As over the image: a PET is read in SUV as soon as its values are known.
  const unit = useStore(
    readingsOf(page),
    useShallow(() => windowUnitOf(page, cell)),
  );
  const info = useFileInfo(file?.index);
  useEffect(() => {
    const controller = new AbortController();
    if (file !== undefined) void loadInfo(page, file.index, controller.signal);
    return () => controller.abort();
  }, [page, file]);
  const declared = isStored ? (info?.windows ?? []) : [];
  const presets = file?.modality === 'CT' ? CT_PRESETS : [];
  const isUndeclared = isStack && isWindowUndeclared(page, file, stack);
  const ofStack = { title: 'One window for the stack', detail: known?.how ?? '', tooltip: known?.explanation };
  const byThemselves: Choice = { title: 'One window per image', detail: '', key: '', window: { kind: 'slice' } };
  const forStack: Choice[] = isUndeclared
    ? [{ ...ofStack, key: '0', window: { kind: 'file', index: 0 } }, byThemselves]
    : isStack
      ? [{ ...ofStack, key: '', window: { kind: 'stack' } }]
      : [];
  const groups: readonly (readonly [title: string, choices: readonly Choice[]])[] = [
    [
      'From the file',
      (isUndeclared ? [] : declared.length === 0 ? [undefined] : declared).map((window, index) => {
        const chosen = { kind: 'file', index } as const;
        const same = presets.find((preset) => isSame(window, preset));
        return {
          title: nameOwn(nameWindow(chosen, isDeclared), window?.explanation),
          detail: window === undefined ? '' : formatLevels(window, unit),
          key: index === 0 ? '0' : (same?.key ?? ''),
          window: chosen,
          same,
        };
      }),
    ],
    ['Computed', [...forStack, { title: 'Full range', detail: '', key: '`', window: { kind: 'full' } }]],
    [
      'CT presets',
      presets
        .filter((preset) => isUndeclared || !declared.some((own) => isSame(own, preset)))
        .map(({ key, name, center, width }) => ({
          title: name,
          detail: `${width}/${center}`,
          key,
          window: { kind: 'preset', name, center, width } as const,
        })),
    ],
  ];
  return (
    <div role="menu" aria-label="Window presets" className={styles.windows}>
      {groups
        .filter(([, choices]) => choices.length > 0)
        .map(([title, choices]) => (
          <WindowGroup key={title} title={title} choices={choices} current={current} onChosen={onChosen} />
        ))}
      <ByHand onChosen={onChosen} />
    </div>
  );
}

/** Width and center in the unit of the values. That of CT goes without saying, as in the names of the usual windows. */
function formatLevels({ center, width }: Values, { slope, intercept, unit }: WindowUnit): string {
  const levels = `${formatValue(width * Math.abs(slope))}/${formatValue(center * slope + intercept)}`;
  return unit === '' || unit === 'HU' ? levels : `${levels} ${unit}`;
}

function ByHand({ onChosen }: { readonly onChosen: () => void }) {
  const id = useId();
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for fields
    <div role="group" aria-labelledby={id}>
      <p id={id} className={styles.heading}>
        Manual
      </p>
      {['window.type', 'tool.windowBox'].map((command) => (
        <CommandLine key={command} id={command} onChosen={onChosen} />
      ))}
    </div>
  );
}

type GroupProps = {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly current: CellWindow | undefined;
  readonly onChosen: () => void;
};

function WindowGroup({ title: heading, choices, current, onChosen }: GroupProps) {
  const page = usePage();
  const id = useId();
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for fields
    <div role="group" aria-labelledby={id}>
      <p id={id} className={styles.heading}>
        {heading}
      </p>
      {choices.map(({ title, detail, key, window, same, tooltip }) => (
        <button
          key={`${title}/${detail}`}
          type="button"
          role="menuitemradio"
          aria-checked={isChosen(current, window, same)}
          className={styles.item}
          title={tooltip}
          onClick={() => {
            setWindow(page, activeCell(page), window);
            onChosen();
          }}
        >
          <span className={styles.itemTitle}>{title}</span>
          <span className={styles.itemDetail}>{detail}</span>
          {key !== '' && <kbd className={styles.itemKey}>{isInReview(page) && key !== '`' ? `Shift+${key}` : key}</kbd>}
        </button>
      ))}
    </div>
  );
}

const OWN = 'File’s own';

function nameOwn(name: string, explanation: string | null | undefined): string {
  if (!explanation) return name;
  return name === OWN ? `${OWN}: ${explanation}` : explanation;
}

function nameWindow(window: CellWindow, isDeclared: boolean): string {
  switch (window.kind) {
    case 'file':
      if (window.index > 0) return `File window ${window.index + 1}`;
      // Where the file declares no window, or the picture is a plane, this is the window that is chosen for the stack.
      return isDeclared ? OWN : 'Default';
    case 'full':
      return 'Full range';
    case 'stack':
      return 'Whole stack';
    case 'slice':
      return 'Per image';
    case 'preset':
      return window.name;
    case 'custom':
      return 'Custom';
  }
}

function isChosen(current: CellWindow | undefined, window: CellWindow, same: WindowPreset | undefined): boolean {
  if (current === undefined) return false;
  return isSameWindow(current, window) || (current.kind === 'preset' && current.name === same?.name);
}

function isSameWindow(a: CellWindow, b: CellWindow): boolean {
  if (a.kind === 'file' && b.kind === 'file') return a.index === b.index;
  if (a.kind === 'preset' && b.kind === 'preset') return a.name === b.name;
  return a.kind === b.kind && a.kind !== 'custom';
}

function isSame(a: Values | undefined, b: Values): boolean {
  return a?.center === b.center && a.width === b.width;
}
