import type { LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { type GridLayout, MAX_SIDE, setLayout, useCells } from '../kit/state/cells.ts';
import { usePage } from '../kit/state/page.ts';
import { Menu } from '../kit/ui/Menu.tsx';
import { CommandLine } from './CommandLine.tsx';
import styles from './Toolbar.module.css';

type Props = { readonly icon: LucideIcon; readonly name?: string | undefined };

export function LayoutMenu({ icon: Icon, name }: Props) {
  const face = (
    <>
      <Icon size={17} aria-hidden="true" /> {name}
    </>
  );
  return (
    <Menu label="Layout" columns={MAX_SIDE} face={face}>
      {(close) => <LayoutPicker onChosen={close} />}
    </Menu>
  );
}

const SIDES = Array.from({ length: MAX_SIDE }, (_, i) => i + 1);
const LAYOUTS = SIDES.flatMap((rows) => SIDES.map((columns) => ({ rows, columns })));

export function LayoutPicker({ onChosen }: { readonly onChosen: () => void }) {
  const page = usePage();
  const layout = useCells((state) => state.layout);
  const [pointed, setPointed] = useState<GridLayout>();
  const { rows, columns } = pointed ?? layout;
  return (
    <>
      <div className={styles.picker}>
        {LAYOUTS.map((one) => (
          <button
            key={nameLayout(one)}
            type="button"
            className={styles.pick}
            aria-label={nameLayout(one)}
            aria-pressed={one.rows === layout.rows && one.columns === layout.columns}
            data-inside={one.rows <= rows && one.columns <= columns}
            onPointerEnter={() => setPointed(one)}
            onFocus={() => setPointed(one)}
            onClick={() => {
              setLayout(page, one);
              onChosen();
            }}
          />
        ))}
      </div>
      <p className={styles.note}>{nameLayout({ rows, columns })}</p>
      <div role="menu" aria-label="Planes and rules">
        <CommandLine id="layout.planes" onChosen={onChosen} />
        <CommandLine id="layout.mip" onChosen={onChosen} />
        <CommandLine id="lightbox.toggle" onChosen={onChosen} />
        <CommandLine id="study.prior" onChosen={onChosen} />
        <CommandLine id="study.arrange" onChosen={onChosen} />
        <CommandLine id="hanging.save" onChosen={onChosen} />
      </div>
    </>
  );
}

function nameLayout({ rows, columns }: GridLayout): string {
  return `${rows} × ${columns}`;
}
