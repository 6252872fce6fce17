type Props<Key> = {
  readonly label: string;
  readonly className?: string | undefined;
  readonly value: Key;
  readonly choices: readonly (readonly [key: Key, text: string])[];
  readonly onChange: (key: Key) => void;
};

/** One of several choices, beside its name. */
export function SelectField<Key extends string | number>({ label, className, value, choices, onChange }: Props<Key>) {
  return (
    <label className={className}>
      {label}
      <select value={value} onChange={({ target }) => onChange(choices[target.selectedIndex]?.[0] ?? value)}>
        {choices.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
