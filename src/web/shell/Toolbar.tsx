import { Columns2, Ellipsis, Eye, type LucideIcon, PenLine, Ruler } from 'lucide-react';
import { Fragment, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { LabelClass } from '../../shared/contract/marks.ts';
import { classesOf, useLabels } from '../draw/marks/shapes/labels.ts';
import { useAssistantNews } from '../kit/state/assistantNews.ts';
import { type TaskName, TASKS, usePanels } from '../kit/state/panels.ts';
import { Menu } from '../kit/ui/Menu.tsx';
import { ToolButton } from '../kit/ui/ToolButton.tsx';
import { CommandButton } from './CommandButton.tsx';
import { CommandLine } from './CommandLine.tsx';
import { CommandLines } from './CommandMenu.tsx';
import { getCommand } from './commandTable.ts';
import { type PlannedGroup, planToolbar, type Presence } from './planToolbar.ts';
import { TASK_TABLE } from './tasks.ts';
import styles from './Toolbar.module.css';
import {
  ASSISTANT_ITEM,
  FIND_ITEM,
  PANEL_ITEM,
  RARE_COMMANDS,
  START_GROUP,
  TASK_GROUPS,
  type ToolbarGroup,
  type ToolbarItem,
} from './toolbarGroups.tsx';
import { useCommand } from './useCommand.ts';
import { useOneTabStop } from './useOneTabStop.ts';

/** In narrower windows, tasks are icons. */
const TASK_NAMES_FROM_PX = 700;
/** On a laptop the names of tools need the room that the name of the program takes. */
const NAME_FROM_PX = 1400;
const NAME_PX = 64;
const ICON_PX = 30;
const NAME_GAP_PX = 5;
const TASK_PADDING_PX = 16;
const TASKS_PADDING_PX = 12;
const PADDING_PX = 14;

const END_GROUP: ToolbarGroup = {
  // The button of the menu, which is always there, is as wide as an icon.
  items: [FIND_ITEM, { ...PANEL_ITEM, key: 'more' }, PANEL_ITEM],
  naming: 10,
};

/** The tools of the chosen task. What does not fit is in the menu at the end; if there is room, names are shown. */
export function Toolbar() {
  const ref = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState(0);
  const task = usePanels((panels) => panels.task);
  useLayoutEffect(() => {
    const toolbar = ref.current;
    if (toolbar === null) return undefined;
    const measure = () => setWidthPx(toolbar.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(toolbar);
    return () => observer.disconnect();
  }, []);
  useOneTabStop(ref);
  const areNamed = widthPx >= TASK_NAMES_FROM_PX;
  const hasName = widthPx >= NAME_FROM_PX;
  const hasAssistants = useAssistantNews() > 0;
  const own = useMemo(
    () => (hasAssistants ? TASK_GROUPS[task] : TASK_GROUPS[task].map(withoutAssistants)),
    [task, hasAssistants],
  );
  const classes = useLabels(classesOf);
  const plan = useMemo(() => {
    const takenPx = PADDING_PX + tasksPx(areNamed) + (hasName ? NAME_PX : 0);
    return planToolbar(
      widthPx - takenPx,
      [START_GROUP, ...own, END_GROUP].map((group) => measureGroup(group, classes)),
    );
  }, [widthPx, areNamed, hasName, own, classes]);
  const rest = own.flatMap(({ items }, group) => items.filter((_, n) => plan[group + 1]?.[n] === 'menu'));
  const [find] = plan.at(-1) ?? [];
  return (
    <div ref={ref} className={styles.toolbar} role="toolbar" aria-label="Tools">
      {hasName && <span className={styles.name}>negato</span>}
      <Group group={START_GROUP} plan={plan[0] ?? []} />
      <Tasks areNamed={areNamed} />
      {own.map((group, n) => (
        <Group key={`${task}/${group.items[0]?.key}`} group={group} plan={plan[n + 1] ?? []} />
      ))}
      <div className={`${styles.group} ${styles.end}`}>
        <CommandButton id={FIND_ITEM.key} icon={FIND_ITEM.icon} name={find === 'named' ? FIND_ITEM.name : undefined} />
        <MoreMenu items={rest} />
        <CommandButton id={PANEL_ITEM.key} icon={PANEL_ITEM.icon} />
      </div>
    </div>
  );
}

function withoutAssistants(group: ToolbarGroup): ToolbarGroup {
  return group.items.includes(ASSISTANT_ITEM)
    ? { ...group, items: group.items.filter((item) => item !== ASSISTANT_ITEM) }
    : group;
}

const TASK_ICONS: Readonly<Record<TaskName, LucideIcon>> = {
  look: Eye,
  measure: Ruler,
  annotate: PenLine,
  compare: Columns2,
};

function Tasks({ areNamed }: { readonly areNamed: boolean }) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for fields
    <div className={styles.tasks} role="group" aria-label="Task">
      {TASKS.map((task) => (
        <TaskButton key={task} task={task} isNamed={areNamed} />
      ))}
    </div>
  );
}

function TaskButton({ task, isNamed }: { readonly task: TaskName; readonly isNamed: boolean }) {
  const { title, key } = TASK_TABLE[task];
  const { isOn, run } = useCommand(getCommand(`task.${task}`));
  const Icon = TASK_ICONS[task];
  return (
    <ToolButton label={title} keyHint={key} isOn={isOn} className={styles.task ?? ''} onClick={run}>
      {isNamed ? <span className={styles.taskName}>{title}</span> : <Icon size={17} aria-hidden="true" />}
    </ToolButton>
  );
}

type GroupProps = { readonly group: ToolbarGroup; readonly plan: readonly Presence[] };

function Group({ group: { items, grows = false }, plan }: GroupProps) {
  if (plan.every((presence) => presence === 'menu')) return null;
  return (
    <div className={`${styles.group} ${grows ? styles.growing : ''}`}>
      {items.map(({ key, icon, name, part }, n) => {
        const written = plan[n] === 'named' && name !== '' ? name : undefined;
        if (plan[n] === 'menu') return null;
        return part === undefined ? (
          <CommandButton key={key} id={key} icon={icon} name={written} />
        ) : (
          <Fragment key={key}>{part.button(written)}</Fragment>
        );
      })}
    </div>
  );
}

/** Computed from text widths, so that nothing has to be drawn to know what fits. */
function widthOfText(text: string, weight = 'normal'): number {
  const context = document.createElement('canvas').getContext('2d');
  const { fontSize, fontFamily } = getComputedStyle(document.documentElement);
  if (context !== null) context.font = `${weight} ${fontSize} ${fontFamily}`;
  return Math.ceil(context?.measureText(text).width ?? text.length * 8);
}

/** A pressed chip is bold. */
function boldPx(text: string): number {
  return widthOfText(text, '600');
}

function tasksPx(areNamed: boolean): number {
  const widths = TASKS.map((task) => (areNamed ? widthOfText(TASK_TABLE[task].title) + TASK_PADDING_PX : ICON_PX));
  return widths.reduce((sum, one) => sum + one, TASKS_PADDING_PX);
}

/** At most three classes, so that many do not push out the tools: they scroll. */
const MOST_CHIPS = 3;
const CHIP_PX = 22;
const SWATCH_PX = 15;
const KEY_PX = 21;
const MOST_CHIP_PX = 144;
/** Of the list of classes, with the gap between its ends. */
const CLASSES_PADDING_PX = 16;

function classesPx(classes: readonly LabelClass[]): number {
  const chips = classes
    .slice(0, MOST_CHIPS)
    .map(({ title, digit }) =>
      Math.min(CHIP_PX + SWATCH_PX + boldPx(title) + (digit === null ? 0 : KEY_PX), MOST_CHIP_PX),
    );
  const ends = CLASSES_PADDING_PX + 2 * CHIP_PX + boldPx('No class') + widthOfText('Class') + SWATCH_PX;
  return Math.ceil(chips.reduce((sum, one) => sum + one, ends));
}

function measureGroup({ items, naming, grows }: ToolbarGroup, classes: readonly LabelClass[]): PlannedGroup {
  return {
    naming,
    grows,
    items: items.map(({ name, goes, part }) => {
      const { iconPx = ICON_PX, isClasses = false } = part ?? {};
      const textPx = name === '' ? 0 : NAME_GAP_PX + widthOfText(name);
      const namedPx = isClasses ? classesPx(classes) : (part?.namedPx ?? iconPx + textPx);
      return { iconPx, namedPx, goes };
    }),
  };
}

function MoreMenu({ items }: { readonly items: readonly ToolbarItem[] }) {
  return (
    <Menu label="More" face={<Ellipsis size={17} aria-hidden="true" />}>
      {(close) => (
        <div role="menu" aria-label="More" className={styles.more}>
          {items.map(({ key, icon, part }) =>
            part?.lines === undefined ? (
              <CommandLine key={key} id={key} icon={icon} onChosen={close} />
            ) : (
              <div key={key} className={styles.lines}>
                {part.lines(close)}
              </div>
            ),
          )}
          {items.length > 0 && <hr className={styles.line} />}
          <CommandLines items={RARE_COMMANDS} onChosen={close} />
        </div>
      )}
    </Menu>
  );
}
