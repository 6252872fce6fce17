import { Eye, EyeOff, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { LabelClass } from '../../../../shared/contract/marks.ts';
import { usePage } from '../../../kit/state/page.ts';
import { download } from '../../../kit/ui/download.ts';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { setClassHidden, useHiddenClasses } from '../shapes/hiddenClasses.ts';
import { changeScheme, classesOf, setNextClass, useLabels } from '../shapes/labels.ts';
import styles from './LabelClasses.module.css';

/** Colors that differ from each other and from gray images. */
const COLORS = ['#ffb000', '#36c5f0', '#ff5c8a', '#7bd33b', '#b388ff', '#ff8a3d', '#2ee6c5', '#f4f06a', '#ff6bd6'];

type Props = {
  /** The number of marks of each class; null stands for those without one. */
  readonly counts: ReadonlyMap<string | null, number>;
};

/** The classes of marks: which one the next mark has, which are drawn, and adding, recoloring and removing them. */
export function LabelClasses({ counts }: Props) {
  const page = usePage();
  const classes = useLabels(classesOf);
  const nextClass = useLabels((state) => state.nextClass);
  const scheme = useLabels((state) => state.stored?.scheme);
  const hidden = useHiddenClasses();
  const [title, setTitle] = useState('');
  const add = async () => {
    const name = title.trim();
    if (name === '') return;
    setTitle('');
    const isAdded = await changeScheme(page, (old) => ({
      ...old,
      classes: [...old.classes, createClass(name, old.classes)],
    }));
    // It can be tried again.
    if (!isAdded) setTitle(name);
  };
  const recolor = (key: string, color: string) =>
    void changeScheme(page, (old) => ({
      ...old,
      classes: old.classes.map((one) => (one.key === key ? { ...one, color } : one)),
    }));
  const remove = (key: string) =>
    void changeScheme(page, (old) => ({ ...old, classes: old.classes.filter((one) => one.key !== key) }));
  return (
    <details className={styles.classes}>
      <summary>
        Classes{nextClass === null ? '' : `: next mark is ${titleOf(classes, nextClass)}`}
        {hidden.size > 0 && `, ${hidden.size} hidden`}
      </summary>
      <ul className={styles.list}>
        <li className={styles.row}>
          <label className={styles.choice}>
            <input
              type="radio"
              name="next-class"
              checked={nextClass === null}
              onChange={() => setNextClass(page, null)}
            />
            None ({counts.get(null) ?? 0})
          </label>
          <EyeButton name="marks without class" classKey={null} isHidden={hidden.has(null)} />
        </li>
        {classes.map(({ key, title: name, color, digit, required }) => (
          <li key={key} className={styles.row}>
            <label className={styles.choice}>
              <input
                type="radio"
                name="next-class"
                checked={nextClass === key}
                onChange={() => setNextClass(page, key)}
              />
              {name} ({counts.get(key) ?? 0}){required === true && ' (required)'}
              {typeof digit === 'number' && <kbd>{digit}</kbd>}
            </label>
            <EyeButton name={name} classKey={key} isHidden={hidden.has(key)} />
            <input
              type="color"
              aria-label={`Color of ${name}`}
              value={color}
              onChange={({ target }) => recolor(key, target.value)}
            />
            <ToolButton label={`Remove class ${name}`} onClick={() => remove(key)}>
              <Trash2 size={15} aria-hidden="true" />
            </ToolButton>
          </li>
        ))}
      </ul>
      <div className={styles.add}>
        <input
          aria-label="Title of a new class"
          placeholder="New class"
          maxLength={64}
          value={title}
          onChange={({ target }) => setTitle(target.value)}
          onKeyDown={({ key }) => {
            if (key === 'Enter') void add();
          }}
        />
        <ToolButton label="Add class" onClick={() => void add()}>
          <Plus size={15} aria-hidden="true" />
        </ToolButton>
        <button
          type="button"
          disabled={classes.length === 0}
          onClick={() => download(new Blob([JSON.stringify(scheme, undefined, 2)]), 'labels.json')}
        >
          Save as file
        </button>
      </div>
    </details>
  );
}

type EyeProps = { readonly name: string; readonly classKey: string | null; readonly isHidden: boolean };

/** Shows or hides the marks of a class in this page. */
function EyeButton({ name, classKey, isHidden }: EyeProps) {
  const page = usePage();
  const Icon = isHidden ? EyeOff : Eye;
  return (
    <ToolButton label={`Draw ${name}`} isOn={!isHidden} onClick={() => setClassHidden(page, classKey, !isHidden)}>
      <Icon size={15} aria-hidden="true" />
    </ToolButton>
  );
}

function titleOf(classes: readonly LabelClass[], key: string): string {
  return classes.find((one) => one.key === key)?.title ?? key;
}

/** With the first digit and color that no other class has. */
function createClass(title: string, others: readonly LabelClass[]): LabelClass {
  const isFree = (key: string) => !others.some((one) => one.key === key);
  let key = title;
  for (let n = 2; !isFree(key); n += 1) key = `${title.slice(0, 58)} ${n}`;
  const digit = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((one) => !others.some((other) => other.digit === one)) ?? null;
  const color = COLORS.find((one) => !others.some((other) => other.color === one)) ?? COLORS[0]!;
  return { key, title, color, digit };
}
