import { type KeyLine, listKeys } from './keyHelp.ts';

/** The page docs/keys.md. */
export function writeKeysPage(): string {
  const sections = [...listKeys(), REVIEW].map(({ group, lines }) => {
    const rows = lines.map(({ keys, title }) => `| ${keys.map(toCode).join(', ')} | ${title} |`);
    return [`## ${group}`, '', '| Input | Action |', '| --- | --- |', ...rows].join('\n');
  });
  return [
    '# Keyboard and mouse',
    'Press `?` in the page to show this list. Letter keys do nothing while Ctrl, Cmd or Alt is held or while you type. Cmd works like Ctrl.',
    ...sections,
    'The keys of a review are there only with `--review`, and win over others ([review.md](review.md)). With the window tool, dragging right widens the window and dragging up brightens the image.',
  ]
    .join('\n\n')
    .concat('\n');
}

/** The commands of a review are made of its scheme; these are those of the usual one. */
const REVIEW = {
  group: 'Review',
  lines: [
    {
      keys: ['1', '2', '3'],
      title: 'The verdicts accept, reject and unsure, or those of the scheme; the next undecided unit follows',
    },
    { keys: ['N'], title: 'Next unit' },
    { keys: ['P'], title: 'Previous unit' },
    { keys: ['F'], title: 'First undecided unit' },
    { keys: ['U'], title: 'Take back the last decision' },
    { keys: ['C'], title: 'Comment; Enter or Esc ends it' },
    { keys: ['Shift+0', 'Shift+1 to Shift+9'], title: 'Windows, which have digits alone outside a review' },
  ],
} satisfies { group: string; lines: readonly KeyLine[] };

function toCode(key: string): string {
  return key.includes('`') ? `\`\` ${key} \`\`` : `\`${key}\``;
}
