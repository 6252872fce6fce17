import type { LucideIcon } from 'lucide-react';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import search from '../../kit/ui/SearchBox.module.css';
import type { Completion } from './completeFilter.ts';
import styles from './CompletionBox.module.css';

type Props = {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly placeholder: string;
  readonly title: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** With Enter, if nothing of the list is chosen, and when the focus leaves the field. */
  readonly onEntered?: (text: string) => void;
  /** What can follow in the field. Called only while the list may be open, again for another text or function. */
  readonly complete: (text: string) => readonly Completion[];
  readonly listLabel: string;
  /** The element that says what was found, or what is wrong. */
  readonly describedBy: string;
  readonly isInvalid?: boolean;
  readonly className?: string | undefined;
};

const scrollTo = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' });

/** A field for words and conditions that offers names and values for what is typed last. */
export function CompletionBox(props: Props) {
  const { label, icon: Icon, placeholder, title, value, onChange, onEntered, complete, listLabel, describedBy } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const offered = useMemo(() => (isOpen ? complete(value) : []), [isOpen, value, complete]);
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
    else if (event.key === 'Enter' && onEntered !== undefined) {
      setOpen(false);
      onEntered(value);
    } else if (event.key === 'Escape' && isListed) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div className={`${styles.box} ${props.className ?? ''}`}>
      <label className={search.box}>
        <Icon size={14} aria-hidden="true" />
        <input
          type="search"
          role="combobox"
          aria-label={label}
          aria-autocomplete="list"
          aria-expanded={isListed}
          aria-controls={isListed ? id : undefined}
          aria-activedescendant={isListed && active >= 0 ? `${id}-${active}` : undefined}
          aria-describedby={describedBy}
          aria-invalid={props.isInvalid}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          title={title}
          value={value}
          onChange={({ target }) => type(target.value)}
          onKeyDown={onKeyDown}
          // Not as soon as it is emptied: then all files are wanted.
          onFocus={() => {
            setActive(-1);
            setOpen(value === '');
          }}
          onClick={() => value === '' && setOpen(true)}
          onBlur={() => {
            setOpen(false);
            onEntered?.(value);
          }}
        />
      </label>
      {isListed && (
        // A select or datalist cannot be styled like this.
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        <div id={id} role="listbox" aria-label={listLabel} className={styles.list}>
          {offered.map(({ title: said, detail, text: next }, n) => (
            // The field keeps the focus, and its keys choose.
            // oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/click-events-have-key-events
            <div
              key={said}
              id={`${id}-${n}`}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
              role="option"
              aria-selected={n === active}
              ref={n === active ? scrollTo : undefined}
              className={styles.option}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => type(next)}
            >
              <span className={styles.title}>{said}</span>
              <span className={styles.detail}>{detail}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
