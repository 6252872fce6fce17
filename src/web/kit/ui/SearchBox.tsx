import { Search } from 'lucide-react';
import styles from './SearchBox.module.css';

export type SearchBoxProps = {
  readonly label: string;
  readonly placeholder: string;
  readonly title?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
};

export function SearchBox({ label, placeholder, title, value, onChange }: SearchBoxProps) {
  return (
    <label className={styles.box}>
      <Search size={14} aria-hidden="true" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        title={title}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
