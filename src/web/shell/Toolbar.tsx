import {
  Brush,
  Contrast,
  Crosshair,
  Ellipsis,
  Eraser,
  FlipHorizontal2,
  FlipVertical2,
  Grid2x2Plus,
  Hand,
  Keyboard,
  type LucideIcon,
  Maximize,
  Moon,
  Palette,
  PanelLeft,
  PanelRight,
  RotateCcw,
  RotateCw,
  ScrollText,
  Search,
  SquareDashed,
  SunMoon,
  Text,
  Undo2,
  ZoomIn,
} from 'lucide-react';
import { Fragment, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { listDrawingTools } from '../draw/marks/shapes/measureKinds.ts';
import { Menu } from '../kit/ui/Menu.tsx';
import { ColorMenu } from './ColorMenu.tsx';
import { CommandButton } from './CommandButton.tsx';
import { CommandLine } from './CommandLine.tsx';
import { LayoutMenu } from './LayoutMenu.tsx';
import { LinkMenu, LinkSwitches } from './LinkMenu.tsx';
import { type PlannedItem, planToolbar, type Presence } from './planToolbar.ts';
import styles from './Toolbar.module.css';
import { WINDOW_MENU_PX, WindowMenu } from './WindowMenu.tsx';

type Tool = {
  readonly key: string;
  /** Shown beside the icon if there is room. */
  readonly name: string;
  readonly icon: LucideIcon | string;
  /** The larger, the sooner the tool moves into the overflow menu; 0: never. */
  readonly goes: number;
  /** A menu instead of a command. */
  readonly menu?: { readonly widthPx: number | undefined; readonly button: (name: string | undefined) => ReactNode };
  /** Replacement in the overflow menu. */
  readonly lines?: () => ReactNode;
};

const tool = (key: string, icon: LucideIcon | string, name: string, goes: number): Tool => ({
  key,
  icon,
  name,
  goes,
});

/** Tools that go later are in the group of the brush. */
const FIRST_RARE = 14;

const listDrawn = (isIn: (goes: number) => boolean): readonly Tool[] =>
  listDrawingTools()
    .filter(({ goes }) => isIn(goes))
    .map(({ kind, icon, name, goes }) => tool(`tool.${kind}`, icon, name, goes));

const GROUPS: readonly (readonly Tool[])[] = [
  [tool('panel.explorer', PanelLeft, 'Explorer', 0)],
  [
    tool('tool.window', Contrast, 'Window', 1),
    tool('tool.pan', Hand, 'Pan', 2),
    tool('tool.zoom', ZoomIn, 'Zoom', 3),
    tool('tool.scroll', ScrollText, 'Scroll', 9),
    tool('tool.crosshair', Crosshair, 'Crosshair', 9.5),
    tool('tool.roi', SquareDashed, 'ROI', 4),
  ],
  listDrawn((goes) => goes < FIRST_RARE),
  [
    tool('tool.brush', Brush, 'Brush', 13.5),
    tool('tool.eraser', Eraser, 'Eraser', 13.6),
    ...listDrawn((goes) => goes >= FIRST_RARE),
  ],
  [
    {
      key: 'window.presets',
      icon: '',
      name: '',
      goes: 0,
      menu: { widthPx: WINDOW_MENU_PX, button: () => <WindowMenu /> },
    },
    tool('view.invert', SunMoon, 'Invert', 8),
    {
      key: 'view.colors',
      icon: Palette,
      name: 'Color map',
      goes: 0,
      menu: { widthPx: undefined, button: (name) => <ColorMenu icon={Palette} name={name} /> },
    },
  ],
  [
    tool('view.fit', Maximize, 'Fit', 6),
    tool('view.actual', '1:1', '', 14),
    tool('view.rotateLeft', RotateCcw, 'Left', 16),
    tool('view.rotateRight', RotateCw, 'Right', 15),
    // Icons are named after the line in their middle, which is upright for a left to right flip.
    tool('view.flipHorizontal', FlipVertical2, 'Flip', 17),
    tool('view.flipVertical', FlipHorizontal2, 'Flip', 18),
    tool('view.reset', Undo2, 'Reset', 7),
  ],
  [
    {
      key: 'layout',
      icon: Grid2x2Plus,
      name: 'Layout',
      goes: 0,
      menu: { widthPx: undefined, button: (name) => <LayoutMenu icon={Grid2x2Plus} name={name} /> },
    },
    {
      key: 'link',
      icon: Grid2x2Plus,
      name: 'Link',
      goes: 20,
      menu: { widthPx: undefined, button: (name) => <LinkMenu name={name} /> },
      lines: () => <LinkSwitches />,
    },
    tool('view.texts', Text, 'Text', 19),
  ],
  [
    tool('panel.palette', Search, 'Find', 0),
    tool('panel.keys', Keyboard, 'Keys', 21),
    tool('panel.theme', Moon, 'Theme', 22),
    tool('panel.inspector', PanelRight, 'Inspector', 0),
  ],
];

/** The tools first, because their icons are hardest to guess; turns and flips last. */
const NAMING = [1, 2, 6, 4, 7, 0, 5, 3];

const NAME_PX = 64;
const ICON_PX = 30;
const PADDING_PX = 14;

/** The tools. What does not fit is in a menu at the end; if there is room, names are shown beside the icons. */
export function Toolbar() {
  const ref = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const toolbar = ref.current;
    if (toolbar === null) return undefined;
    const measure = () => setWidthPx(toolbar.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(toolbar);
    return () => observer.disconnect();
  }, []);
  const items = useMemo(() => measureTools(), []);
  const plan = useMemo(() => planToolbar(widthPx - NAME_PX - PADDING_PX, items, NAMING), [widthPx, items]);
  const rest = GROUPS.flatMap((tools, group) => tools.filter((_, item) => plan[group]?.[item] === 'menu'));
  const last = GROUPS.length - 1;
  return (
    <div ref={ref} className={styles.toolbar} role="toolbar" aria-label="Tools">
      <span className={styles.name}>negato</span>
      {GROUPS.slice(0, last).map((tools, group) => (
        <Group key={tools[0]?.key} tools={tools} plan={plan[group] ?? []} />
      ))}
      {rest.length > 0 && <MoreMenu tools={rest} />}
      <Group tools={GROUPS[last] ?? []} plan={plan[last] ?? []} isEnd />
    </div>
  );
}

type GroupProps = { readonly tools: readonly Tool[]; readonly plan: readonly Presence[]; readonly isEnd?: boolean };

function Group({ tools, plan, isEnd = false }: GroupProps) {
  if (plan.every((presence) => presence === 'menu')) return null;
  return (
    <div className={`${styles.group} ${isEnd ? styles.end : ''}`}>
      {tools.map(({ key, icon, name, menu }, item) => {
        const written = plan[item] === 'named' && name !== '' ? name : undefined;
        if (plan[item] === 'menu') return null;
        return menu === undefined ? (
          <CommandButton key={key} id={key} icon={icon} name={written} />
        ) : (
          <Fragment key={key}>{menu.button(written)}</Fragment>
        );
      })}
    </div>
  );
}

/** Computed from text widths, so that nothing has to be drawn to know what fits. */
function measureTools(): PlannedItem[][] {
  const context = document.createElement('canvas').getContext('2d');
  if (context !== null) context.font = getComputedStyle(document.documentElement).font;
  const widthOf = (text: string) => Math.ceil(context?.measureText(text).width ?? text.length * 8);
  return GROUPS.map((tools) =>
    tools.map(({ name, goes, menu }) => {
      const iconPx = menu?.widthPx ?? ICON_PX;
      return { iconPx, namedPx: name === '' ? iconPx : iconPx + 6 + widthOf(name), goes };
    }),
  );
}

function MoreMenu({ tools }: { readonly tools: readonly Tool[] }) {
  return (
    <div className={styles.group}>
      <Menu label="More tools" face={<Ellipsis size={17} aria-hidden="true" />}>
        {(close) => (
          <div role="menu" aria-label="More tools" className={styles.more}>
            {tools.map(({ key, icon, lines }) =>
              lines === undefined ? (
                <CommandLine key={key} id={key} icon={icon} onChosen={close} />
              ) : (
                <div key={key} className={styles.lines}>
                  {lines()}
                </div>
              ),
            )}
          </div>
        )}
      </Menu>
    </div>
  );
}
