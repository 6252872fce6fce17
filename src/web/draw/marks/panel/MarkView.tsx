import { ListFilter } from 'lucide-react';
import { Menu } from '../../../kit/ui/Menu.tsx';
import { SearchBox } from '../../../kit/ui/SearchBox.tsx';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { MARK_GROUPINGS, type MarkGrouping } from './groupMarks.ts';
import styles from './MarkView.module.css';
import { MARK_ORDERS, type MarkFilter, type MarkOrder } from './sortMarks.ts';

/** Which marks are listed, and how. */
export type ListView = MarkFilter & { readonly grouping: MarkGrouping; readonly order: MarkOrder };

export const FIRST_VIEW: ListView = { text: '', wanted: 'all', grouping: 'image', order: 'time' };

const GROUPING_TITLES: Readonly<Record<MarkGrouping, string>> = { image: 'By image', class: 'By class' };

const ORDER_TITLES: Readonly<Record<MarkOrder, string>> = {
  time: 'Time',
  label: 'Label',
  class: 'Class',
  image: 'Image',
  kind: 'Kind',
};

type Props = {
  readonly view: ListView;
  readonly onChange: (view: ListView) => void;
  /** The number of marks of each class; null stands for those without one. */
  readonly counts: ReadonlyMap<string | null, number>;
  readonly total: number;
};

/** How the list of marks is grouped, filtered and sorted. */
export function MarkView({ view, onChange, counts, total }: Props) {
  const classes = useLabels(classesOf);
  const { text, wanted, grouping, order } = view;
  return (
    <div className={styles.view}>
      <fieldset className={styles.switch} aria-label="Grouping of the marks">
        {MARK_GROUPINGS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={grouping === one}
            onClick={() => onChange({ ...view, grouping: one })}
          >
            {GROUPING_TITLES[one]}
          </button>
        ))}
      </fieldset>
      <SearchBox
        label="Filter marks"
        placeholder="Filter"
        value={text}
        onChange={(typed) => onChange({ ...view, text: typed })}
      />
      <Menu
        label="Shown classes and order"
        isOn={wanted !== 'all' || order !== FIRST_VIEW.order}
        face={<ListFilter size={16} aria-hidden="true" />}
      >
        {() => (
          <div className={styles.fields}>
            <label>
              Classes
              <select
                aria-label="Shown classes"
                value={writeWanted(wanted)}
                onChange={({ target }) => onChange({ ...view, wanted: readWanted(target.value) })}
              >
                <option value={ALL}>All ({total})</option>
                <option value={UNLABELLED}>Without class ({counts.get(null) ?? 0})</option>
                {classes.map(({ key, title }) => (
                  <option key={key} value={`${CLASS}${key}`}>
                    {title} ({counts.get(key) ?? 0})
                  </option>
                ))}
              </select>
            </label>
            <label>
              Order
              <select
                aria-label="Order of the marks"
                value={order}
                onChange={({ target }) =>
                  onChange({ ...view, order: MARK_ORDERS.find((one) => one === target.value) ?? 'time' })
                }
              >
                {MARK_ORDERS.map((one) => (
                  <option key={one} value={one}>
                    {ORDER_TITLES[one]}
                  </option>
                ))}
              </select>
            </label>
          </div>
        )}
      </Menu>
    </div>
  );
}

const ALL = 'all';
const UNLABELLED = 'unlabelled';
/** Before the key of a class, which may be any text. */
const CLASS = 'class ';

function writeWanted(wanted: MarkFilter['wanted']): string {
  if (wanted === 'all') return ALL;
  return wanted.key === null ? UNLABELLED : `${CLASS}${wanted.key}`;
}

function readWanted(value: string): MarkFilter['wanted'] {
  if (value === ALL) return 'all';
  return { key: value === UNLABELLED ? null : value.slice(CLASS.length) };
}
