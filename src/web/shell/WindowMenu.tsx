import { ChevronDown } from 'lucide-react';
import { useEffect } from 'react';
import { type CellWindow, setWindow, useCells } from '../state/cells.ts';
import { loadInfo, useFileInfo } from '../state/fileInfo.ts';
import { CT_PRESETS } from '../state/presets.ts';
import { Menu } from '../ui/Menu.tsx';
import { activeCell, useActiveFile } from './activeCell.ts';
import styles from './Toolbar.module.css';

type Choice = { readonly title: string; readonly detail: string; readonly key: string; readonly window: CellWindow };

/** The windows that the file declares, the full range, and for CT the usual ones. */
export function WindowMenu() {
  const current = useCells(({ cells, activeCell: cell }) => cells[cell]?.window);
  const name = current === undefined ? '' : nameWindow(current);
  return (
    <Menu
      label={`Window presets: ${name}`}
      face={
        <>
          <span className={styles.windowName}>{name}</span>
          <ChevronDown size={14} aria-hidden="true" />
        </>
      }
    >
      {(close) => <Choices current={current} onChosen={close} />}
    </Menu>
  );
}

function Choices({ current, onChosen }: { readonly current: CellWindow | undefined; readonly onChosen: () => void }) {
  const file = useActiveFile();
  const info = useFileInfo(file?.index);
  useEffect(() => {
    const controller = new AbortController();
    if (file !== undefined) void loadInfo(file.index, controller.signal);
    return () => controller.abort();
  }, [file]);
  const declared = info?.windows ?? [];
  const choices: Choice[] = [
    ...(declared.length === 0 ? [undefined] : declared).map((window, index) => ({
      title: window?.explanation || (index === 0 ? "File's own" : `File's own ${index + 1}`),
      detail: window === undefined ? '' : `${window.width}/${window.center}`,
      key: index === 0 ? '0' : '',
      window: { kind: 'file', index } as const,
    })),
    { title: 'Full dynamic', detail: '', key: '`', window: { kind: 'full' } },
    ...(file?.modality === 'CT' ? CT_PRESETS : []).map(({ key, name, center, width }) => ({
      title: name,
      detail: `${width}/${center}`,
      key,
      window: { kind: 'preset', name, center, width } as const,
    })),
  ];
  return (
    <div role="menu" aria-label="Window presets" className={styles.windows}>
      {choices.map(({ title, detail, key, window }) => (
        <button
          key={`${title}/${detail}`}
          type="button"
          role="menuitemradio"
          aria-checked={current !== undefined && isSameWindow(current, window)}
          className={styles.item}
          onClick={() => {
            setWindow(activeCell(), window);
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
      return window.index === 0 ? "File's own" : `File's own ${window.index + 1}`;
    case 'full':
      return 'Full dynamic';
    case 'preset':
      return window.name;
    case 'custom':
      return 'Custom';
  }
}

function isSameWindow(a: CellWindow, b: CellWindow): boolean {
  if (a.kind === 'file' && b.kind === 'file') return a.index === b.index;
  if (a.kind === 'preset' && b.kind === 'preset') return a.name === b.name;
  return a.kind === 'full' && b.kind === 'full';
}
