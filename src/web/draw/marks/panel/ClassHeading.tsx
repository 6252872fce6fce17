import { Eye, EyeOff, Trash2 } from 'lucide-react';
import type { LabelClass } from '../../../../shared/contract/marks.ts';
import { usePage } from '../../../kit/state/page.ts';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { setClassHidden, useHiddenMarks } from '../shapes/hiddenMarks.ts';
import { changeScheme, classesOf, useLabels } from '../shapes/labels.ts';
import styles from './MarkList.module.css';

type Props = {
  readonly title: string;
  /** Null stands for marks without a class. */
  readonly classKey: string | null;
  readonly count: number;
};

/** The heading of the marks of a class: its color, whether its marks are drawn, and a button that removes it. */
export function ClassHeading({ title, classKey, count }: Props) {
  const page = usePage();
  const found = useLabels((state) => classesOf(state).find(({ key }) => key === classKey));
  const isHidden = useHiddenMarks(({ classes }) => classes.has(classKey));
  const Icon = isHidden ? EyeOff : Eye;
  const recolor = (color: string) =>
    void changeScheme(page, (old) => ({
      ...old,
      classes: old.classes.map((one): LabelClass => (one.key === classKey ? { ...one, color } : one)),
    }));
  const remove = () =>
    void changeScheme(page, (old) => ({ ...old, classes: old.classes.filter(({ key }) => key !== classKey) }));
  return (
    <h2 className={styles.heading}>
      {found !== undefined && (
        <input
          type="color"
          className={styles.color}
          aria-label={`Color of ${title}`}
          value={found.color}
          onChange={({ target }) => recolor(target.value)}
        />
      )}
      <span className={styles.title}>
        {title} <span className={styles.count}>({count})</span>
        {found?.required === true && <span className={styles.count}> required</span>}
      </span>
      <ToolButton
        label={classKey === null ? 'Draw marks without class' : `Draw ${title}`}
        className={styles.switch ?? ''}
        isOn={!isHidden}
        onClick={() => setClassHidden(page, classKey, !isHidden)}
      >
        <Icon size={15} aria-hidden="true" />
      </ToolButton>
      {found !== undefined && (
        <ToolButton label={`Remove class ${title}`} onClick={remove}>
          <Trash2 size={15} aria-hidden="true" />
        </ToolButton>
      )}
    </h2>
  );
}
