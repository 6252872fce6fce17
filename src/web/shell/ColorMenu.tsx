import type { LucideIcon } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { COLOR_MAPS, type ColorMapName, colorTableOf } from '../kit/state/colorMaps.ts';
import { useCells } from '../kit/state/cells.ts';
import { usePage } from '../kit/state/page.ts';
import { drawColorBar } from '../show/pictures/drawColorBar.ts';
import { Menu } from '../kit/ui/Menu.tsx';
import styles from './ColorMenu.module.css';
import toolbar from './Toolbar.module.css';
import { setColorMap } from './colorCommands.ts';
import { useOfPage } from './useCommand.ts';
import { whyNotGray } from './windowCommands.ts';

/** The color maps, each with a sample. */
export function ColorMenu({ icon: Icon, name }: { readonly icon: LucideIcon; readonly name: string | undefined }) {
  const cell = useCells((state) => state.activeCell);
  const isColored = useCells(({ cells }) => (cells[cell]?.colorMap ?? 'gray') !== 'gray');
  return (
    <Menu
      label="Color map"
      isOn={isColored}
      face={
        <>
          <Icon size={17} aria-hidden="true" /> {name}
        </>
      }
    >
      {(close) => <ColorChoices onChosen={close} />}
    </Menu>
  );
}

const HEADINGS = {
  gray: undefined,
  even: 'Perceptually uniform, color-blind safe',
  standard: 'DICOM standard palettes',
  rainbow: 'Dose',
  difference: 'Differences',
} as const;

export function ColorChoices({ onChosen }: { readonly onChosen: () => void }) {
  const page = usePage();
  const current = useCells(({ cells, activeCell: cell }) => cells[cell]?.colorMap ?? 'gray');
  const reason = useOfPage(whyNotGray);
  if (reason !== undefined) return <p className={toolbar.note}>{reason} Color maps apply only to gray images.</p>;
  return (
    <div role="menu" aria-label="Color map" className={styles.maps}>
      {(['gray', 'even', 'standard', 'rainbow', 'difference'] as const).map((origin) => (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is not allowed in a menu
        <div key={origin} role="group" aria-label={HEADINGS[origin] ?? 'Gray'}>
          {HEADINGS[origin] !== undefined && <p className={styles.heading}>{HEADINGS[origin]}</p>}
          {COLOR_MAPS.filter((map) => map.origin === origin).map(({ name, title }) => (
            <button
              key={name}
              type="button"
              role="menuitemradio"
              aria-checked={name === current}
              className={toolbar.item}
              onClick={() => {
                setColorMap(page, name);
                onChosen();
              }}
            >
              <Sample name={name} />
              <span className={toolbar.itemTitle}>{title}</span>
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

function Sample({ name }: { readonly name: ColorMapName }) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (ref.current !== null) drawColorBar(ref.current, colorTableOf(name));
  }, [name]);
  return <canvas ref={ref} className={styles.sample} width={256} height={1} aria-hidden="true" />;
}
