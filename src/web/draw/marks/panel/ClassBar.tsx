import { Plus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { usePage } from '../../../kit/state/page.ts';
import { setTool, useTools } from '../../../kit/state/tools.ts';
import { classesOf, setNextClass, useLabels } from '../shapes/labels.ts';
import { addClass } from './addClass.ts';
import styles from './ClassBar.module.css';

/** The classes, of which one is that of the next mark. A new one is chosen at once. */
export function ClassBar() {
  const page = usePage();
  const classes = useLabels(classesOf);
  const nextClass = useLabels((state) => state.nextClass);
  const isRoiTool = useTools(({ tool }) => tool === 'roi');
  const ref = useRef<HTMLFieldSetElement>(null);
  // In the toolbar there may be no room for all.
  useEffect(() => {
    const chip = ref.current?.querySelector(`[data-class="${CSS.escape(nextClass ?? '')}"]`);
    chip?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [nextClass]);
  return (
    <fieldset ref={ref} className={styles.bar} aria-label="Class of the next mark">
      <button
        type="button"
        className={styles.chip}
        data-class=""
        aria-pressed={nextClass === null}
        onClick={() => setNextClass(page, null)}
      >
        No class
      </button>
      {classes.map(({ key, title, color, digit }) => (
        <button
          key={key}
          type="button"
          className={styles.chip}
          data-class={key}
          aria-pressed={nextClass === key}
          aria-keyshortcuts={typeof digit === 'number' ? String(digit) : undefined}
          onClick={() => setNextClass(page, key)}
        >
          <span className={styles.swatch} style={{ background: color }} />
          <span className={styles.title}>{title}</span>
          {typeof digit === 'number' && (
            <kbd title={`Key ${digit}`} aria-hidden="true">
              {digit}
            </kbd>
          )}
        </button>
      ))}
      <NewClass />
      {isRoiTool && nextClass !== null && (
        <output className={styles.note}>
          ROIs (CSV) have no class.
          <button type="button" className={styles.chip} onClick={() => setTool(page, 'box')}>
            Draw boxes
          </button>
        </output>
      )}
    </fieldset>
  );
}

/** A button that becomes a field for the title of a new class. */
function NewClass() {
  const page = usePage();
  const [title, setTitle] = useState<string>();
  const [hasAdded, setAdded] = useState(false);
  const add = async (name: string) => {
    // It can be tried again.
    if (!(await addClass(page, name))) return;
    setAdded(true);
    setTitle(undefined);
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const name = title?.trim() ?? '';
    if (key === 'Escape') setTitle(undefined);
    if (key === 'Enter' && name !== '') void add(name);
  };
  if (title === undefined) {
    return (
      // The focus was in the field.
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      <button type="button" autoFocus={hasAdded} className={styles.chip} onClick={() => setTitle('')}>
        <Plus size={14} aria-hidden="true" />
        Class
      </button>
    );
  }
  return (
    <input
      // The user has just asked for it.
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      className={styles.field}
      aria-label="Title of a new class"
      placeholder="Title, then Enter"
      maxLength={64}
      value={title}
      onChange={({ target }) => setTitle(target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => {
        if (title.trim() === '') setTitle(undefined);
      }}
    />
  );
}
