import {
  Bot,
  Boxes,
  Brush,
  ChevronLeft,
  ChevronRight,
  Circle,
  CircleDashed,
  CircleDot,
  Columns2,
  Contrast,
  Copy,
  Crosshair,
  Diff,
  Eraser,
  Expand,
  Film,
  FlipHorizontal2,
  FlipVertical2,
  Grid2x2,
  Grid2x2Plus,
  Grid3x3,
  Hand,
  ImageDown,
  Keyboard,
  Layers,
  Link2,
  type LucideIcon,
  Maximize,
  Moon,
  Move3d,
  PaintBucket,
  Palette,
  PanelLeft,
  PanelRight,
  Redo2,
  RefreshCcw,
  RotateCcw,
  RotateCw,
  RotateCwSquare,
  Save,
  ScrollText,
  Search,
  Shrink,
  Square,
  SquareDashed,
  SquaresIntersect,
  SquaresSubtract,
  SquaresUnite,
  Squircle,
  SunMoon,
  Table2,
  Tag,
  Text,
  Undo2,
  WandSparkles,
  ZoomIn,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { listMaskCommands, type MaskCommandName } from '../draw/marks/tools/maskTools.ts';
import { listDrawingTools } from '../draw/marks/shapes/measureKinds.ts';
import type { TaskName } from '../kit/state/panels.ts';
import { isRegionTool, type ToolName } from '../kit/state/tools.ts';
import { ColorChoices, ColorMenu } from './ColorMenu.tsx';
import { type CommandItem, CommandLines, CommandMenu } from './CommandMenu.tsx';
import { LayersButton } from './LayersButton.tsx';
import { LinkWord } from './LinkWord.tsx';
import { LayoutMenu, LayoutPicker } from './LayoutMenu.tsx';
import { AssistantButton, AssistantChoices, Classes, SaveButton } from './MarkParts.tsx';
import { YIELDING } from './planToolbar.ts';
import { HAND_TOOLS, TASK_TABLE } from './tasks.ts';
import { WINDOW_MENU_WIDTHS, WindowMenu } from './WindowMenu.tsx';

export type ToolbarItem = {
  /** The id of a command, or the name of a part. */
  readonly key: string;
  /** Beside the icon if there is room. */
  readonly name: string;
  readonly icon: LucideIcon | string;
  /** The larger, the sooner it moves into the menu at the end; 0: never. */
  readonly goes: number;
  /** Instead of the button of a command. */
  readonly part?: {
    readonly iconPx?: number;
    /** Its width with its name; absent: that of a button. */
    readonly namedPx?: number;
    /** As wide as all classes. */
    readonly isClasses?: boolean;
    readonly button: (name: string | undefined) => ReactNode;
    /** In the menu at the end. */
    readonly lines?: (close: () => void) => ReactNode;
  };
};

export type ToolbarGroup = {
  readonly items: readonly ToolbarItem[];
  /** The smaller, the sooner its names are shown. */
  readonly naming: number;
  /** It takes the room that is left. */
  readonly grows?: boolean;
};

const item = (key: string, icon: LucideIcon | string, name: string, goes: number): ToolbarItem => ({
  key,
  icon,
  name,
  goes,
});

const FACES: Readonly<Partial<Record<ToolName, readonly [icon: LucideIcon, name: string]>>> = {
  window: [Contrast, 'Window'],
  pan: [Hand, 'Pan'],
  zoom: [ZoomIn, 'Zoom'],
  scroll: [ScrollText, 'Scroll'],
  crosshair: [Crosshair, 'Crosshair'],
  roi: [SquareDashed, 'ROI'],
  brush: [Brush, 'Brush'],
  eraser: [Eraser, 'Eraser'],
  ...Object.fromEntries(listDrawingTools().map(({ kind, icon, name }) => [kind, [icon, name]])),
};

/** The first of them stay longest. */
function toolItems(tools: readonly ToolName[], firstGoes: number): ToolbarItem[] {
  return tools.flatMap((tool, n) => {
    const [icon, name] = FACES[tool] ?? [];
    return icon === undefined || name === undefined ? [] : [item(`tool.${tool}`, icon, name, firstGoes + n)];
  });
}

/** In tasks that have tools of their own. */
const HANDS: ToolbarGroup = { items: toolItems(HAND_TOOLS, YIELDING), naming: 9 };
const STEPS: ToolbarGroup = {
  items: [item('edit.undo', Undo2, '', 30), item('edit.redo', Redo2, '', 31)],
  naming: 9,
};

const LAYOUT: ToolbarItem = {
  ...item('layout', Grid2x2Plus, 'Layout', 4),
  part: {
    button: (name) => <LayoutMenu icon={Grid2x2Plus} name={name} />,
    lines: (close) => <LayoutPicker onChosen={close} />,
  },
};

const TURNS: readonly CommandItem[] = [
  ['view.fit', Maximize],
  ['view.actual', '1:1'],
  ['view.rotateRight', RotateCw],
  ['view.rotateLeft', RotateCcw],
  // Icons are named after the line in their middle, which is upright for a left to right flip.
  ['view.flipHorizontal', FlipVertical2],
  ['view.flipVertical', FlipHorizontal2],
  ['view.invert', SunMoon],
  ['view.reset', RefreshCcw],
];

const MASK_ICONS: Readonly<Record<MaskCommandName, LucideIcon | string>> = {
  threshold: Contrast,
  holes: CircleDot,
  islands: CircleDashed,
  largest: Circle,
  grow: Expand,
  shrink: Shrink,
  smooth: Squircle,
  unite: SquaresUnite,
  subtract: SquaresSubtract,
  intersect: SquaresIntersect,
  copyNext: '↓',
  copyPrevious: '↑',
};

/** What makes or changes a mask without a stroke. */
const MASK_LINES: readonly CommandItem[] = [
  ['tool.region', PaintBucket],
  ['tool.regionVolume', Boxes],
  ...listMaskCommands().map(({ name }): CommandItem => [`mask.${name}`, MASK_ICONS[name]]),
];

const MASK_MENU: ToolbarItem = {
  // Before the hands: what it has is in the menu at the end as well.
  ...item('masks', WandSparkles, 'Mask', YIELDING + 20),
  part: {
    button: (name) => <CommandMenu label="Make or change a mask" icon={WandSparkles} name={name} items={MASK_LINES} />,
    lines: (close) => <CommandLines items={MASK_LINES} onChosen={close} />,
  },
};

/** Only where the user has named assistants. */
export const ASSISTANT_ITEM: ToolbarItem = {
  ...item('assistants', Bot, 'Assistant', 12),
  part: {
    button: (name) => <AssistantButton name={name} />,
    lines: (close) => <AssistantChoices onChosen={close} />,
  },
};

/** Groups of the toolbar by task. */
export const TASK_GROUPS: Readonly<Record<TaskName, readonly ToolbarGroup[]>> = {
  look: [
    { items: toolItems(HAND_TOOLS, 10), naming: 1 },
    {
      items: [
        {
          ...item('window.presets', '', 'Window', 0),
          part: { ...WINDOW_MENU_WIDTHS, button: (name) => <WindowMenu isNarrow={name === undefined} /> },
        },
      ],
      naming: 0,
    },
    {
      items: [
        LAYOUT,
        item('layout.planes', Move3d, 'Planes', 5),
        {
          ...item('panel.layers', Layers, 'Layers', 6),
          part: { iconPx: 44, button: (name) => <LayersButton icon={Layers} name={name} /> },
        },
      ],
      naming: 2,
    },
    {
      items: [
        {
          ...item('color', Palette, 'Color', 16),
          part: {
            button: (name) => <ColorMenu icon={Palette} name={name} />,
            lines: (close) => <ColorChoices onChosen={close} />,
          },
        },
        {
          ...item('turn', RotateCwSquare, 'Turn', 15),
          part: {
            button: (name) => <CommandMenu label="Fit, turn, flip" icon={RotateCwSquare} name={name} items={TURNS} />,
            lines: (close) => <CommandLines items={TURNS} onChosen={close} />,
          },
        },
      ],
      naming: 4,
    },
  ],
  measure: [{ items: toolItems(TASK_TABLE.measure.tools, 10), naming: 1 }, STEPS, HANDS],
  annotate: [
    {
      items: toolItems(
        TASK_TABLE.annotate.tools.filter((tool) => !isRegionTool(tool)),
        10,
      ),
      naming: 1,
    },
    { items: [MASK_MENU], naming: 4 },
    { items: [ASSISTANT_ITEM], naming: 5 },
    {
      items: [
        {
          ...item('classes', Tag, 'Classes', 0),
          part: { iconPx: 176, isClasses: true, button: (name) => <Classes isNarrow={name === undefined} /> },
        },
      ],
      naming: 0,
      grows: true,
    },
    {
      items: [
        {
          ...item('save', Save, 'Save', 20),
          part: { iconPx: 76, namedPx: 76, button: () => <SaveButton />, lines: () => <SaveButton /> },
        },
      ],
      naming: 3,
    },
    STEPS,
    HANDS,
  ],
  compare: [
    {
      items: [
        LAYOUT,
        item('layout.1x1', Square, '', 10),
        item('layout.1x2', Columns2, '', 5),
        item('layout.2x2', Grid2x2, '', 6),
      ],
      naming: 1,
    },
    {
      items: [
        // Their icons alone are those of tools.
        {
          ...item('link', Link2, 'Link', 11),
          part: {
            iconPx: 34,
            namedPx: 0,
            button: (name) => <LinkWord isNeeded={name === undefined} />,
            lines: () => null,
          },
        },
        item('link.scroll', ScrollText, 'Link scrolling', 12),
        item('link.zoom', ZoomIn, 'Link zoom', 13),
        item('link.window', Contrast, 'Link windows', 14),
        item('link.layers', Layers, 'Link layers', 15),
      ],
      naming: 2,
    },
    { items: toolItems(TASK_TABLE.compare.tools, 16), naming: 3 },
    { items: [item('compare.panel', Diff, 'Truth and test', 7)], naming: 4 },
    {
      items: [
        item('study.previous', ChevronLeft, 'Previous study', 18),
        item('study.next', ChevronRight, 'Next study', 17),
      ],
      naming: 4,
    },
    HANDS,
  ],
};

export const START_GROUP: ToolbarGroup = { items: [item('panel.explorer', PanelLeft, '', 0)], naming: 9 };
export const FIND_ITEM = item('panel.palette', Search, 'Find', 0);
export const PANEL_ITEM = item('panel.inspector', PanelRight, '', 0);

/** What is rarely needed: always in the menu at the end. */
export const RARE_COMMANDS: readonly CommandItem[] = [
  // Its button is above the list of files, which may be closed.
  ['cohort.toggle', Table2],
  ['view.texts', Text],
  ['view.interpolation', Grid3x3],
  ['picture.save', ImageDown],
  ['picture.copy', Copy],
  ['film.save', Film],
  ['link.copy', Link2],
  ['panel.keys', Keyboard],
  ['panel.theme', Moon],
];
