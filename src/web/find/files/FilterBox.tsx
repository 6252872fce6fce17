import { Search } from 'lucide-react';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import search from '../../kit/ui/SearchBox.module.css';
import { useListedFiles } from '../../kit/state/listedFiles.ts';
import { completeFilter } from './completeFilter.ts';
import styles from './FilterBox.module.css';

type Props = {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** The element that says what was found. */
  readonly describedBy: string;
};

const scrollTo = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' });

/** The field for words and conditions. It offers modalities, names and values for what is typed last. */
export function FilterBox({ value, onChange, describedBy }: Props) {
  const id = useId();
  const { files } = useListedFiles();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const offered = useMemo(() => (isOpen ? completeFilter(value, files) : []), [isOpen, value, files]);
  const isListed = isOpen && offered.length > 0;
  const type = (typed: string) => {
    setActive(-1);
    setOpen(typed !== '');
    onChange(typed);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = offered[active];
    if (step !== undefined) {
      setOpen(true);
      const places = offered.length + 1;
      // Beyond either end is the field itself.
      setActive(((active + 1 + step + places) % places) - 1);
    } else if (event.key === 'Enter' && isListed && chosen !== undefined) type(chosen.text);
    else if (event.key === 'Escape' && isListed) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles.box}>
      <label className={search.box}>
        <Search size={14} aria-hidden="true" />
        <input
          type="search"
          role="combobox"
          aria-label="Filter files"
          aria-autocomplete="list"
          aria-expanded={isListed}
          aria-controls={isListed ? id : undefined}
          aria-activedescendant={isListed && active >= 0 ? `${id}-${active}` : undefined}
          aria-describedby={describedBy}
          autoComplete="off"
          spellCheck={false}
          placeholder="Filter"
          title="Words of patient, study, series, title, modality, kind, UID or path; or conditions: modality=PT, Modality='PT' and Rows>=512"
          value={value}
          onChange={({ target }) => type(target.value)}
          onKeyDown={onKeyDown}
          // Not as soon as it is emptied: then all files are wanted.
          onFocus={() => {
            setActive(-1);
            setOpen(value === '');
          }}
          onClick={() => value === '' && setOpen(true)}
          onBlur={() => setOpen(false)}
        />
      </label>
      {isListed && (
        // A select or datalist cannot be styled like this.
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        <div id={id} role="listbox" aria-label="Names and values" className={styles.list}>
          {offered.map(({ title, detail, text: next }, n) => (
            // The field keeps the focus, and its keys choose.
            // oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/click-events-have-key-events
            <div
              key={title}
              id={`${id}-${n}`}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
              role="option"
              aria-selected={n === active}
              ref={n === active ? scrollTo : undefined}
              className={styles.option}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => type(next)}
            >
              <span className={styles.title}>{title}</span>
              <span className={styles.detail}>{detail}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
