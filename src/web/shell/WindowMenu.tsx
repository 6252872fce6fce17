import { ChevronDown } from 'lucide-react';
import { useEffect, useId } from 'react';
import { useStore } from 'zustand';
import { type CellWindow, setWindow, useCells, useStackOfCell } from '../kit/state/cells.ts';
import { loadInfo, useFileInfo } from '../kit/state/fileInfo.ts';
import { usePage } from '../kit/state/page.ts';
import { CT_PRESETS } from '../../shared/windowPresets.ts';
import { usePicture } from '../show/pictures/pictureKinds.ts';
import { isShownAsStack, isWindowUndeclared, stackWindowsOf } from '../kit/state/stackWindows.ts';
import { Menu } from '../kit/ui/Menu.tsx';
import { activeCell, useActiveFile } from './activeCell.ts';
import { CommandLine } from './CommandLine.tsx';
import styles from './Toolbar.module.css';
import { useOfPage } from './useCommand.ts';
import { whyNotGray } from './windowCommands.ts';

type Choice = {
  readonly title: string;
  readonly detail: string;
  readonly key: string;
  readonly window: CellWindow;
  readonly tooltip?: string | undefined;
};

/** Widths of its button in the toolbar, where there is little room and otherwise. */
export const WINDOW_MENU_WIDTHS = { iconPx: 66, namedPx: 118 };

/** The windows declared in the file, those computed from the values, and the usual ones for CT. */
export function WindowMenu({ isNarrow }: { readonly isNarrow: boolean }) {
  const page = usePage();
  const current = useCells(({ cells, activeCell: cell }) => cells[cell]?.window);
  const { file, stack, isStack } = useActiveStack();
  const isForStack = current !== undefined && isStack && isShownAsStack(page, current, { file, stack });
  const reason = useOfPage(whyNotGray);
  const name =
    current === undefined || reason !== undefined ? 'No window' : isForStack ? 'Whole stack' : nameWindow(current);
  return (
    <Menu
      label={`Window presets: ${name}`}
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

/** The stack of the active cell, and whether one window can apply to all of it. */
function useActiveStack() {
  const page = usePage();
  const file = useActiveFile();
  const cell = useCells((state) => state.activeCell);
  const stack = useStackOfCell(cell);
  const known = useStore(stackWindowsOf(page), ({ windows }) => windows.get(stack?.id ?? ''));
  const canShare = usePicture(cell)?.traits.sharesWindow === true;
  if (file === undefined || stack === undefined) return { file, known, isStack: false as const };
  const isStack = canShare && isShownAsStack(page, { kind: 'stack' }, { file, stack });
  return isStack ? { file, stack, known, isStack } : { file, known, isStack };
}

function Choices({ current, onChosen }: { readonly current: CellWindow | undefined; readonly onChosen: () => void }) {
  const page = usePage();
  const { file, stack, known, isStack } = useActiveStack();
  const info = useFileInfo(file?.index);
  useEffect(() => {
    const controller = new AbortController();
    if (file !== undefined) void loadInfo(page, file.index, controller.signal);
    return () => controller.abort();
  }, [page, file]);
  // A picture that is in no file, such as a plane, has only the default window of the files that it is made of.
  const isStored = usePicture(activeCell(page))?.headerOf === undefined;
  const declared = isStored ? (info?.windows ?? []) : [];
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
      (isUndeclared ? [] : declared.length === 0 ? [undefined] : declared).map((window, index) => ({
        title: window?.explanation || (index === 0 ? 'File default' : `File window ${index + 1}`),
        detail: window === undefined ? '' : `${window.width}/${window.center}`,
        key: index === 0 ? '0' : '',
        window: { kind: 'file', index } as const,
      })),
    ],
    ['Computed', [...forStack, { title: 'Full range', detail: '', key: '`', window: { kind: 'full' } }]],
    [
      'CT presets',
      (file?.modality === 'CT' ? CT_PRESETS : []).map(({ key, name, center, width }) => ({
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
      {choices.map(({ title, detail, key, window, tooltip }) => (
        <button
          key={`${title}/${detail}`}
          type="button"
          role="menuitemradio"
          aria-checked={current !== undefined && isSameWindow(current, window)}
          className={styles.item}
          title={tooltip}
          onClick={() => {
            setWindow(page, activeCell(page), window);
            onChosen();
          }}
        >
          <span className={styles.itemTitle}>{title}</span>
          <span className={styles.itemDetail}>{detail}</span>
          {key !== '' && <kbd className={styles.itemKey}>{key}</kbd>}
        </button>
      ))}
    </div>
  );
}

function nameWindow(window: CellWindow): string {
  switch (window.kind) {
    case 'file':
      // Where the file declares no window, or the picture is a plane, this is the window that is chosen for the stack.
      return window.index === 0 ? 'Default' : `File window ${window.index + 1}`;
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

function isSameWindow(a: CellWindow, b: CellWindow): boolean {
  if (a.kind === 'file' && b.kind === 'file') return a.index === b.index;
  if (a.kind === 'preset' && b.kind === 'preset') return a.name === b.name;
  return a.kind === b.kind && a.kind !== 'custom';
}
